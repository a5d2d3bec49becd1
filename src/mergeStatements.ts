import { normaliseTags } from "./input.js"
import { limits } from "./limits.js"
import type { Merged, Statement } from "./Reconciler.js"

/** What a memory says once a statement is merged into it: what `merged` says, and both together where it says nothing. */
export const mergeStatements = (
  target: Statement,
  statement: Statement,
  merged: Merged = {}
): Pick<Statement, "title" | "narrative" | "facts" | "tags" | "people"> => {
  const narrative =
    merged.narrative ??
    [...new Set([target.narrative, statement.narrative].filter((one) => one !== undefined))]
      .join("\n")
      .slice(0, limits.narrative)
  return {
    title: merged.title ?? target.title,
    ...(narrative === "" ? {} : { narrative }),
    facts: merged.facts ?? [...new Set([...target.facts, ...statement.facts])].slice(0, limits.facts),
    tags: normaliseTags(merged.tags ?? [...target.tags, ...statement.tags]),
    people: [...new Set([...target.people, ...statement.people])].slice(0, limits.people)
  }
}
