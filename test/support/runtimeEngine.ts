import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Daybook } from "../../src/Daybook.js"
import { defaults, type PolicyValues } from "../../src/ports/Policy.js"
import type { Acknowledged, Dice, Line, WorkerOptions } from "./runtimeProtocol.js"

/**
 * Few views stay open, so that views are opened and closed all the time. No
 * reconciler: it would replace memories that the soak expects to find.
 */
export const policy: PolicyValues = {
  ...defaults,
  actors: { ...defaults.actors, open: 3, idle: 300 },
  reconcile: { ...defaults.reconcile, reconciler: "none" },
  recall: { ...defaults.recall, flushAfter: 500 }
}

const words = "harbour crane ferry tide kettle lantern orchard market violin ledger compass saddle".split(" ")

/** Steps, each as often as it stands here. */
const steps = [
  ...Array<"remember">(8).fill("remember"),
  ...Array<"search">(8).fill("search"),
  ...Array<"read">(5).fill("read"),
  ...Array<"past">(3).fill("past"),
  ...Array<"bulk">(2).fill("bulk"),
  ...Array<"update">(2).fill("update"),
  ...Array<"turns">(2).fill("turns"),
  "forget",
  "rebuild",
  "backfill",
  "embedder"
] as const

type Service = Context.Tag.Service<Daybook>

/** Random use of Daybook. Every write that was answered is noted. */
export const engineWork = (options: WorkerOptions, dice: Dice, note: (line: Line) => void) => {
  const { agents, encoder, name } = options
  const own: Array<Acknowledged> = []
  /** The newest version of each agent that a write answered. */
  const versions = new Map<string, number>()
  let count = 0
  const text = () => `${dice.pick(words)} ${dice.pick(words)}`
  const observation = () => ({ title: `memory ${name}-${count++} of the ${text()}`, narrative: text().repeat(5) })

  const acknowledged = (agent: string, written: ReadonlyArray<Omit<Acknowledged, "agent">>) => {
    const lines = written.map(({ id, title }) => ({ agent, id, title }))
    own.push(...lines)
    note({ written: lines })
  }

  return (daybook: Service) =>
    Effect.gen(function* () {
      const kind = dice.pick(steps)
      const victim = own.length > 0 ? dice.pick(own) : undefined
      const needsVictim = kind === "update" || kind === "forget"
      if (needsVictim && victim === undefined) return
      const agent = needsVictim ? victim!.agent : dice.pick(agents)
      note({ step: kind })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      switch (kind) {
        case "remember": {
          const one = observation()
          const { id, version } = yield* memory.remember(one)
          if (version !== undefined) versions.set(agent, version)
          return acknowledged(agent, [{ id, title: one.title }])
        }
        case "bulk": {
          const all = Array.from({ length: 10 + dice.below(50) }, observation)
          const answers = yield* memory.rememberAll(all)
          const ids = yield* Effect.forEach(
            answers,
            Either.map(({ id }) => id)
          )
          return acknowledged(
            agent,
            ids.map((id, index) => ({ id, title: all[index]!.title }))
          )
        }
        case "update":
          yield* memory.update(victim!.id, { topic: text() })
          return
        case "forget":
          own.splice(own.indexOf(victim!), 1)
          note({ forgetting: victim!.id })
          yield* memory.forget(victim!.id)
          return
        case "turns":
          yield* memory.sessions.appendAll(
            [0, 1].map(() => ({ session: `session ${dice.below(5)}`, role: "user", text: text() }))
          )
          return
        case "search":
          yield* memory.search({ text: text(), limit: 10 })
          if (dice.chance(0.3)) yield* memory.sessions.search({ text: text() })
          return
        case "read": {
          const listed = yield* memory.list({ limit: 20 })
          yield* memory.get(listed.map(({ id }) => id))
          if (listed.length > 0) yield* memory.history(dice.pick(listed).id)
          return
        }
        case "past": {
          const version = versions.get(agent)
          const asOf =
            version !== undefined && dice.chance(0.7)
              ? { version: 1 + dice.below(version) }
              : { at: Date.now() - dice.below(60_000) }
          const past = yield* daybook.agent(agent, { trust: "full", asOf })
          yield* past.search({ text: text() })
          return
        }
        case "rebuild":
          yield* daybook.rebuild(agent)
          return
        case "backfill":
          yield* daybook.backfill(agent)
          return
        case "embedder":
          yield* daybook.embedders.switchTo(
            agent,
            dice.pick(["words", encoder === null ? "hash" : `local/${encoder}`]),
            { wait: dice.chance(0.3) }
          )
          return
      }
    })
}
