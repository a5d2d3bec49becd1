// @ts-nocheck: a tool of the maintainers.
export const actions = ["ADD", "UPDATE", "DELETE", "NONE"]

const right = ({ action, story, target }) =>
  story.accept.some((one) => one.action === action && (action === "ADD" || one.target === target))
const share = (part, whole) =>
  whole === 0 ? "    –    " : `${(part / whole).toFixed(3)} (${String(whole).padStart(3)})`

/** One line: accuracy, then precision (of how many answers) and recall (of how many stories). */
export const line = (title, answered) => {
  const of = (these) => share(these.filter(right).length, these.length)
  const cells = actions.slice(1).map((action) => {
    const said = answered.filter((one) => one.action === action)
    const meant = answered.filter(({ story }) => story.accept[0].action === action)
    return `${action} P ${of(said)} R ${share(meant.filter((one) => one.action === action && right(one)).length, meant.length)}`
  })
  console.log(`${title.padEnd(14)} ${of(answered)}  ${cells.join("  ")}`)
}

/** What was meant (down) against what was answered (across); a right action at a wrong target apart. */
export const confusion = (answered) => {
  console.log(`${"".padEnd(8)}${actions.map((action) => action.padStart(8)).join("")}   wrong target`)
  for (const meant of actions) {
    const of = answered.filter(({ story }) => story.accept[0].action === meant)
    const cells = actions.map(
      (action) => of.filter((one) => one.action === action && (right(one) || action !== meant)).length
    )
    const astray = of.filter((one) => one.action === meant && !right(one)).length
    console.log(`${meant.padEnd(8)}${cells.map((cell) => String(cell).padStart(8)).join("")}   ${astray}`)
  }
}

/** Shares of wrong answers by kind of story, the worst first. */
export const byKind = (answered) => {
  const kinds = new Map()
  for (const one of answered) {
    const [wrong, all] = kinds.get(one.story.kind) ?? [0, 0]
    kinds.set(one.story.kind, [wrong + (right(one) ? 0 : 1), all + 1])
  }
  const told = [...kinds].sort(([, [a]], [, [b]]) => b - a).map(([kind, [wrong, all]]) => `${kind} ${wrong}/${all}`)
  console.log(`wrong by kind: ${told.join(", ")}`)
}
