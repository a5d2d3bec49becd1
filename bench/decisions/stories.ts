import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { listField, oneOf, textField } from "../../src/model/input.js"
import { limits } from "../../src/model/limits.js"
import { toInstant } from "../../text/when/dates.js"

/** Possible decisions on a statement, in report order. */
export const actions = ["ADD", "UPDATE", "DELETE", "NONE"] as const
export type Action = (typeof actions)[number]

const nonEmptyList = <A, I>(item: Schema.Schema<A, I>, max: number) =>
  listField(item, max).pipe(Schema.filter((values) => values.length > 0 || "is empty"))
/** JSON has no undefined, so an optional field is present or absent. */
const optional = <A, I>(field: Schema.Schema<A, I>) => Schema.optionalWith(field, { exact: true })
const texts = (maxLength: number, maxTexts: number) => optional(listField(textField(maxLength), maxTexts))

/** A memory in a story. Its default type is `discovery`, as in Daybook. */
const StoryMemory = Schema.Struct({
  title: textField(limits.title),
  type: optional(textField(limits.type)),
  narrative: optional(textField(limits.narrative)),
  facts: texts(limits.fact, limits.facts),
  tags: texts(limits.tag, limits.tags),
  people: texts(limits.person, limits.people),
  at: optional(
    textField(limits.key).pipe(
      Schema.filter((at) => toInstant(at) !== undefined || "is not a date: use an ISO 8601 time")
    )
  )
})
export type StoryMemory = typeof StoryMemory.Type

/** An answer: the action, and the index of the affected memory (none for ADD). */
const Accepted = Schema.Struct({
  action: oneOf(Schema.Literal(...actions), actions.join(", ")),
  target: optional(
    Schema.Number.annotations({ message: () => "must be a number" }).pipe(
      Schema.filter((place) => (Number.isInteger(place) && place >= 0) || "must be an index, counted from 0")
    )
  )
})

const Story = Schema.Struct({
  id: textField(limits.key),
  /** The kind of decision that the story tests. Scores are grouped by kind. */
  kind: textField(limits.key),
  memories: nonEmptyList(StoryMemory, 6),
  statement: StoryMemory,
  /** All answers that a careful person could give, the best one first. */
  accept: nonEmptyList(Accepted, 6)
})

/** Stored memories, a new statement, and the accepted decisions on it. */
export type Story = typeof Story.Type

const File = Schema.Struct({ name: textField(limits.key), stories: nonEmptyList(Schema.Unknown, 100_000) })

/** An invalid file of stories. Each problem is one line with story and field, never with the texts. */
export class InvalidStories extends Schema.TaggedError<InvalidStories>()("InvalidStories", {
  problems: Schema.Array(Schema.String)
}) {
  override get message() {
    return this.problems.join("\n")
  }
}

const strict = { errors: "all", onExcessProperty: "error" } as const
const decodeFile = Schema.decodeUnknownEither(File, strict)
const decodeStory = Schema.decodeUnknownEither(Story, strict)

/** Decodes and validates a file of stories: `{ name, stories: [{ id, kind, memories, statement, accept }] }`. */
export const decodeStories = (
  document: unknown
): Either.Either<{ readonly name: string; readonly stories: ReadonlyArray<Story> }, InvalidStories> => {
  const file = decodeFile(document)
  if (Either.isLeft(file)) return Either.left(new InvalidStories({ problems: problemsOf("file", file.left) }))
  const seen = new Set<string>()
  const stories: Array<Story> = []
  const problems = file.right.stories.flatMap((value, place) => {
    const story = decodeStory(value)
    const name = nameOf(value, place)
    if (Either.isLeft(story)) return problemsOf(name, story.left)
    const { accept, id, memories } = story.right
    const twice = seen.has(id) ? [`${name}: id: an earlier story has the same id`] : []
    seen.add(id)
    stories.push(story.right)
    return [
      ...twice,
      ...accept.flatMap(({ action, target }, at) => {
        const problem = problemOfTarget(action, target, memories.length)
        return problem === undefined ? [] : [`${name}: accept.${at}.target: ${problem}`]
      })
    ]
  })
  return problems.length > 0
    ? Either.left(new InvalidStories({ problems }))
    : Either.right({ name: file.right.name, stories })
}

const problemOfTarget = (action: Action, target: number | undefined, memories: number): string | undefined => {
  if (action === "ADD") return target === undefined ? undefined : "must be absent for ADD"
  if (target === undefined) return "is missing"
  return target < memories ? undefined : `is not among the ${memories} memories`
}

/** The story's id, or its position in the file if it has none. */
const nameOf = (story: unknown, place: number): string => {
  const id = (story as { readonly id?: unknown } | null)?.id
  return typeof id === "string" && id !== "" ? `story "${id}"` : `story ${place + 1}`
}

const problemsOf = (name: string, error: ParseResult.ParseError): ReadonlyArray<string> =>
  ParseResult.ArrayFormatter.formatErrorSync(error).map((issue) =>
    [name, ...(issue.path.length > 0 ? [issue.path.join(".")] : []), problemOf(issue)].join(": ")
  )

/** Replaces Effect's own messages, because they may quote the value. */
const problemOf = ({ _tag, message }: ParseResult.ArrayFormatterIssue): string => {
  if (_tag === "Unexpected") return "is not a known field"
  if (_tag === "Missing") return "is missing"
  return /^(is|must|has|holds) [^"]*$/.test(message) ? message : "is not valid"
}
