import type { ExtractedEnd, ExtractedFact } from "../ports/Extractor.js"

const beginning = "; extracted by "

/** The end of a decision's reason: the rule, whose statement it is, and what the turns have to do with it. */
export const noteOf = (rule: string, said: ExtractedFact | ExtractedEnd): string => {
  const reasons = "statedBy" in said ? said.sources.map(({ reason }) => reason) : [said.reason]
  const words = [...new Set(reasons.filter((reason) => reason.trim() !== ""))].join(", ").slice(0, maxReason)
  const speaker = "statedBy" in said ? `, stated by ${said.statedBy}` : ""
  // A semicolon begins the next note.
  return `${beginning}${`${rule}${speaker}${words === "" ? "" : `: ${words}`}`.replaceAll(";", ",")}`
}

const maxReason = 200

/** The note in a recorded reason; undefined if the statement was not extracted. */
export const noteIn = (reason: string): string | undefined => {
  const start = reason.lastIndexOf(beginning)
  if (start < 0) return undefined
  const end = reason.indexOf(";", start + 1)
  return end < 0 ? reason.slice(start) : reason.slice(start, end)
}
