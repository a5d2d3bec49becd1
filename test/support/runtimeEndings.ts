import { setTimeout as sleep } from "node:timers/promises"
import { type Dice, deliberate, exitCode, type WorkerOptions } from "./runtimeProtocol.js"
import type { rawWork } from "./runtimeRaw.js"
import type { threadWork } from "./runtimeThreads.js"

export interface Endable {
  readonly raw: ReturnType<typeof rawWork>
  readonly threads: ReturnType<typeof threadWork>
  /** Closes the engine and the threads; false leaves raw connections open. */
  readonly close: (dropRaw: boolean) => Promise<void>
}

/** Lets a child end as its parent asked. SIGKILL and SIGTERM without a handler need nothing. */
export const arrangeEnding = (options: WorkerOptions, dice: Dice, { close, raw, threads }: Endable) => {
  const { ending, millis } = options
  const later = (what: () => void) => setTimeout(what, millis)
  const leaveBy = (go: () => void) =>
    leave(dice, raw, () => {
      threads.awaitLoaded()
      go()
    })
  switch (ending) {
    case "exit":
      // Garbage collections and new connections also happen while the process exits.
      if (dice.chance(0.3)) process.once("exit", () => dice.pick([() => globalThis.gc!(), raw.hold])())
      return later(() => leaveBy(() => process.exit(exitCode.exit)))
    case "throw":
      return later(() =>
        leaveBy(() => {
          throw new Error(deliberate)
        })
      )
    case "end":
      return later(() => void close(dice.chance(0.5)))
    case "close":
      return process.once("SIGTERM", () => {
        process.exitCode = exitCode.close
        void close(dice.chance(0.5))
      })
  }
}

/** Leaves at once, in the middle of a query, or after a garbage collection that runs outside JavaScript. */
const leave = (dice: Dice, raw: Endable["raw"], go: () => void) => {
  raw.hold()
  const way = dice.below(4)
  if (way === 0) return go()
  if (way === 1) return raw.duringQuery(go)
  raw.drop()
  if (way === 2) return process.nextTick(go)
  void collectLater()
  // Not in the promise: there it would be a rejection, not an exception.
  return void setTimeout(go, dice.below(5))
}

/** Collects garbage in a task of its own: finalisers then run outside JavaScript. */
export const collectLater = (): Promise<unknown> => {
  const collect = globalThis.gc as unknown as (options: object) => Promise<unknown>
  return collect({ type: "major", execution: "async" })
}

/** Collects all that is unreachable; objects with finalisers may need several rounds. */
export const collectAll = async (isDone: () => boolean) => {
  for (let round = 0; round < 100 && !isDone(); round++) {
    globalThis.gc!()
    await sleep(5)
  }
}
