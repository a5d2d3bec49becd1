import { readFileSync } from "node:fs"
import * as Schema from "effect/Schema"

const Words = Schema.Array(Schema.Array(Schema.String))

/** A turn of a labelled conversation. */
const SessionTurn = Schema.Struct({
  id: Schema.String,
  at: Schema.String,
  role: Schema.Literal("user", "assistant", "system", "tool"),
  speaker: Schema.optional(Schema.NullOr(Schema.String)),
  text: Schema.String
})

/** A conversation of one user with an assistant. */
export const Session = Schema.Struct({
  session: Schema.String,
  about: Schema.optional(Schema.String),
  turns: Schema.Array(SessionTurn)
})
export type Session = typeof Session.Type

/** A statement in a turn. A text contains the statement if it contains an alternative from every group of words. */
const Item = Schema.Struct({ gist: Schema.String, words: Words, type: Schema.optional(Schema.String) })
export type Item = typeof Item.Type

const Fault = Schema.Struct({ why: Schema.String, words: Words })

/** The items of a turn that capture must keep (`keep`), may keep (`allowed`) and must not keep (`never`). */
export const Label = Schema.Struct({
  turn: Schema.String,
  keep: Schema.optional(Schema.Array(Item)),
  allowed: Schema.optional(Schema.Array(Item)),
  never: Schema.optional(Schema.Array(Fault))
})
export type Label = typeof Label.Type

/** Decodes a file of JSON lines; throws an error that names the line. */
export const readLines = <A, I>(file: string, schema: Schema.Schema<A, I>): ReadonlyArray<A> =>
  readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line, index) => {
      if (line.trim() === "") return []
      try {
        return [Schema.decodeUnknownSync(schema)(JSON.parse(line))]
      } catch (error) {
        throw new Error(`${file}:${index + 1}: ${(error as Error).message}`)
      }
    })
