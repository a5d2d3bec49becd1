import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { limits } from "../../src/model/limits.js"
import {
  type ExtractedEnd,
  ExtractedFact,
  type Extraction,
  ExtractorError,
  type ExtractRequest,
  type ExtractTurn
} from "../../src/ports/Extractor.js"
import { containsCredential, credentialMask } from "../../text/personal/maskCredentials.js"
import { toInstant } from "../../text/when/dates.js"
import { factTypes } from "./extractPrompt.js"
import {
  type FactSources,
  isSupported,
  prepareFactSources,
  repeatsText,
  supportsPhrase,
  supportsTime
} from "./factSupport.js"

const text = Schema.String
const title = Schema.Trim.pipe(Schema.nonEmptyString())
const texts = Schema.Array(text)
const sources = ExtractedFact.fields.sources

const Answer = Schema.Struct({
  facts: Schema.Array(
    Schema.Struct({
      title,
      type: Schema.Literal(...factTypes),
      narrative: Schema.optional(text),
      facts: Schema.optional(texts),
      project: Schema.optional(text),
      topic: Schema.optional(text),
      importance: Schema.optional(Schema.Number.pipe(Schema.between(0, 1))),
      occurred: Schema.optional(text),
      expires: Schema.optional(text),
      people: texts,
      tags: texts,
      sources,
      statedBy: ExtractedFact.fields.statedBy
    })
  ),
  archive: Schema.optional(Schema.Array(Schema.Struct({ title, reason: text, sources }))),
  summary: Schema.optional(text)
})
type Answer = typeof Answer.Type
type AnswerFact = Answer["facts"][number]
type Sources = AnswerFact["sources"]

/** Maximum facts, and maximum ends, of an answer: `perTurn` for each turn, but at least `few` and at most `most`. */
const maxFacts = { perTurn: 6, few: 12, most: 100 }
/** Maximum characters of a reason, because the log stores it forever. Longer reasons are cut. */
const maxReason = 300
const tenYears = 3_653 * 86_400_000

/**
 * Decodes a model's answer strictly. `request` is the request as the model saw it. Fails if the answer names a turn
 * that does not exist (`source`), is too long (`size`), contains a credential, or states what its turns do not state
 * (`invented`). Silently omits facts that repeat `recalled` or name no new turn, and labels and times that do not occur
 * in the turns.
 */
export const decodeExtraction = (
  name: string,
  answer: unknown,
  request: ExtractRequest
): Either.Either<Pick<Extraction, "facts" | "archive" | "summary">, ExtractorError> => {
  const failed = (reason: ExtractorError["reason"], detail?: string) =>
    Either.left(new ExtractorError({ name, reason, ...(detail === undefined ? {} : { detail }) }))
  const decoded = Schema.decodeUnknownEither(Answer)(answer, { onExcessProperty: "error" })
  if (Either.isLeft(decoded)) return failed("unreadable")
  const { archive = [], facts, summary } = decoded.right
  const maximum = Math.min(maxFacts.most, Math.max(maxFacts.few, maxFacts.perTurn * request.turns.length))
  if (facts.length > maximum || archive.length > maximum || facts.some(isTooLong)) return failed("size")
  if (archive.some(({ title }) => title.length > limits.title)) return failed("size")
  const unknown = [...facts, ...archive].some(({ sources }) =>
    sources.some(({ turn }) => turnAt(turn, request) === undefined)
  )
  if (unknown) return failed("source")
  if (containsCredential(textsOf(decoded.right))) return failed("credential")

  const kept = facts.filter((fact) => isNew(fact, request)).map((fact) => ({ fact, support: read(fact, request) }))
  const ends = archive.filter(({ sources }) => namesNewTurn(sources))
  const invented =
    kept.filter(({ fact, support }) => !isStated(fact, support, request)).length +
    ends.filter(({ sources, title }) => !supportsPhrase(title, allOf(sources, request))).length
  if (invented > 0) return failed("invented", `in ${invented} of ${kept.length + ends.length} facts`)

  const line = summary?.trim().slice(0, limits.title).toWellFormed() ?? ""
  return Either.right({
    facts: kept.map(({ fact, support }) => extracted(fact, support)),
    ...(ends.length === 0
      ? {}
      : {
          archive: ends.map(
            ({ reason, sources, title }): ExtractedEnd => ({
              title,
              reason: short(reason),
              sources: shortened(sources)
            })
          )
        }),
    ...(line !== "" && isSupported(line, prepareFactSources(request.turns, new Set(request.turns)))
      ? { summary: line }
      : {})
  })
}

const turnAt = (index: number, { context, turns }: ExtractRequest): ExtractTurn | undefined =>
  index < 0 ? context[context.length + index] : turns[index]

const namesNewTurn = (sources: Sources): boolean => sources.some(({ turn }) => turn >= 0)

/** True if a fact names a new turn, contains no masked text, and repeats no memory that was shown in this session. */
const isNew = ({ sources, title }: AnswerFact, { recalled }: ExtractRequest): boolean =>
  namesNewTurn(sources) && !title.includes(credentialMask) && !recalled.some((memory) => repeatsText(title, memory))

const isTooLong = ({
  facts = [],
  narrative = "",
  people,
  project = "",
  tags,
  title,
  topic = ""
}: AnswerFact): boolean =>
  title.length > limits.title ||
  narrative.length > limits.narrative ||
  facts.length > limits.facts ||
  facts.some((fact) => fact.length > limits.fact) ||
  people.length > limits.people ||
  people.some((person) => person.length > limits.person) ||
  tags.length > limits.tags ||
  tags.some((tag) => tag.length > limits.tag) ||
  project.length > limits.key ||
  topic.length > limits.key

const textsOf = ({ archive = [], facts, summary = "" }: Answer): ReadonlyArray<string> => [
  summary,
  ...facts.flatMap(({ facts = [], narrative = "", people, project = "", sources, tags, title, topic = "" }) => [
    title,
    narrative,
    project,
    topic,
    ...facts,
    ...people,
    ...tags,
    ...sources.map(({ reason }) => reason)
  ]),
  ...archive.flatMap(({ reason, sources, title }) => [title, reason, ...sources.map(({ reason }) => reason)])
]

/** The turns that can support a fact. If the user stated the fact, the assistant's turns count only if accepted. */
const read = ({ sources, statedBy }: AnswerFact, request: ExtractRequest): FactSources => {
  const named = [...new Set(sources.map(({ turn }) => turn))].sort((a, b) => a - b)
  const isAccepted = (index: number) =>
    turnAt(index, request)!.role === "assistant" &&
    named.some(
      (later) => later > index && turnAt(later, request)!.role === "user" && accepts.test(turnAt(later, request)!.text)
    )
  const accepted = new Set(named.filter(isAccepted).map((index) => turnAt(index, request)!))
  const turns = named.map((index) => turnAt(index, request)!)
  return prepareFactSources(
    statedBy === "user" ? turns.filter((turn) => turn.role === "user" || accepted.has(turn)) : turns,
    accepted
  )
}

const allOf = (sources: Sources, request: ExtractRequest): FactSources =>
  prepareFactSources(
    sources.map(({ turn }) => turnAt(turn, request)!),
    new Set()
  )

/** Matches a text that begins like an agreement: "yes, exactly", "let's do that". */
const accepts =
  /^\W*(?:y(?:es|ep|eah|up)|sure|ok(?:ay)?|exactly|right|correct|agreed|absolutely|definitely|perfect|great|good|fine|nice|please|do (?:it|that|so)|go (?:ahead|for|with)|let'?s|sounds|that (?:works|one)|works|deal|done|thanks|ja|genau|gern|klar|passt|oui|d'accord|sí|si|vale|claro|好|行|可以|对|對|是|没错|沒錯)/iu

/** True if the turns state the fact, and `statedBy` is the role of one of them. */
const isStated = (fact: AnswerFact, support: FactSources, request: ExtractRequest): boolean => {
  const roles = fact.sources.map(({ turn }) => turnAt(turn, request)!)
  const speaks =
    fact.statedBy === "other" ||
    roles.some(
      ({ role, toolCalls = [] }) => role === fact.statedBy || (fact.statedBy === "tool" && toolCalls.length > 0)
    )
  const statements = [fact.title, ...(fact.narrative ? [fact.narrative] : []), ...(fact.facts ?? [])]
  return (
    speaks &&
    statements.every((statement) => isSupported(statement, support)) &&
    fact.people.every((person) => supportsPhrase(person, support))
  )
}

const extracted = (fact: AnswerFact, support: FactSources): ExtractedFact => {
  const {
    expires,
    facts,
    importance,
    narrative,
    occurred,
    people,
    project,
    sources,
    statedBy,
    tags,
    title,
    topic,
    type
  } = fact
  const occurredAt = toInstant(occurred)
  const expiresAt = toInstant(expires)
  return {
    title: title.toWellFormed(),
    type,
    ...(narrative ? { narrative: narrative.toWellFormed() } : {}),
    ...(facts && facts.length > 0 ? { facts: facts.map((each) => each.toWellFormed()) } : {}),
    ...(project && supportsPhrase(project, support) ? { project } : {}),
    ...(topic && supportsPhrase(topic, support) ? { topic } : {}),
    ...(importance === undefined ? {} : { importance }),
    ...(expiresAt !== undefined && expiresAt > support.at && expiresAt < support.at + tenYears ? { expiresAt } : {}),
    ...(occurredAt !== undefined && supportsTime(occurredAt, support) ? { occurredAt } : {}),
    people,
    tags: tags.filter((tag) => supportsPhrase(tag, support)),
    sources: shortened(sources),
    rule: "model",
    statedBy
  }
}

const shortened = ([first, ...rest]: Sources): Sources => [
  { turn: first.turn, reason: short(first.reason) },
  ...rest.map(({ reason, turn }) => ({ turn, reason: short(reason) }))
]

const short = (reason: string): string => reason.slice(0, maxReason).toWellFormed()
