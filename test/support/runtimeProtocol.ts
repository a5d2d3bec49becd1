import { existsSync, readFileSync } from "node:fs"

/**
 * How a child of the runtime soak ends:
 * - `exit`: `process.exit` with statements and iterators open
 * - `end`: nothing is left to do
 * - `throw`: an uncaught exception
 * - `term`: SIGTERM without a handler
 * - `close`: SIGTERM with a handler that closes everything
 * - `kill`: SIGKILL
 */
export const endings = ["exit", "end", "throw", "term", "close", "kill"] as const
export type Ending = (typeof endings)[number]

/** Exit codes that only a child that was asked for them uses. */
export const exitCode = { exit: 3, close: 4 } as const

/** The text of the exception of `throw`. */
export const deliberate = "asked to throw"

export interface WorkerOptions {
  /** `random`: random work until the ending. `rounds`: rounds of work that must leave nothing open. `check`: reads all. */
  readonly role: "random" | "rounds" | "check"
  /** The data folder. */
  readonly folder: string
  /** A folder with an encoder in ONNX files; null leaves the local embedder out. */
  readonly encoder: string | null
  readonly agents: ReadonlyArray<string>
  /** Part of every title, so that titles are unique in a folder. */
  readonly name: string
  readonly seed: number
  readonly journal: string
  readonly ending: Ending
  /** When a child that ends by itself does so, counted from its start; how long `rounds` go on. */
  readonly millis: number
}

/** A memory whose write was answered. */
export interface Acknowledged {
  readonly agent: string
  readonly id: string
  readonly title: string
}

/** One line of a journal. A step is noted before it begins, a write once it is answered. */
export type Line =
  | { readonly step: string }
  | { readonly written: ReadonlyArray<Acknowledged> }
  | { readonly forgetting: string }
  | { readonly refused: string }

/** The output of `rounds`. Sizes are megabytes after a garbage collection. */
export interface RoundsReport {
  readonly rounds: number
  readonly warmRss: number
  readonly lastRss: number
  /** Database files that were still open after a round. */
  readonly leaked: ReadonlyArray<string>
}

/** The output of `check`. */
export interface CheckReport {
  readonly problems: ReadonlyArray<string>
  /** Ids of acknowledged memories that are gone or changed. */
  readonly missing: ReadonlyArray<string>
}

/** The lines of a journal. The last one may be torn by a kill; its step never began. */
export const readJournal = (file: string): ReadonlyArray<Line> =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .flatMap((line) => {
          try {
            return [JSON.parse(line) as Line]
          } catch {
            return []
          }
        })
    : []

export interface Dice {
  /** An integer from 0 to `limit` - 1. */
  readonly below: (limit: number) => number
  readonly chance: (share: number) => boolean
  readonly pick: <A>(all: ReadonlyArray<A>) => A
}

/** Random choices that a seed repeats (mulberry32). */
export const diceOf = (seed: number): Dice => {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { below, chance: (share) => next() < share, pick: (all) => all[below(all.length)]! }
}
