import type { Store } from "../events/Trust.js"
import { filled, given, instant, many, one, share, storeOf } from "./options.js"

/** The options for a memory's content; `remember` and `update` share them. */
export const contentOptions = [
  one("--type <type>", "set the type: decision, preference, event, task …"),
  one("--narrative <text>", "set the full text"),
  many("--fact <text>", "add a fact", filled),
  many("--tag <tag>", "add a tag", filled),
  many("--person <name>", "add a person it mentions", filled),
  many("--file <path>", "add a file it is about"),
  one("--store <store>", "set who may read it: private, shared or social", storeOf),
  one("--importance <number>", "set the importance, 0 to 1", share),
  one("--project <name>", "set the project"),
  one("--topic <name>", "set the topic"),
  one("--at <time>", "set when it happened: an ISO 8601 date or time", instant),
  one("--expires <time>", "set when it expires: an ISO 8601 date or time", instant)
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

/** Maps the options to the library's field names; absent options give no field. */
export const contentOf = ({ at, expires, fact, file, person, tag, ...rest }: ContentOptions) => {
  const { importance, narrative, project, store, topic, type } = rest
  return given({
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
