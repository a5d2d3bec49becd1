import type { Memory } from "../../events/Memory.js"
import { visibleLine } from "../../text/normalise/visibleText.js"
import type { SettlerService } from "../ports/Settler.js"
import type { Row } from "./stageRow.js"

/**
 * The rows that fit into a budget of tokens, each with its line. Titles come before facts and the names of disputed
 * memories, except for memories that a user made core. A row that repeats an earlier line in other words comes last.
 */
export const withinBudget = (
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
  const completeLine = (row: Row) => lineOf(row.memory, earlierOf(row, maxEarlier.complete))
  const repeated = new Set<Row>()
  const repeats = repeatsIn(ranked)
  for (const row of ranked) {
    if (isGiven(row)) addLine(row, completeLine(row))
    else if ([...lines.keys()].some((other) => repeats(row, other))) repeated.add(row)
    else addLine(row, lineOf({ ...row.memory, facts: [] }, earlierOf(row, maxEarlier.short)))
  }
  for (const row of ranked) if (lines.has(row)) addLine(row, completeLine(row))
  for (const row of repeated) addLine(row, completeLine(row))
  return new Map(ranked.flatMap((row) => (lines.has(row) ? [[row, lines.get(row)!]] : [])))
}

/** Maximum contradicting memories that a line names. Until all memories have their line, they are only counted. */
const maxEarlier = { complete: 3, short: 0 }

/** Whether a user made the memory core. Otherwise maintenance did, and recorded the former tier in `coreFrom`. */
export const isGiven = ({ memory }: Row): boolean => memory.tier === "core" && memory.coreFrom === undefined

/** The line of a memory in the profile, with what it says of `earlier` statements. */
export const lineOf = ({ facts, title }: Pick<Memory, "title" | "facts">, earlier = ""): string =>
  visibleLine(`- ${[title, ...facts].join("; ")}${earlier === "" ? "" : ` ${earlier}`}`)
