import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Daybook } from "../../src/Daybook.js"
import type { Background } from "../background.js"

/** The state of a part of the process. */
export type PartHealth = "ok" | "slow" | "stopped"

/** The answer of `/health`. It contains no content of any memory. */
export interface Health {
  /**
   * `ok`: all parts work. `degraded`: requests are answered, but a part is slow or stopped. `down`: requests are
   * refused or may fail.
   */
  readonly status: "ok" | "degraded" | "down"
  /** True if the server accepts requests. */
  readonly ready: boolean
  readonly checks: Readonly<Record<"eventLoop" | "log" | "views" | "commands" | "background", PartHealth>>
}

export interface HealthOptions {
  readonly background: Context.Tag.Service<Background> | undefined
  /** Milliseconds between two probes. */
  readonly every?: number
}

/** Milliseconds after which a part counts as slow or stopped. */
const limits = { probe: 5_000, stall: 10_000, command: 30_000, eventLoop: 1_000, background: 180_000 } as const

/** Milliseconds for which a delay of the event loop is reported. */
const memoryOfLateness = 30_000

/**
 * Probes the engine every two seconds, and returns a function that reports the present health. A probe reads the log
 * and the views of awake agents, so it shows that they make progress, not only that the process runs. If a probe does
 * not return, the views count as stopped.
 */
export const makeHealth = Effect.fnUntraced(function* ({
  background,
  every = 2_000
}: HealthOptions): Effect.fn.Return<(isClosing: boolean) => Effect.Effect<Health>, never, Daybook | Scope.Scope> {
  const daybook = yield* Daybook
  const startedAt = yield* Clock.currentTimeMillis
  let probed: Probed = { at: startedAt, returned: true, log: "ok", views: "ok", commands: "ok" }
  let lateAt = Number.NEGATIVE_INFINITY

  const probe = Effect.gen(function* () {
    const result = yield* Effect.either(Effect.timeoutOption(daybook.health, limits.probe))
    const at = yield* Clock.currentTimeMillis
    if (result._tag === "Left") probed = { ...probed, at, log: "stopped" }
    else if (result.right._tag === "None") probed = { ...probed, at, returned: false }
    else {
      const { commandMillis, lagging, parked } = result.right.value
      probed = {
        at,
        returned: true,
        log: "ok",
        views: parked > 0 ? "stopped" : lagging > 0 ? "slow" : "ok",
        commands: commandMillis > limits.command ? "slow" : "ok"
      }
    }
  })
  const watch = Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis
    yield* Effect.sleep(every)
    const now = yield* Clock.currentTimeMillis
    if (now - before - every > limits.eventLoop) lateAt = now
    yield* probe
  })
  // A defect of the engine must not end the watch: the log counts as stopped until a probe succeeds.
  const stopped = Effect.sync(() => {
    probed = { ...probed, log: "stopped" }
  })
  yield* watch.pipe(
    Effect.catchAllCause(() => stopped),
    Effect.forever,
    Effect.interruptible,
    Effect.forkScoped
  )

  return Effect.fnUntraced(function* (isClosing) {
    const now = yield* Clock.currentTimeMillis
    const isProbing = probed.returned && now - probed.at <= every + limits.stall
    const loops = background === undefined ? [] : yield* background.loops
    const checks: Health["checks"] = {
      eventLoop: now - lateAt < memoryOfLateness ? "slow" : "ok",
      log: probed.log,
      views: isProbing ? probed.views : "stopped",
      commands: probed.commands,
      background: loops.some(({ checkedAt }) => now - checkedAt > limits.background) ? "stopped" : "ok"
    }
    const isDown = isClosing || checks.log === "stopped" || !isProbing
    const isDegraded = Object.values(checks).some((check) => check !== "ok")
    return { status: isDown ? "down" : isDegraded ? "degraded" : "ok", ready: !isDown, checks }
  })
})

interface Probed extends Readonly<Pick<Health["checks"], "log" | "views" | "commands">> {
  /** When the last probe returned, milliseconds since the epoch. */
  readonly at: number
  /** True if the probe returned in time. */
  readonly returned: boolean
}
