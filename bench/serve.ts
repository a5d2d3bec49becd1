import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { loadavg } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as TokenFile from "../layers/access/TokenFile.js"
import * as Default from "../layers/Default.js"
import { Daybook } from "../src/Daybook.js"
import { makeMemories, makeQueries, randomGenerator } from "./data.js"
import { formatNumber, remove, temporaryFolder } from "./harness.js"
import { quantile } from "./measure.js"
import { type LoadResult, runClosedLoad, runOpenLoad, type Target, targetOf } from "./serve/load.js"
import { kindOf, makeMix } from "./serve/mix.js"

const usage = `npm run bench:serve -- [--quick]

  --quick   10 seconds instead of 60, and fewer memories

Measures the capacity of 'daybook serve' with a mix of calls (70 % search, 20 % get, 10 % write; one in ten is invalid).
Then sends half of the capacity, then three times the capacity. Exits with 1 if a target was missed.`

const agent = "agent"
/** One token may send 500 requests per second. This number of tokens allows three times the capacity. */
const tokenCount = 16
const connections = 128

const { quick, help } = parseArgs({
  options: { quick: { type: "boolean", default: false }, help: { type: "boolean", default: false } }
}).values
const size = quick
  ? { memories: 500, seconds: 10, short: 4, warm: 4 }
  : { memories: 1_000, seconds: 60, short: 10, warm: 30 }

/** Writes the data of the run with the library, and measures the library's own times for comparison with the server. */
const prepare = async (folder: string) => {
  const runtime = ManagedRuntime.make(Default.layer({ folder }))
  const run = <A, E>(effect: Effect.Effect<A, E, Daybook>) => runtime.runPromise(effect)
  const memories = makeMemories(size.memories)
  const memory = await run(Effect.flatMap(Daybook, (daybook) => daybook.agent(agent, { trust: "full" })))
  const written = await run(
    memory.rememberAll(memories.map(({ facts, narrative, title }) => ({ title, narrative, facts })))
  )
  const ids = written.flatMap((one) => (one._tag === "Right" ? [one.right.id] : []))
  await run(Effect.flatMap(Daybook, (daybook) => daybook.backfill(agent)))
  const queries = makeQueries(memories, 200)
  const random = randomGenerator(1)
  const times: Array<number> = []
  const until = performance.now() + size.short * 1_000
  for (let number = 0; performance.now() < until; number++) {
    const text = queries[number % queries.length]!
    const startedAt = performance.now()
    const kind = kindOf(random)
    if (kind === "search") await run(memory.search({ text, limit: 5 }))
    else if (kind === "get") await run(memory.get([ids[number % ids.length]!]))
    else await run(memory.remember({ title: `Written by the library as number ${number}`, type: "event" }))
    times.push(performance.now() - startedAt)
  }
  const tokens = TokenFile.open(folder)
  const texts: Array<string> = []
  for (let number = 0; number < tokenCount; number++)
    texts.push((await run(tokens.add({ agents: agent, trust: "full" }))).text)
  await runtime.dispose()
  return { ids, queries, times, tokens: texts }
}

/** Starts the server as a process. */
const start = async (folder: string) => {
  const command = join(dirname(fileURLToPath(import.meta.url)), "daybook.mjs")
  if (!existsSync(command)) throw new Error("dist/daybook.mjs is missing: run npm run build")
  const child = spawn(process.execPath, [command, "--data", folder, "serve", "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const [, found] = /listening on (\S+)/.exec(text) ?? []
      if (found !== undefined) resolve(found)
    })
    void ended.then(() => reject(new Error("the server ended")))
  })
  const stop = () => {
    child.kill("SIGTERM")
    return ended
  }
  return { pid: child.pid!, stop, url }
}

/** Resident memory of a process in MiB; NaN if the system does not report it. */
const memoryOf = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024
  } catch {
    return Number.NaN
  }
}

const problems: Array<string> = []
const expectThat = (isTrue: boolean, problem: string) => {
  if (!isTrue) problems.push(problem)
}

/** The load average of the last minute: on a busy machine every figure is worse. */
const showMachine = () => console.log(`load average of the machine: ${loadavg()[0]!.toFixed(1)}`)

const show = (name: string, { seconds, sent, statuses, times }: LoadResult) => {
  const answers = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`)
  console.log(
    `${name}: ${formatNumber(sent / seconds)} calls/s for ${seconds.toFixed(0)} s; p50 ${quantile(times, 0.5).toFixed(1)} ms, ` +
      `p99 ${quantile(times, 0.99).toFixed(1)} ms; ${answers.join(", ")}`
  )
}

const allowed = (status: number): boolean => status === 503 || (status >= 200 && status < 500)

/** Sends half of the capacity. No answer may be a server error, and the server's memory must stay within 10 %. */
const loadHalf = async (target: Target, pid: number, next: ReturnType<typeof makeMix>["next"], capacity: number) => {
  const memory: Array<number> = []
  // V8 lets a new heap grow until its first full garbage collections. After them, memory use stays the same.
  await runOpenLoad(target, next, { rate: capacity / 2, seconds: size.warm })
  const timer = setInterval(() => memory.push(memoryOf(pid)), 1_000)
  const half = await runOpenLoad(target, next, { rate: capacity / 2, seconds: size.seconds })
  clearInterval(timer)
  show("half of the capacity", half)
  for (const status of Object.keys(half.statuses).map(Number))
    expectThat(status > 0 && status < 500, `half of the capacity was answered with ${status}`)
  const third = Math.ceil(memory.length / 3)
  const [first, last] = [quantile(memory.slice(0, third), 0.5), quantile(memory.slice(-third), 0.5)]
  console.log(`memory: ${first.toFixed(0)} MiB in the first third, ${last.toFixed(0)} MiB in the last`)
  if (!quick)
    expectThat(Number.isNaN(last) || Math.abs(last / first - 1) <= 0.1, "the memory changed by more than 10 %")
}

/** Counts the acknowledged writes that are not in the log. */
const countMissing = async (folder: string, titles: ReadonlyArray<string>): Promise<number> => {
  const runtime = ManagedRuntime.make(Default.layer({ folder }))
  const stored = new Set<string>()
  await runtime.runPromise(
    Effect.gen(function* () {
      const memory = yield* (yield* Daybook).agent(agent, { trust: "full" })
      for (let offset = 0; ; offset += 1_000) {
        const rows = yield* memory.list({ limit: 1_000, offset })
        for (const { title } of rows) stored.add(title)
        if (rows.length < 1_000) return
      }
    })
  )
  await runtime.dispose()
  return titles.filter((title) => !stored.has(title)).length
}

const main = async () => {
  const folder = temporaryFolder()
  try {
    showMachine()
    const { ids, queries, times, tokens } = await prepare(folder)
    console.log(
      `the library: p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms, ${formatNumber(times.length / size.short)} calls/s`
    )
    const server = await start(folder)
    const target = targetOf(server.url, connections)
    const { acknowledged, next } = makeMix({ agent, ids, queries, tokens, seed: 7 })
    await runClosedLoad(target, next, { callers: 16, seconds: 2 })
    const full = await runClosedLoad(target, next, { callers: 16, seconds: size.short })
    show("capacity", full)
    const capacity = full.sent / full.seconds
    await loadHalf(target, server.pid, next, capacity)
    const triple = await runOpenLoad(target, next, { rate: capacity * 3, seconds: size.short })
    show("three times the capacity", triple)
    for (const status of Object.keys(triple.statuses).map(Number))
      expectThat(allowed(status), `three times the capacity was answered with ${status}`)
    target.agent.destroy()
    expectThat((await server.stop()) === 0, "the server did not end with code 0")
    const missing = await countMissing(folder, acknowledged)
    showMachine()
    console.log(`${formatNumber(acknowledged.length)} acknowledged writes, ${missing} missing`)
    expectThat(missing === 0, `${missing} acknowledged writes are missing`)
  } finally {
    remove(folder)
  }
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
}

if (help) console.log(usage)
else await main()
