import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Store } from "../events/Trust.js"
import {
  definedFields,
  option,
  parseFraction,
  parseIsoTime,
  parseNonEmpty,
  parseStore,
  repeatableOption
} from "./options.js"

/** The options for a memory's content; `remember` and `update` share them. */
export const contentOptions = [
  option("--type <type>", "set the type: decision, preference, event, task …"),
  option("--narrative <text>", "set the full text"),
  repeatableOption("--fact <text>", "add a fact", parseNonEmpty),
  repeatableOption("--tag <tag>", "add a tag", parseNonEmpty),
  repeatableOption("--person <name>", "add a person whom the memory mentions", parseNonEmpty),
  repeatableOption("--file <path>", "add a related file"),
  option("--store <store>", "set the store, which limits readers: private, shared or social", parseStore),
  option("--importance <number>", "set the importance, 0 to 1", parseFraction),
  option("--project <name>", "set the project"),
  option("--topic <name>", "set the topic"),
  option("--at <time>", "set the time of the event: ISO 8601 date or time", parseIsoTime),
  option("--expires <time>", "set the expiry time: ISO 8601 date or time", parseIsoTime)
]

export interface ContentOptions {
  readonly type?: string
  readonly narrative?: string
  readonly fact?: ReadonlyArray<string>
  readonly tag?: ReadonlyArray<string>
  readonly person?: ReadonlyArray<string>
  readonly file?: ReadonlyArray<string>
  readonly store?: Store
  readonly importance?: number
  readonly project?: string
  readonly topic?: string
  readonly at?: number
  readonly expires?: number
}

/** Maps the options to the library's field names. An absent option leaves its field out. */
export const contentFromOptions = ({ at, expires, fact, file, person, tag, ...rest }: ContentOptions) => {
  const { importance, narrative, project, store, topic, type } = rest
  return definedFields({
    type,
    narrative,
    facts: fact,
    tags: tag,
    people: person,
    files: file,
    store,
    importance,
    project,
    topic,
    occurredAt: at,
    expiresAt: expires
  })
}

/** Warns that a memory with this expiry time is hidden already. The library accepts it, because old data may have expired. */
export const warnOfPastExpiry = (id: string, expires: number | undefined): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    expires === undefined || expires > now
      ? Effect.void
      : Effect.logWarning(
          `--expires is in the past: no read shows memory ${id}; to show it, store it again with a later --expires`
        )
  )
