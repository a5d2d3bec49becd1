import type * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Media } from "../../events/File.js"
import type { Store } from "../../events/Trust.js"
import type { InvalidInput } from "../model/errors.js"
import { decodeWith, Instant, type InstantInput, keyField, oneOf, optional, storeField, text } from "../model/input.js"
import { limits } from "../model/limits.js"

const FileSchema = Schema.Struct({
  path: text(limits.file),
  text: text(limits.indexedFile, { blank: true }),
  ...optional({
    media: oneOf(Media, "text, markdown, code, data"),
    session: keyField,
    store: storeField,
    at: Instant,
    move: Schema.Boolean.annotations({ message: () => "must be true or false" })
  })
})

/** A file's text, as a program gives it. Defaults: media by the path's ending, now, the strictest store the level reads. */
export interface FileInput {
  /** Its name within its store: whatever a reader of a hit opens it by. */
  readonly path: string
  readonly text: string
  readonly media?: Media | undefined
  /**
   * The session that takes it along when it is forgotten; where absent, that of the version before. One that belongs
   * to another session already is refused (`FileInSession`) unless `move` is true.
   */
  readonly session?: string | undefined
  /** Whether `session` may take it from the session that it belongs to. Default false. */
  readonly move?: boolean | undefined
  readonly store?: Store | undefined
  /** When it was changed. */
  readonly at?: InstantInput | undefined
}

export const decodeFile = (input: unknown) => decodeWith(FileSchema)(input) as Either.Either<FileInput, InvalidInput>

/** What kind of text a path holds, by its ending. */
export const mediaOf = (path: string): Media => {
  const ending = /\.([a-z0-9+#_-]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ""
  return (Object.keys(endings) as Array<Media>).find((media) => endings[media]!.has(ending)) ?? "text"
}

const endings: Readonly<Partial<Record<Media, ReadonlySet<string>>>> = {
  markdown: new Set(["md", "markdown", "mdx"]),
  data: new Set("json jsonl ndjson csv tsv yaml yml toml xml ini env properties lock".split(" ")),
  code: new Set(
    `ts tsx mts cts js jsx mjs cjs py rb go rs java kt kts scala c h cc cpp cxx hpp cs swift m mm php pl pm lua r jl hs
      ml ex exs erl clj cljs el lisp scm dart zig nim sh bash zsh fish ps1 bat sql graphql proto html htm css scss sass
      less vue svelte tf gradle cmake make mk`.split(/\s+/)
  )
}
