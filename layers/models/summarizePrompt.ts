import { createHash } from "node:crypto"
import { allowedParts, type LineRole, type SummaryKind, type SummaryRequest } from "../../src/ports/Summarizer.js"
import { dataNotice, dataSection, isoTime, strictObject, text } from "./promptParts.js"

/** The version number of this prompt, for people. The digest identifies the prompt exactly. */
export const summaryPromptVersion = 1

/** Maximum length of the sources in UTF-16 units. No summary could cover more text. */
const maxLength = 60_000

const instructionByKind: Readonly<Record<SummaryKind, string>> = {
  cluster:
    "The sources are memories that say much the same over again. Fold them into one memory that says all of it once.",
  daily: "The sources are what a day brought on one subject. Write them down as one memory of lasting knowledge.",
  weekly: "The sources are memories of one project or topic. Merge them into one memory that says all of it once.",
  session:
    "The sources are turns of a conversation, the oldest first. Write down what it came to, for whoever has to go on with it."
}

const parts: Readonly<Record<LineRole, string>> = {
  title: "the memory in one line, exactly one",
  narrative: "what the facts do not say, in a few sentences, at most one; leave it out where nothing is left to say",
  fact: "one statement each; at least one wherever the sources have facts",
  request: "what was asked for, at most one",
  outcome: "what came of it, at most one; leave it out where nothing did",
  decision: "something that was decided, one line each",
  open: "something that is still to be done or answered, one line each"
}

/** The system prompt. It never contains texts of sources. */
export const summaryInstructions = (kind: SummaryKind): string => {
  const { repeatable, atMostOnce } = allowedParts(kind)
  const session = kind === "session"
  return `You keep the long-term memory of an assistant in order. You get one JSON document between the lines BEGIN DATA and END DATA, with "sources", numbered by "index". ${instructionByKind[kind]}

The answer is a list of lines. Each line has a "part", a "text", and in "sources" the indices of all sources that say it. The parts:
${[...atMostOnce, ...repeatable].map((part) => `- "${part}": ${parts[part]}`).join("\n")}

Every line is checked word by word against the sources that it names, and one wrong line spoils the whole answer:
- Say nothing that its sources do not say. Use their own words, names, numbers, units and dates, letter by letter and in their order; leave words out, but add none. Keep every "not", "no longer", "before", "after", "only", "was", "should", "maybe" and "?".
- Do not tell of one what is said of another. Where statements are about different things, they are different lines.
- ${
    session
      ? 'Most of what was said may be left out. Each of the "facts" of a source has to be in one line, in full.'
      : 'Leave no statement out: the title and each fact of each source has to be in one line, in full; the same statement again is said once. Of a "text" every number, date and name has to be somewhere.'
  }
- Write in the language of the sources. Stay within "budget" tokens: shorter is better.

${dataNotice}

Answer with one JSON object and nothing else, of this form:
{"lines": [{"part": ${[...atMostOnce, ...repeatable].map((part) => `"${part}"`).join(" | ")}, "text": string, "sources": [index, ...]}, ...]}`
}

/** The answer's JSON schema. */
export const summarySchema = (kind: SummaryKind): Readonly<Record<string, unknown>> => {
  const { repeatable, atMostOnce } = allowedParts(kind)
  const line = {
    part: { type: "string", enum: [...atMostOnce, ...repeatable] },
    text,
    sources: { type: "array", items: { type: "integer" } }
  }
  return strictObject({ lines: { type: "array", items: strictObject(line) } })
}

/** The user prompt for a request; undefined if the prompt would be too long. */
export const buildSummaryPrompt = ({ budget, kind, sources, subject }: SummaryRequest): string | undefined => {
  const document = {
    kind,
    ...(subject === "" ? {} : { subject: subject.toWellFormed() }),
    budget,
    sources: sources.map(({ at, facts, speaker, text, title, type }, index) => ({
      index,
      type,
      ...(speaker === undefined ? {} : { speaker: speaker.toWellFormed() }),
      ...(title === undefined ? {} : { title: title.toWellFormed() }),
      ...(facts.length === 0 ? {} : { facts: facts.map((fact) => fact.toWellFormed()) }),
      ...(text === undefined ? {} : { text: text.toWellFormed() }),
      at: isoTime(at)
    }))
  }
  const section = dataSection(document)
  return section.length > maxLength ? undefined : section
}

const kinds: ReadonlyArray<SummaryKind> = ["cluster", "daily", "weekly", "session"]
const example: SummaryRequest = {
  kind: "cluster",
  subject: "s",
  sources: [{ type: "t", speaker: "p", title: "t", text: "n", facts: ["f"], at: 0 }],
  budget: 1
}

/** Identifies the prompt of a summary: 16 hexadecimal digits of a SHA-256 over wordings, schemas and data format. */
export const summaryPromptDigest: string = createHash("sha256")
  .update(JSON.stringify([summaryPromptVersion, kinds.map(summaryInstructions), kinds.map(summarySchema), maxLength]))
  .update(buildSummaryPrompt(example)!)
  .digest("hex")
  .slice(0, 16)
