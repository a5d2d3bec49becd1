import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { bundle } from "./bundle.js"
import {
  type CheckReport,
  type Dice,
  deliberate,
  diceOf,
  type Ending,
  endings,
  exitCode,
  type Line,
  type RoundsReport,
  readJournal,
  type WorkerOptions
} from "./runtimeProtocol.js"
import { writeBert } from "./tinyBert.js"

/** The result of a run of the soak. */
export interface Storm {
  readonly figures: Readonly<Record<string, number | string>>
  readonly aborts: ReadonlyArray<string>
  /** How many aborts said what on stderr. */
  readonly causes: Readonly<Record<string, number>>
  /** Exits that no child was asked for, unexpected errors, and children that did not end. */
  readonly problems: ReadonlyArray<string>
  readonly checks: ReadonlyArray<CheckReport>
  readonly rounds: RoundsReport | undefined
}

/** How a child ended. */
interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  readonly isHung: boolean
}

/** Children on one folder, one journal for all of them. */
interface Place {
  readonly folder: string
  readonly journal: string
}

const agents = Array.from({ length: 12 }, (_, index) => `agent-${index}`)
const folders = 3

/** Milliseconds after its end is due in which a child must be gone. */
const patience = 60_000

const fatalSignals = ["SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGTRAP", "SIGFPE"]
const fatalCodes = [132, 133, 134, 135, 136, 139]
const fatalText = /(Assertion failed|FATAL ERROR|terminate called|double free|corrupted|Native stack trace).*/

const isAbort = ({ code, signal, stderr }: Ended) =>
  fatalSignals.includes(signal ?? "") || fatalCodes.includes(code ?? 0) || fatalText.test(stderr)

/** Whether a child ended as it was asked to. SIGTERM may come before the handler of `close` is there. */
const isAsked = (ending: Ending, { code, signal }: Ended): boolean => {
  switch (ending) {
    case "exit":
      return code === exitCode.exit
    case "end":
      return code === 0
    case "throw":
      return code === 1
    case "term":
      return signal === "SIGTERM"
    case "close":
      return code === exitCode.close || signal === "SIGTERM"
    case "kill":
      return signal === "SIGKILL"
  }
}

/** Flags under which V8 collects garbage at other moments. */
const flags = (dice: Dice) => ["--expose-gc", ...(dice.chance(0.5) ? ["--max-semi-space-size=1"] : [])]

/** Flags with which a child writes a report about itself at SIGUSR2. */
const reporting = (file: string) => [
  "--report-on-signal",
  "--report-compact",
  `--report-directory=${dirname(file)}`,
  `--report-filename=${basename(file)}`
]

/** Milliseconds that a child gets for its report. */
const reportMillis = 3_000

/** Summarises a child's report: its JavaScript stack and its active handles. */
const summaryOf = (report: string): string => {
  if (!existsSync(report)) return "no report"
  const text = readFileSync(report, "utf8")
  try {
    const { javascriptStack, libuv } = JSON.parse(text) as {
      readonly javascriptStack: { readonly stack?: ReadonlyArray<string> }
      readonly libuv: ReadonlyArray<{ readonly type: string; readonly is_active: boolean }>
    }
    const handles = libuv.filter((handle) => handle.is_active).map((handle) => JSON.stringify(handle))
    return [...(javascriptStack.stack ?? []), ...handles].join("\n")
  } catch {
    // The child was killed while it wrote.
    return text.slice(0, 1_000)
  }
}

export interface StormOptions {
  readonly minutes: number
  readonly seed?: number | undefined
  /** Whether agents also use a local embedder, in its worker thread. */
  readonly localEmbedder: boolean
}

/**
 * Runs children on a few folders, two at a time, for so many minutes; then one
 * for each folder that checks its contents, and one that looks for leaks.
 */
export const storm = async ({ localEmbedder, minutes, seed = randomInt(2 ** 31) }: StormOptions): Promise<Storm> => {
  const scratch = mkdtempSync(join(tmpdir(), "daybook-runtime-"))
  const program = await bundle("runtimeWorker", { assets: true })
  const pooling = { word_embedding_dimension: 32, pooling_mode_mean_tokens: true }
  const encoder = localEmbedder ? writeBert(join(scratch, "bert"), { "1_Pooling/config.json": pooling }) : null
  const dice = diceOf(seed)
  console.log(`runtime soak: Node ${process.version}, seed ${seed}`)

  const placeOf = (name: string): Place => {
    const folder = join(scratch, name)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return { folder, journal: join(scratch, `${name}.journal`) }
  }
  const places = Array.from({ length: folders }, (_, index) => placeOf(`folder-${index}`))
  const counts: Record<string, number> = {}
  const add = (name: string, more = 1) => {
    counts[name] = (counts[name] ?? 0) + more
  }
  const aborts: Array<string> = []
  const causes: Record<string, number> = {}
  const problems: Array<string> = []
  let runs = 0

  const run = async (place: Place, options: Pick<WorkerOptions, "role" | "ending" | "millis">) => {
    const name = `${runs++}`
    const journal = options.role === "check" ? place.journal : join(scratch, `${name}.journal`)
    const given: WorkerOptions = { ...options, ...place, journal, encoder, agents, name, seed: dice.below(2 ** 31) }
    const reportFile = join(scratch, `${name}.report`)
    const ended = await live([...flags(dice), ...reporting(reportFile), program.file, JSON.stringify(given)], given)
    const lines = options.role === "check" ? [] : readJournal(journal)
    if (existsSync(journal) && options.role !== "check") {
      appendFileSync(place.journal, `${readFileSync(journal, "utf8")}\n`)
      rmSync(journal)
    }
    for (const [kind, count] of Object.entries(tally(lines))) add(kind, count)
    const steps = lines.flatMap((line) => ("step" in line ? [line.step] : [])).slice(-5)
    const { code, signal, stderr } = ended
    const described = `${options.role} ${options.ending}, seed ${given.seed}, after ${options.millis} ms: ${signal ?? code}; last steps ${steps.join(", ")}; ${stderr.slice(0, 1_500)}`
    if (isAbort(ended)) {
      aborts.push(described)
      const cause = fatalText.exec(stderr)?.[0] ?? `${signal ?? code}`
      causes[cause] = (causes[cause] ?? 0) + 1
    } else if (ended.isHung) problems.push(`hung: ${described}\n${summaryOf(reportFile)}`)
    else if (!isAsked(options.ending, ended)) problems.push(`exit: ${described}`)
    else if (options.ending === "throw" ? !stderr.includes(deliberate) : stderr !== "") problems.push(described)
    else add(options.ending)
    return ended
  }

  const answered = async <Answer>(place: Place, options: Parameters<typeof run>[1]): Promise<Answer | undefined> => {
    const { stdout } = await run(place, options)
    // The engine's warnings go to the same output, before the answer.
    const lines = stdout.trimEnd().split("\n")
    const answer = lines.pop() ?? ""
    for (const line of lines) console.log(line)
    return answer === "" ? undefined : (JSON.parse(answer) as Answer)
  }

  try {
    const end = Date.now() + minutes * 60_000
    const lane = async () => {
      while (Date.now() < end) {
        const millis = dice.below(dice.chance(0.2) ? 600 : 6_000)
        await run(dice.pick(places), { role: "random", ending: dice.pick(endings), millis })
      }
    }
    await Promise.all([lane(), lane()])
    const checks: Array<CheckReport> = []
    for (const place of places) {
      const found = await answered<CheckReport>(place, { role: "check", ending: "end", millis: 0 })
      checks.push(found ?? { problems: ["the check gave no answer"], missing: [] })
    }
    const rounds = await answered<RoundsReport>(placeOf("rounds"), {
      role: "rounds",
      ending: "end",
      millis: Math.max(20_000, minutes * 6_000)
    })
    return {
      figures: { node: process.version, seed, runs, ...counts, aborts: aborts.length },
      aborts,
      causes,
      problems,
      checks,
      rounds
    }
  } finally {
    program.remove()
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Starts a child, sends the signal that its ending needs, and waits until it is gone. */
const live = (args: ReadonlyArray<string>, { ending, folder, millis, role }: WorkerOptions): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: join(folder, ".."), stdio: ["ignore", "pipe", "pipe"] })
    const output = { stdout: "", stderr: "" }
    let isHung = false
    let killing: NodeJS.Timeout | undefined
    if (role === "check") child.stdout.on("data", (chunk) => (output.stdout += chunk))
    else child.stdout.on("data", (chunk) => (output.stdout = role === "rounds" ? `${output.stdout}${chunk}` : ""))
    child.stderr.on("data", (chunk) => (output.stderr += chunk))
    const signal = ending === "kill" ? "SIGKILL" : "SIGTERM"
    const sending =
      ending === "kill" || ending === "term" || ending === "close"
        ? setTimeout(() => child.kill(signal), millis)
        : undefined
    const giveUp = setTimeout(() => {
      isHung = true
      child.kill("SIGUSR2")
      killing = setTimeout(() => child.kill("SIGKILL"), reportMillis)
    }, millis + patience)
    child.once("close", (code, signal) => {
      clearTimeout(sending)
      clearTimeout(giveUp)
      clearTimeout(killing)
      resolve({ code, signal, ...output, isHung })
    })
  })

const tally = (lines: ReadonlyArray<Line>): Record<string, number> => {
  const sum = { writes: 0, searches: 0, rebuilds: 0, gcs: 0, busy: 0 }
  for (const line of lines) {
    if ("written" in line) sum.writes += line.written.length
    else if ("refused" in line) sum.busy += line.refused === "busy" ? 1 : 0
    else if ("step" in line) {
      if (line.step === "search" || line.step === "past") sum.searches++
      if (line.step === "rebuild") sum.rebuilds++
      if (line.step === "gc") sum.gcs++
    }
  }
  return sum
}
