import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Media } from "../../events/File.js"
import type { Store } from "../../events/Trust.js"
import { InvalidInput } from "../model/errors.js"
import {
  decodeWith,
  Instant,
  type InstantInput,
  keyField,
  oneOf,
  optionalFields,
  storeField,
  textField
} from "../model/input.js"
import { limits } from "../model/limits.js"

const FileSchema = Schema.Struct({
  path: textField(limits.file),
  text: textField(limits.indexedFile, { blank: true }),
  ...optionalFields({
    media: oneOf(Media, "text, markdown, code, data"),
    session: keyField,
    store: storeField,
    at: Instant,
    move: Schema.Boolean.annotations({ message: () => "must be true or false" })
  })
})

/**
 * A file as callers pass it. Defaults: media by the path's extension, the present time, the strictest store that the
 * level can read.
 */
export interface FileInput {
  /** The file's name within its store. Readers of a hit open the file by this name. */
  readonly path: string
  readonly text: string
  readonly media?: Media | undefined
  /**
   * The session of the file; forgetting the session forgets the file. Absent: the session stays unchanged. A file of
   * another session is refused (`FileInSession`) unless `move` is true.
   */
  readonly session?: string | undefined
  /** Whether the file may leave its session for `session`. Default false. */
  readonly move?: boolean | undefined
  readonly store?: Store | undefined
  /** When it was changed. */
  readonly at?: InstantInput | undefined
}

export const decodeFile = decodeWith(FileSchema) as (input: unknown) => Either.Either<FileInput, InvalidInput>

/** Checks the path of a file to read or forget. */
export const decodePath = (path: unknown): Either.Either<string, InvalidInput> =>
  typeof path === "string" && path !== "" && path.length <= limits.file
    ? Either.right(path)
    : Either.left(new InvalidInput({ field: "path", problem: `must have 1 to ${limits.file} characters` }))

/** The kind of a file's text, by the extension of its path. */
export const mediaOf = (path: string): Media => {
  const extension = /\.([a-z0-9+#_-]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ""
  return (Object.keys(extensions) as Array<Media>).find((media) => extensions[media]!.has(extension)) ?? "text"
}

const extensions: Readonly<Partial<Record<Media, ReadonlySet<string>>>> = {
  markdown: new Set(["md", "markdown", "mdx"]),
  data: new Set("json jsonl ndjson csv tsv yaml yml toml xml ini env properties lock".split(" ")),
  code: new Set(
    `ts tsx mts cts js jsx mjs cjs py rb go rs java kt kts scala c h cc cpp cxx hpp cs swift m mm php pl pm lua r jl hs
      ml ex exs erl clj cljs el lisp scm dart zig nim sh bash zsh fish ps1 bat sql graphql proto html htm css scss sass
      less vue svelte tf gradle cmake make mk`.split(/\s+/)
  )
}
