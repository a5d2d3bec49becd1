import { createRequire } from "node:module"
import { Worker } from "node:worker_threads"
import { type Dice, deliberate } from "./runtimeProtocol.js"

interface ThreadData {
  readonly sqlite: string
  readonly file: string
  readonly ending: "terminate" | "exit" | "throw"
  /** Turns of its event loop before it exits or throws. */
  readonly turns: number
  readonly deliberate: string
  /** 1 once better-sqlite3 is loaded. */
  readonly loaded: Int32Array
}

/** Runs in the thread. It is passed as text, so it may use nothing from outside. */
const thread = (require: NodeJS.Require) => {
  const { workerData } = require("node:worker_threads") as typeof import("node:worker_threads")
  const { deliberate, ending, file, loaded, sqlite, turns } = workerData as ThreadData
  const Database = require(sqlite) as typeof import("better-sqlite3")
  new Database(":memory:").close()
  Atomics.store(loaded, 0, 1)
  Atomics.notify(loaded, 0)
  const held: Array<unknown> = []
  let turn = 0
  const work = () => {
    for (let count = 0; count < 5; count++) {
      const db = new Database(count % 2 === 0 ? ":memory:" : file, { timeout: 20 })
      try {
        if (count % 2 === 0) db.exec("CREATE TABLE numbers (number INTEGER); INSERT INTO numbers VALUES (1), (2), (3)")
        const statement = db.prepare(`SELECT * FROM ${count % 2 === 0 ? "numbers" : "sqlite_master"}`)
        const iterator = statement.iterate()
        iterator.next()
        if (held.length < 30 && Math.random() < 0.5) held.push(db, statement, iterator)
        else if (Math.random() < 0.3) {
          iterator.return?.()
          db.close()
        }
      } catch (cause) {
        if (!String((cause as { readonly code?: string }).code).startsWith("SQLITE_BUSY")) throw cause
      }
    }
    if (Math.random() < 0.3) held.splice(0, 15)
    if (Math.random() < 0.2) globalThis.gc?.()
    if (++turn > turns && ending === "exit") process.exit(0)
    if (turn > turns && ending === "throw") throw new Error(deliberate)
    setTimeout(work, 2)
  }
  work()
}

/** Milliseconds that a thread may take to load better-sqlite3. */
const loadingMost = 10_000

/**
 * Worker threads that use better-sqlite3 until they are terminated, exit or throw.
 *
 * None of them is terminated before it has loaded better-sqlite3: 13.2.0 aborts
 * the process then ("FATAL ERROR: Error::New napi_get_last_error_info"). Daybook
 * loads it in no thread but its caller's.
 */
export const threadWork = (file: string, dice: Dice, report: (problem: unknown) => void) => {
  const sqlite = createRequire(import.meta.url).resolve("better-sqlite3")
  const running = new Map<Worker, Int32Array>()
  /** Blocks this thread; the one that loads does not need it. */
  const awaitLoaded = () => {
    for (const loaded of running.values()) Atomics.wait(loaded, 0, 0, loadingMost)
  }

  const start = () => {
    const workerData: ThreadData = {
      sqlite,
      file,
      ending: dice.pick(["terminate", "terminate", "exit", "throw"]),
      turns: dice.below(20),
      deliberate,
      loaded: new Int32Array(new SharedArrayBuffer(4))
    }
    const worker = new Worker(`(${thread.toString()})(require)`, { eval: true, workerData })
    running.set(worker, workerData.loaded)
    worker.on("error", (error) => {
      if (error.message !== deliberate) report(error)
    })
    worker.on("exit", () => running.delete(worker))
    worker.unref()
    setTimeout(() => {
      awaitLoaded()
      void worker.terminate()
    }, dice.below(400)).unref()
  }

  return {
    step: () => {
      if (running.size < 3) start()
    },
    /** To be called before the process exits, which terminates all threads. */
    awaitLoaded,
    /** Terminates all and waits until they are gone. */
    stop: () => {
      awaitLoaded()
      return Promise.all([...running.keys()].map((worker) => worker.terminate()))
    }
  }
}
