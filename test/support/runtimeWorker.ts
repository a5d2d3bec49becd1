import { openSync, writeSync } from "node:fs"
import { join } from "node:path"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Default from "../../layers/Default.js"
import { Daybook } from "../../src/Daybook.js"
import { openFiles } from "./openFiles.js"
import { check } from "./runtimeCheck.js"
import { arrangeEnding, collectAll, collectLater } from "./runtimeEndings.js"
import { engineWork, policy } from "./runtimeEngine.js"
import { diceOf, type Line, type RoundsReport, type WorkerOptions } from "./runtimeProtocol.js"
import { rawWork } from "./runtimeRaw.js"
import { threadWork } from "./runtimeThreads.js"

// A process that opens, uses and drops SQLite objects at random, and ends as it is asked to: see runtimeStorm.ts.

/** Errors that are no defect of the runtime: two children share a folder, and one forgets what the other updates. */
const tolerated = ["MemoryNotFound", "VersionNotFound"]

const report = (problem: unknown) => {
  const { code } = problem as { readonly code?: string }
  console.error(`unexpected${code === undefined ? "" : ` ${code}`}:`, problem)
}

const start = (options: WorkerOptions) => {
  const dice = diceOf(options.seed)
  const journal = openSync(options.journal, "a")
  const note = (line: Line) => void writeSync(journal, `${JSON.stringify(line)}\n`)
  const raw = rawWork(options.folder, dice)
  const threads = threadWork(join(options.folder, "raw-threads.db"), dice, report)
  const engine = engineWork(options, dice, note)
  const noted = (step: string, work: () => void) =>
    Effect.sync(() => {
      note({ step })
      work()
    })

  const step = (daybook: Context.Tag.Service<Daybook>): Effect.Effect<void, unknown> => {
    const choice = dice.below(20)
    if (choice < 10) return engine(daybook)
    if (choice < 13) return noted("raw", raw.step)
    if (choice < 14) return noted("thread", threads.step)
    if (choice < 16) return noted("gc", () => globalThis.gc!())
    if (choice < 18)
      return Effect.zipRight(
        noted("gc", () => undefined),
        Effect.promise(collectLater)
      )
    // An idle event loop, so that garbage is also collected by tasks of V8 itself.
    return Effect.sleep(dice.below(20))
  }

  const refuse = (error: unknown) => {
    const { _tag: tag = "", kind } = error as { readonly _tag?: string; readonly kind?: string }
    if (tag === "StorageError" && kind === "busy") note({ refused: "busy" })
    else if (tolerated.includes(tag)) note({ refused: tag })
    else report(error)
  }

  /** Opens Daybook, uses it from several fibers with so many steps each at most, and closes it. */
  const session = (stepsMost: number) =>
    Effect.gen(function* () {
      note({ step: "open" })
      const context = yield* Layer.build(Default.layer({ folder: options.folder, policy }))
      const daybook = Context.get(context, Daybook)
      const lane = Effect.suspend(() => Effect.catchAll(step(daybook), (error) => Effect.sync(() => refuse(error))))
      const lanes = Array.from({ length: 1 + dice.below(3) }, () => Effect.repeatN(lane, dice.below(stepsMost)))
      yield* Effect.all(lanes, { concurrency: "unbounded", discard: true })
    }).pipe(
      Effect.scoped,
      Effect.catchAll((error) => Effect.sync(() => refuse(error)))
    )

  return { dice, note, raw, session, threads }
}

/** The database files of a folder that this process has open. */
const openDatabases = (folder: string): ReadonlyArray<string> =>
  openFiles(folder).filter((file) => /\.db(-wal|-shm)?( |$)/.test(file))

/** Random work until the ending. */
const random = (options: WorkerOptions) => {
  const { dice, note, raw, session, threads } = start(options)
  const fiber = Effect.runFork(Effect.forever(Effect.suspend(() => session(100))))
  fiber.addObserver((exit) => {
    if (exit._tag === "Failure" && !Cause.isInterruptedOnly(exit.cause)) report(Cause.pretty(exit.cause))
  })
  arrangeEnding(options, dice, {
    raw,
    threads,
    close: async (dropRaw) => {
      note({ step: "interrupt" })
      await Effect.runPromise(Fiber.interrupt(fiber))
      note({ step: "stop threads" })
      await threads.stop()
      note({ step: dropRaw ? "drop" : "hold" })
      if (!dropRaw) return raw.hold()
      raw.drop()
      await collectAll(() => openDatabases(options.folder).length === 0)
      const leaked = openDatabases(options.folder)
      if (leaked.length > 0) report(`files are still open: ${leaked.join(", ")}`)
    }
  })
}

/** Rounds of work; after each one all must be closed. Memory is compared after half of the time and at the end. */
const rounds = async (options: WorkerOptions) => {
  const { raw, session, threads } = start(options)
  const begun = Date.now()
  let warmRss = 0
  let count = 0
  const leaked: Array<string> = []
  const megabytes = () => Math.round(process.memoryUsage.rss() / 2 ** 20)
  for (; Date.now() - begun < options.millis; count++) {
    await Effect.runPromise(session(20))
    await threads.stop()
    raw.drop()
    await collectAll(() => openDatabases(options.folder).length === 0)
    leaked.push(...openDatabases(options.folder))
    if (warmRss === 0 && Date.now() - begun > options.millis / 2) warmRss = megabytes()
  }
  const result: RoundsReport = { rounds: count, warmRss, lastRss: megabytes(), leaked }
  writeSync(1, JSON.stringify(result))
}

const text = process.argv[2]
if (text !== undefined) {
  const options = JSON.parse(text) as WorkerOptions
  if (options.role === "random") random(options)
  else if (options.role === "rounds") void rounds(options)
  else void check(options).then((found) => writeSync(1, JSON.stringify(found)))
}
