import * as Either from "effect/Either"
import { Source } from "../../../events/Memory.js"
import { checkAgentName } from "../../model/agentName.js"
import { InvalidInput, NothingToErase } from "../../model/errors.js"
import { refuseUnknownOptions } from "../../model/filters.js"
import { decodeKey } from "../../model/input.js"

/**
 * Selects what to erase. `ids` names memories, turns, files or schedules of an agent. `person` matches a name in texts,
 * speakers, queries and outputs of runs, of all agents unless `agent` is given. `persons` matches any of several names.
 * `source` is KIND:KEY: the kind of a memory's source and its name (`import:notes.md`), `file:PATH` or `turn:ID`.
 * `everythingOf` is an agent with all its events.
 */
export type Erasable =
  | { readonly agent: string; readonly ids: ReadonlyArray<string> }
  | { readonly person: string; readonly agent?: string | undefined }
  | { readonly persons: ReadonlyArray<string>; readonly agent?: string | undefined }
  | { readonly agent: string; readonly session: string }
  | { readonly agent: string; readonly source: string }
  | { readonly everythingOf: string }

/** An `Erasable` after decoding. */
export type Selection =
  | { readonly kind: "memory"; readonly ids: ReadonlySet<string> }
  | { readonly kind: "person"; readonly persons: ReadonlyArray<string> }
  | { readonly kind: "session"; readonly session: string }
  | { readonly kind: "source"; readonly source: string; readonly key: string | undefined }
  | { readonly kind: "agent" }

export interface ErasureScope {
  readonly selection: Selection
  /** The agent; undefined for all agents. */
  readonly agent: string | undefined
}

const sourceKinds: ReadonlyArray<string> = [...Source.fields.kind.literals, "file", "turn"]

const selectors = ["ids", "person", "persons", "session", "source", "everythingOf"] as const

export const decodeErasable = (input: Erasable): Either.Either<ErasureScope, InvalidInput> =>
  Either.gen(function* () {
    yield* refuseUnknownOptions(input, [...selectors, "agent"], "erase")
    const given = input as Record<string, unknown>
    const named = selectors.filter((key) => given[key] !== undefined)
    if (named.length !== 1) {
      const problem = `must have exactly one of ${selectors.join(", ")}`
      return yield* Either.left(new InvalidInput({ field: "erase", problem }))
    }
    const [selector] = named
    const agentName = selector === "everythingOf" ? given.everythingOf : given.agent
    const agent = agentName === undefined ? undefined : yield* checkAgentName(String(agentName))
    if (agent === undefined && selector !== "person" && selector !== "persons") {
      return yield* Either.left(new InvalidInput({ field: "agent", problem: "is missing" }))
    }
    return { agent, selection: yield* selectionOf(selector!, given[selector!]) }
  })

const selectionOf = (selector: (typeof selectors)[number], value: unknown): Either.Either<Selection, InvalidInput> =>
  Either.gen(function* () {
    switch (selector) {
      case "ids": {
        const ids = Array.isArray(value) ? value : []
        if (ids.length === 0)
          return yield* Either.left(new InvalidInput({ field: "ids", problem: "must be a list of at least one id" }))
        for (const id of ids) yield* decodeKey("id", id)
        return { kind: "memory", ids: new Set(ids as ReadonlyArray<string>) } as const
      }
      case "person":
      case "persons": {
        const persons = (selector === "person" ? [value] : Array.isArray(value) ? value : []) as ReadonlyArray<string>
        if (persons.length === 0)
          return yield* Either.left(
            new InvalidInput({ field: "persons", problem: "must be a list of at least one name" })
          )
        for (const person of persons) {
          if (!/[\p{L}\p{N}]/u.test(yield* decodeKey("person", person)))
            return yield* Either.left(
              new InvalidInput({ field: "person", problem: "must contain a letter or a digit" })
            )
        }
        return { kind: "person", persons } as const
      }
      case "session":
        return { kind: "session", session: yield* decodeKey("session", value as string) } as const
      case "source": {
        const text = yield* decodeKey("source", value as string)
        const [source, ...rest] = text.split(":") as [string, ...Array<string>]
        const key = rest.length === 0 ? undefined : rest.join(":")
        const needsKey = source === "file" || source === "turn"
        if (sourceKinds.includes(source) && key !== "" && !(needsKey && key === undefined)) {
          return { kind: "source", source, key } as const
        }
        const problem = `must be KIND or KIND:KEY, where KIND is one of ${sourceKinds.join(", ")}; \`file\` and \`turn\` need a key`
        return yield* Either.left(new InvalidInput({ field: "source", problem }))
      }
      case "everythingOf":
        return { kind: "agent" } as const
    }
  })

/** Whether a source is the selected one, or of the selected kind. */
export const isSourceSelected = (
  { key, source }: Extract<Selection, { readonly kind: "source" }>,
  given: { readonly kind: string; readonly name?: string | undefined }
): boolean => given.kind === source && (key === undefined || given.name === key)

/** The error for a selection that matches nothing of an agent, or of any agent. */
export const nothingToErase = (selection: Selection, agent: string | undefined): NothingToErase => {
  const of = agent === undefined ? {} : { agent }
  switch (selection.kind) {
    case "memory":
      return new NothingToErase({ ids: [...selection.ids], ...of })
    case "person":
      return new NothingToErase({ ids: [], what: `the name ${selection.persons.join(", ")}`, ...of })
    case "session":
      return new NothingToErase({ ids: [], what: `the session ${selection.session}`, ...of })
    case "source": {
      const { key, source } = selection
      return new NothingToErase({ ids: [], what: `the source ${source}${key === undefined ? "" : `:${key}`}`, ...of })
    }
    case "agent":
      return new NothingToErase({ ids: [], ...of })
  }
}

/** The kinds of sources whose key is the path of a file. */
export const fileKinds: ReadonlySet<string> = new Set(["file", "import"])

type SourceSelection = Extract<Selection, { readonly kind: "source" }>

/** Returns true if a selection names a file. IMPORT events may name a file that is not in the log. */
export const isFileSelected = (selection: Selection): selection is SourceSelection & { readonly key: string } =>
  selection.kind === "source" && fileKinds.has(selection.source) && selection.key !== undefined
