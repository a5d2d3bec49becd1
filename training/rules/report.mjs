// @ts-nocheck: a maintainers' tool.
export const actions = ["ADD", "UPDATE", "DELETE", "NONE"]

const right = ({ action, story, target }) =>
  story.accept.some((one) => one.action === action && (action === "ADD" || one.target === target))
const share = (part, whole) =>
  whole === 0 ? "    –    " : `${(part / whole).toFixed(3)} (${String(whole).padStart(3)})`

/** Prints one line: accuracy, then precision (with the number of answers) and recall (with the number of stories). */
export const line = (title, answered) => {
  const rightShare = (results) => share(results.filter(right).length, results.length)
  const cells = actions.slice(1).map((action) => {
    const given = answered.filter((one) => one.action === action)
    const expected = answered.filter(({ story }) => story.accept[0].action === action)
    return `${action} P ${rightShare(given)} R ${share(expected.filter((result) => result.action === action && right(result)).length, expected.length)}`
  })
  console.log(`${title.padEnd(14)} ${rightShare(answered)}  ${cells.join("  ")}`)
}

/** Prints the confusion matrix: expected actions as rows, answers as columns, right actions on wrong targets apart. */
export const confusion = (answered) => {
  console.log(`${"".padEnd(8)}${actions.map((action) => action.padStart(8)).join("")}   wrong target`)
  for (const expected of actions) {
    const row = answered.filter(({ story }) => story.accept[0].action === expected)
    const cells = actions.map(
      (action) => row.filter((result) => result.action === action && (right(result) || action !== expected)).length
    )
    const wrongTarget = row.filter((result) => result.action === expected && !right(result)).length
    console.log(`${expected.padEnd(8)}${cells.map((cell) => String(cell).padStart(8)).join("")}   ${wrongTarget}`)
  }
}

/** Prints the number of wrong and of all answers by kind of story, kinds with the most wrong answers first. */
export const byKind = (answered) => {
  const kinds = new Map()
  for (const result of answered) {
    const [wrong, all] = kinds.get(result.story.kind) ?? [0, 0]
    kinds.set(result.story.kind, [wrong + (right(result) ? 0 : 1), all + 1])
  }
  const cells = [...kinds].sort(([, [a]], [, [b]]) => b - a).map(([kind, [wrong, all]]) => `${kind} ${wrong}/${all}`)
  console.log(`wrong by kind: ${cells.join(", ")}`)
}

/** Prints, for each likelihood of DELETE and each confidence, how many answers there are and which share is right. */
export const reliability = (answered, confidenceOf) => {
  const groups = new Map()
  for (const result of answered.filter(({ action }) => action === "DELETE")) {
    const least = [0.97, 0.95, 0.9, 0.85, 0.75, 0].find((likelihood) => result.likely[2] >= likelihood)
    const key = `likelihood ≥ ${least}, confidence ${confidenceOf(result)}`
    groups.set(key, [...(groups.get(key) ?? []), result])
  }
  for (const [key, group] of [...groups].sort().reverse())
    console.log(`${key.padEnd(36)} ${share(group.filter(right).length, group.length)}`)
}
