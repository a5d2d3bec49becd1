import * as Either from "effect/Either"
import type { CapturedMemory } from "../../../src/capture/CaptureWriter.js"
import type { PromptContext } from "../../../src/context/ContextReader.js"
import { InvalidInput } from "../../../src/model/errors.js"
import { decodeObservation, type Observation } from "../../../src/model/input.js"
import { fieldsOf } from "../../../src/notes/noteInput.js"
import type { ContextAnswer, ExtractedMemory, MemoryChanges, MemoryInput, WithContent } from "../api/types.js"

/** Adds the text of a memory as the field `content`. */
export const withContent = <A extends { readonly title: string; readonly narrative?: string | null | undefined }>(
  memory: A
): A & WithContent => {
  const { narrative, title } = memory
  const content =
    typeof narrative !== "string" || narrative === ""
      ? title
      : narrative.startsWith(title)
        ? narrative
        : `${title}\n\n${narrative}`
  return { ...memory, content }
}

/** Splits `content` into a title and a narrative. */
const titleAndNarrative = (body: Pick<MemoryInput, "content" | "title" | "narrative">) =>
  typeof body.content !== "string"
    ? Either.left(new InvalidInput({ field: "content", problem: "must be text" }))
    : body.title !== undefined || body.narrative != null
      ? Either.left(
          new InvalidInput({
            field: "content",
            problem: "cannot be combined with `title` or `narrative`: omit these two fields"
          })
        )
      : Either.right(fieldsOf(body.content))

export const observationOf = ({ content, ...fields }: MemoryInput): Either.Either<Observation, InvalidInput> =>
  content === undefined
    ? fields.title === undefined
      ? withoutText(fields)
      : Either.right(fields as Observation)
    : Either.map(titleAndNarrative({ ...fields, content }), ({ narrative, title }) => ({
        ...fields,
        title,
        ...(narrative === null ? {} : { narrative })
      }))

/** The error for a memory without text. A misspelt field is reported first, because it may contain the text. */
const withoutText = (fields: object): Either.Either<never, InvalidInput> =>
  Either.flatMap(decodeObservation({ ...fields, title: "any" }), () =>
    Either.left(
      new InvalidInput({
        field: "content",
        problem: "is missing: send the text of the memory in `content`, or its title in `title`"
      })
    )
  )

export const changesOf = ({ content, ...fields }: Omit<MemoryChanges, "status">) =>
  content === undefined
    ? Either.right(fields)
    : Either.map(titleAndNarrative({ ...(fields as MemoryInput), content }), (text) => ({ ...fields, ...text }))

export const extractedMemory = ({ title, ...captured }: CapturedMemory): ExtractedMemory => ({
  ...captured,
  content: title
})

/** Adds the turns and memories of a context by tier. */
export const contextAnswer = (context: PromptContext): ContextAnswer => {
  const shown = (name: string) => context.parts.find((part) => part.name === name)?.memories ?? []
  return {
    ...context,
    short_term: context.turns,
    mid_term: shown("mid"),
    long_term_hint: shown("recalled")
  }
}
