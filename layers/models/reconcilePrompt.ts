import { createHash } from "node:crypto"
import type { Question, Statement } from "../../src/ports/Reconciler.js"
import { modalities, statedClaimOf, validities } from "../languages/statedClaim.js"
import { dataNotice, dataSection, isoTime, nullable, strictObject, text, texts } from "./promptParts.js"

/** The version number of this prompt, for people. The digest identifies the prompt exactly. */
export const promptVersion = 3

/** Limits of the prompt: the number of memories and, per memory, the text lengths (UTF-16 units) and list sizes. */
const bounds = {
  memories: 20,
  title: 300,
  narrative: 1_200,
  facts: 12,
  fact: 240,
  tags: 8,
  tag: 64,
  people: 12,
  person: 100
}

/** The system prompt. It never contains texts of memories. */
export const instructions = `You maintain the long-term memory of an assistant. You get one JSON document between the lines BEGIN DATA and END DATA. It holds a new "statement" and the "memories" stored so far that are most like it, numbered by "index". Decide what is to become of the statement.

The actions:
- "NONE": one memory says all of the statement already: the same again, other words, or a part of it. "target" is that memory.
- "UPDATE": the statement is about the same subject and the same state of affairs as one memory, and adds detail that is compatible with it or says it more exactly. Nothing in the memory becomes false. "target" is that memory.
- "DELETE": the statement makes one memory no longer true: it contradicts it, tells a change of state, gives another value for something that has one value at a time (a version, a port, an address, an owner, a deadline, a favourite), reverses a preference or cancels a plan. "target" is that memory; the statement will replace it if "certain" is true. Otherwise both are kept, marked as contradicting each other.
- "ADD": everything else: another subject, person, place, environment, year or attribute, however much alike; another event; one more of what there may be many of (languages, allergies, likes); a question, a hypothesis or a quotation. "target" is null.

Rules:
- "certain" is true only if nobody who knows the subject could take the texts otherwise. An exception for a time, a plan, hearsay, a joke, another place, team or environment leaves a memory true: then it is false, or the action is ADD.
- "claim" says how a text is meant, as far as rules can read it: "question", "plan", "hedge", "quote", "irony"; "bounded" (for a time only), "former" (in the past only), "lasting" (from now on). A question, a plan, a hedge, a quote, a bounded or a former statement makes no memory untrue, and texts about different environments, people or places are about different things: the action is ADD, or "certain" is false.
- "modality" and "validity" are how you read the statement yourself.
- UPDATE and DELETE change or retire something true when they are wrong, which is the worst error. When in doubt, ADD.
- Compare names, numbers, dates, negations and environments letter by letter. What is only similar is another thing.
- "at" is when a text was said or when its event happened. A later text may supersede an earlier one, not the other way round.
- Judge by what the texts say, not by what you know of the world.
- For UPDATE, "merged" holds the memory as it is to read afterwards: all that it said and what the statement adds, in the language of the memory and without anything new; each part may be null to have it merged without you. For any other action "merged" is null.
- "reason" is one short sentence without quotations.

${dataNotice}

Answer with one JSON object and nothing else, of this form:
{"reason": string, "modality": ${modalities.map((name) => `"${name}"`).join(" | ")}, "validity": ${validities.map((name) => `"${name}"`).join(" | ")}, "action": "ADD" | "UPDATE" | "DELETE" | "NONE", "target": index or null, "certain": boolean, "merged": {"title": string or null, "narrative": string or null, "facts": [string, ...] or null, "tags": [string, ...] or null} or null}`

const merged = {
  title: nullable(text),
  narrative: nullable(text),
  facts: nullable(texts),
  tags: nullable(texts)
}
const answer = {
  reason: text,
  modality: { type: "string", enum: modalities },
  validity: { type: "string", enum: validities },
  action: { type: "string", enum: ["ADD", "UPDATE", "DELETE", "NONE"] },
  target: nullable({ type: "integer" }),
  certain: { type: "boolean" },
  merged: nullable(strictObject(merged))
}

/** The answer's JSON schema. */
export const answerSchema = strictObject(answer)

/** The user prompt for a question, and which texts in it are cut. */
export interface ReconcilePrompt {
  readonly text: string
  /** The number of memories in the prompt. */
  readonly memories: number
  /** True if the memory with this index, or the statement, is cut. */
  readonly isCut: (index: number) => boolean
}

export const buildPrompt = ({ candidates, statement }: Question): ReconcilePrompt => {
  const [first, ...memories] = [statement, ...candidates.slice(0, bounds.memories)].map(shorten) as [
    ShortenedStatement,
    ...Array<ShortenedStatement>
  ]
  const document = {
    statement: first.fields,
    memories: memories.map(({ fields }, index) => ({ index, ...fields }))
  }
  return {
    text: dataSection(document),
    memories: memories.length,
    isCut: (index) => first.isCut || (memories[index]?.isCut ?? true)
  }
}

interface ShortenedStatement {
  readonly fields: object
  readonly isCut: boolean
}

const shorten = (statement: Statement): ShortenedStatement => {
  const { at, facts, narrative, people, tags, title, type } = statement
  const claim = claimTexts(statement)
  let isCut = false
  const text = (value: string, length: number) => {
    if (value.length <= length) return value.toWellFormed()
    isCut = true
    return `${value
      .slice(0, length)
      .replace(/[\uD800-\uDBFF]$/, "")
      .toWellFormed()}…`
  }
  const list = (values: ReadonlyArray<string>, count: number, length: number) => {
    if (values.length > count) isCut = true
    return values.slice(0, count).map((value) => text(value, length))
  }
  const fields = {
    type: text(type, 64),
    title: text(title, bounds.title),
    ...(narrative ? { narrative: text(narrative, bounds.narrative) } : {}),
    ...(facts.length > 0 ? { facts: list(facts, bounds.facts, bounds.fact) } : {}),
    ...(tags.length > 0 ? { tags: list(tags, bounds.tags, bounds.tag) } : {}),
    ...(people.length > 0 ? { people: list(people, bounds.people, bounds.person) } : {}),
    ...(claim.length > 0 ? { claim } : {}),
    at: isoTime(at)
  }
  return { fields, isCut }
}

/** The claim of a statement for a model; empty for a plain fact. */
const claimTexts = (statement: Statement): ReadonlyArray<string> => {
  const { modality, validity } = statedClaimOf(statement) ?? plainFact
  return [modality, validity].filter((name) => name !== plainFact.modality && name !== plainFact.validity)
}

const plainFact = { modality: "fact", validity: "open" } as const

const example: Statement = { type: "t", title: "t", narrative: "n", facts: ["f"], tags: ["t"], people: ["p"], at: 0 }

/** Identifies the prompt of a decision: 16 hexadecimal digits of a SHA-256 over wording, schema and data format. */
export const promptDigest: string = createHash("sha256")
  .update(JSON.stringify([promptVersion, instructions, answerSchema, bounds]))
  .update(buildPrompt({ statement: example, candidates: [{ ...example, score: 1 }] }).text)
  .digest("hex")
  .slice(0, 16)
