import type { DialogueResult, FinalState } from "./dialogue.js"

const isActive = ({ status }: FinalState) => status === "active" || status === "disputed"
const share = (part: number, whole: number) => `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`

/** The result as text. `listsWrong` adds true statements that are gone, and outdated ones without a dispute mark. */
export const renderDialogue = ({ active, events, fates, nights }: DialogueResult, listsWrong: boolean): string => {
  const inGroup = (atEnd: FinalState["statement"]["atEnd"]) =>
    fates.filter(({ statement }) => statement.atEnd === atEnd)
  const [ended, stillTrue] = [inGroup("ended"), inGroup("true")]
  const gone = stillTrue.filter((fate) => !isActive(fate))
  const unmarked = ended.filter(({ status }) => status === "active")
  const outcomes = new Map<string, number>()
  for (const { outcome } of fates) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  return [
    `${fates.length} statements, ${nights} nights, ${events} events, ${active} active memories`,
    `outcomes: ${[...outcomes].map(([outcome, count]) => `${outcome} ${count}`).join(", ")}`,
    `true at the end, but gone:           ${share(gone.length, stillTrue.length)}`,
    `outdated, active, without a mark:    ${share(unmarked.length, active)} of what is active; ${share(unmarked.length, ended.length)} of what is outdated`,
    `outdated and marked by a dispute:    ${ended.filter(({ status }) => status === "disputed").length}`,
    `outdated and retired:                ${ended.filter((fate) => !isActive(fate)).length}`,
    ...(listsWrong
      ? ["", "True, but gone:", ...gone.map(lineOf), "", "Outdated, without a mark:", ...unmarked.map(lineOf)]
      : [])
  ].join("\n")
}

const lineOf = ({ outcome, reason, statement, status }: FinalState): string =>
  `  ${statement.n} ${statement.title}  [${outcome}, ${status}${reason === "" ? "" : `: ${reason}`}${statement.endedBy === undefined ? "" : `; ended by ${statement.endedBy}`}]`
