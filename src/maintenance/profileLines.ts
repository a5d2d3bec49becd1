import type { Memory } from "../../events/Memory.js"
import { visibleLine } from "../../text/normalise/visibleText.js"
import type { SettlerService } from "../ports/Settler.js"
import type { Row } from "./stageRow.js"

/**
 * Selects the rows that fit into a token budget, each with its line. The budget is spent first on titles, then on facts
 * and the titles of contradicting memories, and last on rows that repeat an earlier line in other words. A memory that
 * a user made core gets its complete line at once.
 */
export const selectLines = (
  ranked: ReadonlyArray<Row>,
  countTokens: (text: string) => number,
  budget: number,
  {
    earlierOf = () => "",
    repeatsIn = () => () => false
  }: {
    readonly repeatsIn?: SettlerService["repeats"] | undefined
    /** Names or counts the contradicting memories that a row represents. */
    readonly earlierOf?: (row: Row, maxNamed: number) => string
  } = {}
): ReadonlyMap<Row, string> => {
  const lines = new Map<Row, string>()
  let left = budget
  const addLine = (row: Row, line: string): void => {
    const shorter = lines.get(row)
    const cost = countTokens(line) - (shorter === undefined ? 0 : countTokens(shorter))
    // A later, shorter line may still fit.
    if (cost > left) return
    left -= cost
    lines.set(row, line)
  }
  const completeLine = (row: Row) => profileLine(row.memory, earlierOf(row, maxEarlier.complete))
  const repeated = new Set<Row>()
  const repeats = repeatsIn(ranked)
  for (const row of ranked) {
    if (isUserMadeCore(row)) addLine(row, completeLine(row))
    else if ([...lines.keys()].some((other) => repeats(row, other))) repeated.add(row)
    else addLine(row, profileLine({ ...row.memory, facts: [] }, earlierOf(row, maxEarlier.short)))
  }
  for (const row of ranked) if (lines.has(row)) addLine(row, completeLine(row))
  for (const row of repeated) addLine(row, completeLine(row))
  return new Map(ranked.flatMap((row) => (lines.has(row) ? [[row, lines.get(row)!]] : [])))
}

/**
 * Maximum contradicting memories that a line names. A `short` line only counts them; lines stay short until every
 * memory has a line.
 */
const maxEarlier = { complete: 3, short: 0 }

/** Returns true if a user made the memory core. If maintenance did, `coreFrom` contains the former tier. */
export const isUserMadeCore = ({ memory }: Row): boolean => memory.tier === "core" && memory.coreFrom === undefined

/** Formats the line of a memory in the profile. `earlier` names or counts the earlier statements. */
export const profileLine = ({ facts, title }: Pick<Memory, "title" | "facts">, earlier = ""): string =>
  visibleLine(`- ${[title, ...facts].join("; ")}${earlier === "" ? "" : ` ${earlier}`}`)
