import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Default from "../layers/Default.js"
import type { Hit } from "../src/search/search.js"
import { observationOf, readWorld, type World, type WorldQuestion } from "./finding/format.js"
import { memoryOf, remove, temporaryFolder, waitForEmbeddings } from "./harness.js"
import * as SetClock from "./year/clock.js"

const usage = `npm run bench:finding -- --data FILE… [--wrong] [--json]

  --data   read a world of memories and questions (test/fixtures/finding/dev.json); may be repeated
  --wrong  list the questions whose first hit is wrong, and the questions without an answer that got one
  --json   print one JSON document instead of the table`

/** A question with its hits, best first. */
interface Answered {
  readonly question: WorldQuestion
  readonly hits: ReadonlyArray<Hit & { readonly memory: string }>
}

/** Stores the memories of a world at their creation times, and asks its questions at their asking times. */
const ask = async ({ memories, questions }: World): Promise<ReadonlyArray<Answered>> => {
  const folder = temporaryFolder()
  const clock = SetClock.make(Date.parse(memories[0]!.createdAt))
  const answered = await Effect.gen(function* () {
    const memory = yield* memoryOf("agent")
    const ids = new Map<string, string>()
    for (const stored of memories) {
      yield* clock.set(Date.parse(stored.createdAt))
      const { id } = yield* memory.remember(observationOf(stored), { reconcile: false })
      ids.set(id, stored.id)
    }
    yield* waitForEmbeddings(["agent"])
    return yield* Effect.forEach(questions, (question) =>
      Effect.zipRight(
        clock.set(Date.parse(question.at)),
        Effect.map(memory.search({ text: question.text }), (hits) => ({
          question,
          hits: hits.map((hit) => ({ ...hit, memory: ids.get(hit.id)! }))
        }))
      )
    )
  }).pipe(Effect.provide(Layer.orDie(Default.layer({ folder }))), Effect.provide(clock.layer), Effect.runPromise)
  remove(folder)
  return answered
}

/** `first`: the best answer is the first hit. `withinTen`: any answer is among the first ten hits. */
const placesOf = ({ hits, question: { answers, best } }: Answered) => {
  const places = hits.slice(0, 10).map(({ memory }) => memory)
  const first = places[0]
  return {
    first: first !== undefined && (best == null ? answers.includes(first) : first === best),
    withinTen: places.some((id) => answers.includes(id))
  }
}

/** True if the search marks any hit as near, that is, as a possible answer. */
const isAnswered = ({ hits }: Answered): boolean => hits.some(({ near }) => near)

/** Number of questions of one kind, and shares of these questions. A question is answered if any hit is near. */
interface Shares {
  readonly questions: number
  readonly first: number
  readonly withinTen: number
  readonly answered: number
}

const sharesOf = (answered: ReadonlyArray<Answered>): Shares => {
  const share = (passes: (one: Answered) => boolean) => answered.filter(passes).length / answered.length
  return {
    questions: answered.length,
    first: share((one) => placesOf(one).first),
    withinTen: share((one) => placesOf(one).withinTen),
    answered: share(isAnswered)
  }
}

const hasAnswer = ({ question: { answers } }: Answered): boolean => answers.length > 0

const tableOf = (answered: ReadonlyArray<Answered>): Readonly<Record<string, Shares>> => {
  const kinds = [...new Set(answered.map(({ question: { kind } }) => kind))].sort()
  const rows = [
    ...kinds.map((kind) => [kind, answered.filter(({ question }) => question.kind === kind)] as const),
    ["all with an answer", answered.filter(hasAnswer)] as const,
    ["all without an answer", answered.filter((one) => !hasAnswer(one))] as const
  ]
  return Object.fromEntries(
    rows.filter(([, list]) => list.length > 0).map(([name, list]) => [name, sharesOf(list)] as const)
  )
}

const printTable = (table: Readonly<Record<string, Shares>>) => {
  console.log(
    `${"".padEnd(24)}${["questions", "first", "in ten", "answered"].map((name) => name.padStart(10)).join("")}`
  )
  for (const [name, { answered, first, questions, withinTen }] of Object.entries(table)) {
    const shares = [first, withinTen, answered].map((share) => share.toFixed(3).padStart(10)).join("")
    console.log(`${name.padEnd(24)}${String(questions).padStart(10)}${shares}`)
  }
}

const printWrong = (answered: ReadonlyArray<Answered>) => {
  for (const one of answered) {
    const { answers, best, id, kind, text } = one.question
    if (hasAnswer(one) ? placesOf(one).first : !isAnswered(one)) continue
    const expected = hasAnswer(one) ? ` (${best ?? answers.join(", ")})` : ""
    console.log(`\n${id} ${kind}: ${text}${expected}`)
    for (const { evidence, memory, score, title } of one.hits.slice(0, 3)) {
      console.log(
        `  ${answers.includes(memory) ? "+" : " "} ${score.toFixed(3)} ${evidence.toFixed(3)} ${memory} ${title.slice(0, 90)}`
      )
    }
  }
}

const main = async () => {
  const { values } = parseArgs({
    options: {
      data: { type: "string", multiple: true, default: [] },
      wrong: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help || values.data.length === 0) {
    console.log(usage)
    process.exitCode = values.help ? 0 : 2
    return
  }
  const answered: Array<Answered> = []
  for (const file of values.data) answered.push(...(await ask(readWorld(file))))
  const table = tableOf(answered)
  if (values.json) return console.log(JSON.stringify(table, null, 2))
  printTable(table)
  if (values.wrong) printWrong(answered)
}

await main()
