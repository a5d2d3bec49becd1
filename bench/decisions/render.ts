import type { Answer, Mistake, Scores } from "./scores.js"
import { actions, type StoryMemory } from "./stories.js"

/** The scores as plain-text tables. */
export const render = (scores: Scores): string =>
  [
    `${scores.right} of ${scores.stories} right: accuracy ${percent(scores.accuracy)}; ${scores.harmful} wrong UPDATE or DELETE`,
    table([
      ["wrong retirements", "memories", "of stories", "facts"],
      ...(["written", "night"] as const).map((when) => {
        const { facts, memories } = scores.wrongRetirements[when]
        const share = scores.stories === 0 ? null : memories / scores.stories
        return [
          when === "written" ? "after the write" : "after a night",
          String(memories),
          percent(share),
          String(facts)
        ]
      })
    ]),
    table([
      ["contradictions", "answered", "share", "precision", "recall"],
      ...(["certain", "disputes"] as const).map((strength) => {
        const { answered, precision, recall } = scores[strength]
        const all = scores.certain.answered + scores.disputes.answered
        const share = all === 0 ? null : answered / all
        return [strength, String(answered), percent(share), percent(precision), percent(recall)]
      })
    ]),
    table([
      ["", "expected", "answered", "precision", "recall"],
      ...actions.map((action) => {
        const { answered, expected, precision, recall } = scores.actions[action]
        return [action, String(expected), String(answered), percent(precision), percent(recall)]
      })
    ]),
    table([
      ["expected, answered →", ...actions, "wrong target"],
      ...actions.map((action) => {
        const { answered, wrongTarget } = scores.confusion[action]
        return [action, ...actions.map((other) => String(answered[other])), String(wrongTarget)]
      })
    ]),
    table([
      ["kind", "stories", "right", "accuracy"],
      ...Object.entries(scores.kinds).map(([kind, { accuracy, right, stories }]) => [
        kind,
        String(stories),
        String(right),
        percent(accuracy)
      ])
    ])
  ].join("\n\n")

/** The wrongly answered stories: expected answer, given answer with its reason, and the texts. */
export const renderWrong = (wrong: ReadonlyArray<Mistake>): string =>
  wrong
    .map(({ answer, story }) =>
      [
        `${story.id} (${story.kind}): expected ${story.accept.map(answerText).join(" or ")}, answered ${answerText(answer)}${answer.reason === undefined ? "" : `: ${answer.reason}`}`,
        ...story.memories.map((memory, place) => `  ${place}  ${textOf(memory)}`),
        `  >  ${textOf(story.statement)}`
      ].join("\n")
    )
    .join("\n\n")

const answerText = ({ action, disputes, target }: Answer): string => {
  if (disputes === true) return `disputes ${target}`
  return action === "ADD" || target === undefined ? action : `${action} ${target}`
}

const textOf = ({ facts = [], narrative, title, type }: StoryMemory): string =>
  [type === undefined ? title : `(${type}) ${title}`, ...(narrative === undefined ? [] : [narrative]), ...facts].join(
    " | "
  )

/** Aligns the first column to the left, the others to the right. */
const table = (cells: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  const lines = cells.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join("  ")
      .trimEnd()
  )
  return [lines[0], widths.map((width) => "─".repeat(width)).join("  "), ...lines.slice(1)].join("\n")
}

const percent = (share: number | null): string => (share === null ? "–" : `${(100 * share).toFixed(1)} %`)
