import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import * as HashEmbedder from "../layers/HashEmbedder.js"
import * as WordEmbedder from "../layers/WordEmbedder.js"
import { Daybook } from "../src/Daybook.js"
import { defaults } from "../src/Policy.js"
import { memoryOf, openDaybook, remove, temporary } from "./harness.js"

/** A turn of the data, and a question with the turns that answer it. */
interface Said {
  readonly id: string
  readonly session: string
  readonly speaker: string
  readonly text: string
  readonly at: number
}
interface Question {
  readonly text: string
  readonly evidence: ReadonlySet<string>
  readonly category: string
}
export interface Conversation {
  readonly name: string
  readonly turns: ReadonlyArray<Said>
  readonly questions: ReadonlyArray<Question>
}

/** How often the right turns are among the first of an answer, averaged over questions. */
export interface Scores {
  readonly questions: number
  readonly recall5: number
  readonly recall10: number
  readonly recall20: number
  readonly ndcg10: number
  readonly mrr: number
}

/** LoCoMo's format: a list of conversations, each with numbered sessions of turns and questions that name turns. */
export const parseLocomo = (document: unknown): ReadonlyArray<Conversation> =>
  (document as ReadonlyArray<Record<string, any>>).map((sample, index) => {
    const turns = Object.entries(sample.conversation as Record<string, any>).flatMap(([session, list]) =>
      Array.isArray(list)
        ? list.map((turn: Record<string, string>) => ({
            id: turn.dia_id!,
            session,
            speaker: turn.speaker!,
            text: [turn.text, turn.blip_caption].filter((part) => part !== undefined && part !== "").join("\n"),
            at: instantOf(sample.conversation[`${session}_date_time`])
          }))
        : []
    )
    const known = new Set(turns.map(({ id }) => id))
    const questions = (sample.qa as ReadonlyArray<Record<string, any>>)
      // Adversarial questions have no answer in the conversation.
      .filter(({ category }) => category !== 5)
      .map((one) => ({
        text: String(one.question),
        evidence: new Set<string>(
          (one.evidence ?? [])
            .flatMap((id: string) => id.match(/D\d+:\d+/g) ?? [])
            .filter((id: string) => known.has(id))
        ),
        category: String(one.category)
      }))
      .filter(({ evidence }) => evidence.size > 0)
    return { name: String(sample.sample_id ?? index), turns, questions }
  })

/** "1:56 pm on 8 May, 2023", in UTC. */
const instantOf = (text: string): number => {
  const [, hour, minute, half, day, month, year] = /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(text) ?? []
  const at = Date.parse(`${day} ${month} ${year} ${hour}:${minute} ${half} UTC`)
  if (Number.isNaN(at)) throw new Error(`no date: ${text}`)
  return at
}

/** Adds a conversation through the public API and asks its questions; the ranks at which evidence was found. */
const measure = async (
  { questions, turns }: Conversation,
  policy: Partial<typeof defaults.search>,
  embedder = WordEmbedder.layer
): Promise<ReadonlyArray<{ readonly category: string; readonly scores: ReadonlyArray<number> }>> => {
  const folder = temporary()
  const daybook = openDaybook(folder, { policy: { ...defaults, search: { ...defaults.search, ...policy } }, embedder })
  const agent = "agent"
  const named = new Map<string, string>()
  const results = await daybook.run(
    Effect.gen(function* () {
      const memory = yield* memoryOf(agent)
      for (const { at, id, session, speaker, text } of turns) {
        named.set((yield* memory.addTurn({ session, speaker, text, at, role: roleOf(turns, speaker) })).id, id)
      }
      const { backfill } = yield* Daybook
      yield* backfill(agent)
      return yield* Effect.forEach(questions, ({ category, evidence, text }) =>
        Effect.map(memory.searchConversation({ text, limit: 20 }), (hits) => ({
          category,
          scores: scoresOf(
            hits.map(({ id }) => named.get(id)!),
            evidence
          )
        }))
      )
    })
  )
  await daybook.close()
  remove(folder)
  return results
}

/** The one who speaks first is the user. */
const roleOf = ([first]: ReadonlyArray<Said>, speaker: string) =>
  first!.speaker === speaker ? ("user" as const) : ("assistant" as const)

const scoresOf = (found: ReadonlyArray<string>, wanted: ReadonlySet<string>): ReadonlyArray<number> => {
  const recall = (k: number) => found.slice(0, k).filter((id) => wanted.has(id)).length / wanted.size
  const gain = (rank: number) => 1 / Math.log2(rank + 2)
  const ideal = Array.from({ length: Math.min(10, wanted.size) }, (_, rank) => gain(rank)).reduce((a, b) => a + b, 0)
  const dcg = found.slice(0, 10).reduce((sum, id, rank) => sum + (wanted.has(id) ? gain(rank) : 0), 0)
  const first = found.findIndex((id) => wanted.has(id))
  return [recall(5), recall(10), recall(20), dcg / ideal, first < 0 ? 0 : 1 / (first + 1)]
}

const summary = (results: ReadonlyArray<{ readonly scores: ReadonlyArray<number> }>): Scores => {
  const mean = (at: number) => results.reduce((sum, { scores }) => sum + scores[at]!, 0) / results.length
  return {
    questions: results.length,
    recall5: mean(0),
    recall10: mean(1),
    recall20: mean(2),
    ndcg10: mean(3),
    mrr: mean(4)
  }
}

const hashed = "with feature hashing"

/** What is left out, a step at a time, so that the worth of each is seen. */
const variants: Readonly<Record<string, Partial<typeof defaults.search>>> = {
  "all of it": {},
  "without vectors": { vectorWeight: 0 },
  [hashed]: {},
  "without who said it": { speakerBoost: 0 },
  "without the date": { dateBoost: 0 },
  "without context": { contextWeight: 0 },
  "reciprocal ranks": { fusion: "rrf" }
}

const line = (name: string, { mrr, ndcg10, questions, recall10, recall20, recall5 }: Scores): string =>
  [
    name.padEnd(24),
    String(questions).padStart(6),
    ...[recall5, recall10, recall20, ndcg10, mrr].map((score) => score.toFixed(3).padStart(8))
  ].join(" ")

const main = async () => {
  const { values } = parseArgs({
    options: { data: { type: "string" }, json: { type: "boolean" }, only: { type: "string" } }
  })
  if (values.data === undefined) {
    console.log(
      "bench:quality: no data. Give --data FILE in LoCoMo's format (github.com/snap-research/locomo, data/locomo10.json)."
    )
    return
  }
  const conversations = parseLocomo(JSON.parse(readFileSync(values.data, "utf8")))
  const all: Record<string, Scores> = {}
  const say = values.json === true ? () => {} : console.log
  say(
    `${"".padEnd(24)} ${["asked", "R@5", "R@10", "R@20", "NDCG@10", "MRR"].map((name, at) => name.padStart(at === 0 ? 6 : 8)).join(" ")}`
  )
  for (const [name, policy] of Object.entries(variants)) {
    if (values.only !== undefined && values.only !== name) continue
    const results = []
    const embedder = name === hashed ? HashEmbedder.layer : WordEmbedder.layer
    for (const conversation of conversations) results.push(...(await measure(conversation, policy, embedder)))
    all[name] = summary(results)
    say(line(name, all[name]))
    if (name !== "all of it") continue
    for (const category of [...new Set(results.map((result) => result.category))].sort()) {
      all[`category ${category}`] = summary(results.filter((result) => result.category === category))
      say(line(`  category ${category}`, all[`category ${category}`]!))
    }
  }
  if (values.json === true) console.log(JSON.stringify(all))
}

await main()
