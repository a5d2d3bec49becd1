import type { Store } from "../events/Trust.js"
import { filled, given, instant, many, one, share, storeOf } from "./options.js"

/** The options that say what a memory holds; `remember` and `update` share them. */
export const contentOptions = [
  one("--type <type>", "what kind of thing it is: decision, preference, event, task …"),
  one("--narrative <text>", "the whole story"),
  many("--fact <text>", "a single fact", filled),
  many("--tag <tag>", "a tag", filled),
  many("--person <name>", "somebody whom it mentions", filled),
  many("--file <path>", "a file that it is about"),
  one("--store <store>", "who may read it: private, shared or social", storeOf),
  one("--importance <number>", "from 0 to 1", share),
  one("--project <name>", "the project that it belongs to"),
  one("--topic <name>", "the topic that it belongs to"),
  one("--at <time>", "when it happened, as an ISO 8601 date or time", instant),
  one("--expires <time>", "when it is no longer to be read, as an ISO 8601 date or time", instant)
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

/** The fields as the library names them, only those that were given. */
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
