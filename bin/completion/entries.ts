import type { AnyCommand } from "../commands/Command.js"
import { type OptionShape, optionShapeOf } from "../options.js"

/** The words that a shell proposes after the name of a command. */
export interface CompletionEntry {
  /** The command's name and alias. */
  readonly names: ReadonlyArray<string>
  readonly options: ReadonlyArray<OptionShape>
  /** The values of the command's first argument; empty if they are not known. */
  readonly words: ReadonlyArray<string>
  readonly summary: string
}

export const completionEntryOf = ({ alias, options = [], summary, usage, words }: AnyCommand): CompletionEntry => {
  const [name = "", argument = ""] = usage.split(" ")
  return {
    names: alias === undefined ? [name] : [name, alias],
    options: options.map(optionShapeOf),
    // A usage such as `note <save|get>` lists the verbs.
    words: words ?? (argument.includes("|") ? argument.replace(/[<>[\]]/g, "").split("|") : []),
    summary
  }
}

/** Everything that the script of a shell needs. */
export interface Completions {
  readonly entries: ReadonlyArray<CompletionEntry>
  /** The options that every command takes. */
  readonly globals: ReadonlyArray<OptionShape>
}

export const commandNames = ({ entries }: Completions): ReadonlyArray<string> => [
  ...entries.flatMap(({ names }) => names),
  "help"
]

export const flagsOf = (options: ReadonlyArray<OptionShape>): ReadonlyArray<string> => options.map(({ flag }) => flag)

/** The flags of all commands that take a value. The word after such a flag is neither a command nor an argument. */
export const flagsWithValue = ({ entries, globals }: Completions): ReadonlyArray<string> => [
  ...new Set([...globals, ...entries.flatMap(({ options }) => options)].filter(takesValue).map(({ flag }) => flag))
]

export const takesValue = ({ values }: OptionShape): boolean => values !== undefined
