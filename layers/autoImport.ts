import { resolve } from "node:path"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Daybook } from "../src/Daybook.js"
import type { AgentOptions, AsOfInput, DaybookService } from "../src/DaybookService.js"
import { failureNames } from "../src/model/failureNames.js"
import { Policy } from "../src/ports/Policy.js"

/**
 * Imports the files of `import.from` before the first use of an agent's empty memory. Relative paths are resolved
 * against `base`.
 */
export const layer = (base: Effect.Effect<string>): Layer.Layer<Daybook, never, Daybook> =>
  Layer.effect(
    Daybook,
    Effect.gen(function* () {
      const daybook = yield* Daybook
      const { import: settings } = yield* Policy
      if (settings.from.length === 0) return daybook
      const folder = yield* base
      const paths = settings.from.map((path) => resolve(folder, path))
      return importingDaybook(daybook, settings.agent.normalize("NFC"), paths)
    })
  )

/** Wraps the handles of one agent. Handles with `asOf` are not wrapped, because they show a past state. */
const importingDaybook = (daybook: DaybookService, agent: string, paths: ReadonlyArray<string>): DaybookService => {
  const lock = Effect.unsafeMakeSemaphore(1)
  let isBegun = false
  let isDone = false
  const importOnce = lock.withPermits(1)(
    Effect.gen(function* () {
      if (isDone) return
      // An interrupted import continues, although the memory is no longer empty.
      if (isBegun || (yield* isEmpty(daybook, agent))) {
        isBegun = true
        yield* importAll(daybook, agent, paths)
      }
      isDone = true
    })
  )
  const first = Effect.suspend(() => (isDone ? Effect.void : importOnce))
  const open = daybook.agent as (
    name: string,
    options: AgentOptions & { readonly asOf?: AsOfInput }
  ) => Effect.Effect<object, unknown>
  return {
    ...daybook,
    agent: ((name: string, options: AgentOptions & { readonly asOf?: AsOfInput }) =>
      Effect.map(open(name, options), (handle) =>
        isDone || options.asOf !== undefined || name.normalize("NFC") !== agent ? handle : after(first, handle)
      )) as DaybookService["agent"]
  }
}

/** True if the agent never had a memory. False if its statistics cannot be read; then nothing is imported. */
const isEmpty = (daybook: DaybookService, agent: string): Effect.Effect<boolean> =>
  Effect.match(daybook.stats(agent), { onFailure: () => false, onSuccess: ({ memories }) => memories.created === 0 })

/** Imports each path. Failures are reported together in one log line and never fail the caller. */
const importAll = Effect.fnUntraced(function* (
  daybook: DaybookService,
  agent: string,
  paths: ReadonlyArray<string>
): Effect.fn.Return<void> {
  const problems: Array<string> = []
  for (const path of paths) {
    yield* Effect.flatMap(daybook.agent(agent, { trust: "full", actor: "import", record: false }), (memory) =>
      memory.importMarkdown([path])
    ).pipe(
      Effect.tap(({ refused }) =>
        Effect.sync(() => {
          for (const { file, line, problem } of refused) problems.push(`${file}:${line}: ${problem}`)
        })
      ),
      Effect.catchTag("PathRefused", ({ message }) => Effect.sync(() => void problems.push(message))),
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.interrupt
          : Effect.sync(() => void problems.push(`${path}: ${failureNames(cause)}`))
      )
    )
  }
  if (problems.length === 0) return
  const more = problems.length > maxProblems ? ` and ${problems.length - maxProblems} more` : ""
  yield* Effect.logWarning(`import.from: not imported: ${problems.slice(0, maxProblems).join("; ")}${more}`)
})

/** Maximum problems in the log line. */
const maxProblems = 10

/** Wraps a function, or all functions of a record, so that each call first runs `first`. */
const after = <Value>(first: Effect.Effect<void>, value: Value): Value => {
  if (typeof value === "function")
    return ((...options: ReadonlyArray<unknown>) =>
      Effect.zipRight(
        first,
        Effect.suspend(() => value(...options) as Effect.Effect<unknown>)
      )) as Value
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, after(first, member)])) as Value
}
