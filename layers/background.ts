import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { traceEvent } from "../events/tracing.js"
import { Daybook } from "../src/Daybook.js"
import { failureNames } from "../src/model/failureNames.js"
import type { PolicyValues } from "../src/ports/Policy.js"
import * as Maintenance from "./Maintenance.js"

/** A background loop of a server. */
export interface BackgroundLoop {
  readonly name: "capture" | "maintenance"
  /** When it last made progress, milliseconds since the epoch. */
  readonly checkedAt: number
}

/** The background work of a long-running process, for all agents. It ends with the scope. */
export class Background extends Context.Tag("daybook/Background")<
  Background,
  {
    /** The loops that the policy enables. */
    readonly loops: Effect.Effect<ReadonlyArray<BackgroundLoop>>
  }
>() {}

export interface BackgroundOptions {
  readonly policy: Pick<PolicyValues, "capture" | "retention">
  /** Milliseconds between two checks for waiting turns; default: a minute. */
  readonly every?: number
}

/**
 * Extracts waiting turns (`[capture] enabled`), and runs schedules and maintenance (`[retention] enabled`): once at the
 * start, then whenever they are due. Several processes may run this layer on one folder.
 */
export const layer = (options: BackgroundOptions): Layer.Layer<Background, never, Daybook> =>
  Layer.scoped(Background, make(options))

export const make = Effect.fnUntraced(function* ({
  every = 60_000,
  policy
}: BackgroundOptions): Effect.fn.Return<Context.Tag.Service<Background>, never, Daybook | Scope.Scope> {
  const loops: Array<Effect.Effect<BackgroundLoop>> = []
  if (policy.retention.enabled) {
    const { checkedAt } = yield* Maintenance.make()
    loops.push(Effect.map(checkedAt, (checkedAt) => ({ name: "maintenance", checkedAt })))
  }
  if (policy.capture.enabled && policy.capture.extractor !== "none") {
    const checkedAt = yield* captureLoop(every)
    loops.push(Effect.map(checkedAt, (checkedAt) => ({ name: "capture", checkedAt })))
  }
  return { loops: Effect.all(loops) }
})

/** Extracts waiting turns when they are due, including turns from other processes. Skips agents without new events. */
const captureLoop = Effect.fnUntraced(function* (every: number) {
  const daybook = yield* Daybook
  /** The version of each agent at the last check. */
  const seen = new Map<string, number>()
  let checkedAt = yield* Clock.currentTimeMillis
  yield* traceEvent("maintenance.loop_started", { loop: "capture" })
  const round = Effect.gen(function* () {
    for (const { name, version } of yield* daybook.agents) {
      if (seen.get(name) === version) continue
      // The next round retries. One agent's failure must not stop the others.
      yield* Effect.matchCauseEffect(daybook.resume(name), {
        onFailure: (cause) => Effect.logWarning("cannot extract turns", { agent: name, failure: failureNames(cause) }),
        onSuccess: () => Effect.sync(() => seen.set(name, version))
      })
      checkedAt = yield* Clock.currentTimeMillis
    }
    checkedAt = yield* Clock.currentTimeMillis
  })
  yield* round.pipe(
    Effect.catchAllCause((cause) => Effect.logWarning("cannot list the agents", { failure: failureNames(cause) })),
    Effect.zipRight(Effect.sleep(every)),
    Effect.forever,
    Effect.interruptible,
    Effect.forkScoped
  )
  return Effect.sync(() => checkedAt)
})
