import { readFileSync, writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Default from "../layers/Default.js"
import { decode, type PolicyValues } from "../src/ports/Policy.js"
import { remove, temporaryFolder } from "./harness.js"
import * as SetClock from "./year/clock.js"
import { decodeYear, type Year } from "./year/format.js"
import { type MonthReport, replayYear } from "./year/live.js"
import { failuresOf, judgeYear, renderEnding, renderHead, renderMonth } from "./year/render.js"
import { toConversation } from "./year/spoken.js"
import { type Writer, writers, writeYear } from "./year/write.js"

const usage = `npm run bench:year -- --data FILE [--turns] [--policy FILE] [--wrong] [--json]
npm run bench:year -- --write FILE [--seed N] [--days N] [--writer NAME]

  --data    replay the year in this file; see bench/year/format.md
  --turns   replay each memory as a turn, so that only capture stores memories
  --policy  use this policy, in JSON (default: the rules reconciler)
  --wrong   list the failures of each month, and the last profile
  --folder  keep the data in this folder, instead of a temporary one
  --json    print one JSON document instead of the table
  --write   write a year to this file: 50 memories and 20 turns a day
  --seed    set the random seed of the written year (default: 1)
  --days    set the length of the written year (default: 365)
  --writer  use the sentences of mira, joren or selma (default: mira)

Exits with 1 if a target was missed.`

const fail = (message: string): never => {
  console.error(message)
  process.exit(2)
}

const documentOf = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch (error) {
    return fail(`${file}: ${error instanceof SyntaxError ? "is not valid JSON" : (error as Error).message}`)
  }
}

const yearOf = (file: string): Year =>
  Either.getOrElse(decodeYear(documentOf(file)), ({ problems }) =>
    fail(problems.map((problem) => `${file}: ${problem}`).join("\n"))
  )

const policyOf = (file: string | undefined): PolicyValues =>
  Either.getOrElse(
    decode(file === undefined ? { reconcile: { reconciler: "rules" } } : documentOf(file)),
    ({ problems }) => fail(problems.map((problem) => `${file}: ${problem}`).join("\n"))
  )

const wholeNumber = (name: string, value: string): number =>
  /^[0-9]{1,6}$/.test(value) ? Number(value) : fail(`--${name}: must be a whole number`)

const writerOf = (name: string): Writer =>
  Object.hasOwn(writers, name) ? (name as Writer) : fail(`--writer: must be one of ${Object.keys(writers).join(", ")}`)

const options = {
  data: { type: "string" },
  policy: { type: "string" },
  folder: { type: "string" },
  turns: { type: "boolean", default: false },
  wrong: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  write: { type: "string" },
  seed: { type: "string", default: "1" },
  days: { type: "string", default: "365" },
  writer: { type: "string", default: "mira" },
  help: { type: "boolean", default: false }
} as const

const parseOptions = () => {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    return fail((error as Error).message)
  }
}

const main = async () => {
  const values = parseOptions()
  if (values.help) return console.log(usage)
  if (values.write !== undefined) {
    const days = wholeNumber("days", values.days)
    if (days < 1) return fail("--days: must be 1 or more")
    const year = writeYear(wholeNumber("seed", values.seed), days, writerOf(values.writer))
    try {
      writeFileSync(values.write, `${JSON.stringify(year, null, 1)}\n`)
    } catch (error) {
      return fail(`${values.write}: ${(error as Error).message}`)
    }
    return console.log(
      `${values.write}: ${year.memories.length} memories, ${year.turns.length} turns, ${year.searches.length} searches, ${year.attributes.length} attributes`
    )
  }
  if (values.data === undefined) return fail(`Missing --data.\n\n${usage}`)
  const year = values.turns ? toConversation(yearOf(values.data)) : yearOf(values.data)
  const policy = policyOf(values.policy)
  const print = values.json ? () => {} : console.log
  print(`${year.name}\n\n${renderHead()}`)
  const months: Array<MonthReport> = []
  const report = (month: MonthReport) => {
    months.push(month)
    print(renderMonth(month))
    if (values.wrong) for (const problem of failuresOf(month)) print(`         ${problem}`)
  }
  const folder = values.folder ?? temporaryFolder()
  const clock = SetClock.make(year.from)
  const [start, used] = [performance.now(), process.cpuUsage()]
  const end = await replayYear(year, policy, clock, report).pipe(
    Effect.provide(Layer.orDie(Default.layer({ folder, policy }))),
    Effect.provide(clock.layer),
    Logger.withMinimumLogLevel(LogLevel.Warning),
    Effect.runPromise
  )
  const took = performance.now() - start
  const { system, user } = process.cpuUsage(used)
  const cpu = (system + user) / 1_000
  if (values.folder === undefined) remove(folder)
  const all = judgeYear(months, end, took, values.turns)
  if (values.json) console.log(JSON.stringify({ name: year.name, months, end, took, cpu, verdicts: all }, null, 2))
  else print(`\n${renderEnding(months, end, cpu, all)}`)
  if (values.wrong) print(`\n${months.at(-1)?.profile.text}`)
  if (!all.every(({ kept }) => kept)) process.exitCode = 1
}

await main()
