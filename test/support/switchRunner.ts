import { appendFileSync } from "node:fs"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Default from "../../layers/Default.js"
import { Daybook } from "../../src/Daybook.js"
import { defaults } from "../../src/Policy.js"
import { known, scripted } from "./embedders.js"

// A process that switches embedders while it is written to and searched, until it is killed: see switchStorm.ts.

export interface RunnerOptions {
  readonly folder: string
  /** Where each text that came back from the distant embedder is left, a line each. */
  readonly received: string
  /** Where what was wrong is left. */
  readonly wrong: string
  /** Milliseconds of one answer. */
  readonly latency: number
}

export const agent = "ada"
export const query = "the pilot keeps the rope of the harbour"
export const policy = {
  ...defaults,
  reconcile: { ...defaults.reconcile, reconciler: "none" as const },
  recall: { ...defaults.recall, log: false },
  embedding: { ...defaults.embedding, gather: 20 },
  actors: { ...defaults.actors, idle: 3_600_000 }
}

export const near = () => scripted("near", 1, 64, { local: true, batch: 256 })
export const far = () => scripted("far", 2, 96, { batch: 64 })

const text = process.argv[2]
if (text !== undefined) {
  const { folder, latency, received, wrong } = JSON.parse(text) as RunnerOptions
  const [old, next] = [near(), far()]
  const embed = next.embed
  // An answer that is on its way when the process is killed was not received.
  next.embed = (texts, purpose) =>
    purpose === "query"
      ? embed(texts, purpose)
      : Effect.delay(embed(texts, purpose), latency).pipe(
          Effect.tap(() =>
            Effect.sync(() => appendFileSync(received, texts.map((one) => `${JSON.stringify(one)}\n`).join("")))
          )
        )
  const complain = (what: unknown) => Effect.sync(() => appendFileSync(wrong, `${String(what)}\n`))
  const program = Effect.gen(function* () {
    const daybook = Context.get(yield* Layer.build(Default.layer({ folder, policy, ...known(old, next) })), Daybook)
    const memory = yield* daybook.agent(agent, { trust: "full", record: false })
    let count = 0
    const write = Effect.gen(function* () {
      yield* memory.remember({ title: `harbour ${process.pid} ${count++} has a pilot` })
      yield* Effect.sleep(10)
    })
    const read = Effect.gen(function* () {
      const { explanation, hits } = yield* memory.explain({ text: query, limit: 10 })
      if (hits.length < 10) yield* complain(`${hits.length} hits`)
      if (explanation.vectors !== "near" && explanation.vectors !== "far") yield* complain(explanation.vectors)
      if (!hits.some(({ parts }) => parts.vector > 0)) yield* complain(`no vectors of ${explanation.vectors}`)
      yield* Effect.sleep(20)
    })
    yield* Effect.forkScoped(Effect.forever(write))
    yield* Effect.forkScoped(Effect.forever(read))
    console.log("ready")
    yield* daybook.embedders.switchTo(agent, "far")
    console.log("switched")
    yield* Effect.never
  })
  Effect.runFork(Effect.scoped(program).pipe(Effect.tapErrorCause((cause) => complain(cause))))
}
