import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import type { DaybookService } from "../../src/DaybookService.js"
import { dieAtStep } from "./dieAtStep.js"
import { open } from "./engine.js"

/** A process that erases persons and kills itself at a step, or one that reads or writes until it is told to pause. */
export type ErasureProcess =
  | { readonly role: "eraser"; readonly folder: string; readonly persons: ReadonlyArray<string>; readonly step: number }
  | { readonly role: "reader" | "writer"; readonly folder: string }

export const agent = "ada"
export const policy = { recall: { log: true } }

const options = JSON.parse(process.argv[2]!) as ErasureProcess
const say = (line: string) => process.stdout.write(`${line}\n`)

/** Says which person it erases, and when that is done. */
const erase = ({ folder, persons, step }: Extract<ErasureProcess, { readonly role: "eraser" }>) =>
  Effect.gen(function* () {
    const steps = dieAtStep(step)
    steps.start()
    const daybook = yield* open(folder, { policy })
    for (const [index, person] of persons.entries()) {
      say(`begins ${index}`)
      yield* Effect.catchTag(
        Effect.asVoid(daybook.erase({ person }, { reason: "privacy" })),
        "NothingToErase",
        () => Effect.void
      )
      say(`erased ${index}`)
    }
    say(`steps ${steps.stop()}`)
  }).pipe(Effect.scoped)

const read = (daybook: DaybookService, round: number) =>
  Effect.gen(function* () {
    const memory = yield* daybook.agent(agent, { trust: "full", record: true, session: "reading" })
    const found = yield* memory.search({ text: "who lives in Perth" })
    yield* memory.get(found.map(({ id }) => id))
    yield* memory.sessions.search({ text: "tea", limit: 3 })
    const past = yield* daybook.agent(agent, { trust: "full", asOf: { version: 20 + (round % 5) * 7 } })
    yield* past.list({ limit: 5 })
    if (round % 7 === 6) yield* daybook.rebuild(agent)
  })

const write = (daybook: DaybookService, round: number) =>
  Effect.gen(function* () {
    const memory = yield* daybook.agent(agent, { trust: "full", record: true })
    yield* memory.remember({ title: `the tide of day ${process.pid} ${round} was high` })
    yield* memory.sessions.append({ session: "tides", role: "user", text: `tide ${round}` })
    if (round % 9 === 8) yield* daybook.backfill(agent)
    yield* Effect.sleep("20 millis")
  })

/** Works on the folder from `go` to `pause`, again and again, until its input ends. It counts its rounds and failures. */
const repeat = async ({ folder, role }: Extract<ErasureProcess, { readonly role: "reader" | "writer" }>) => {
  let isPaused = true
  let running: Promise<unknown> = Promise.resolve()
  const session = Effect.gen(function* () {
    const daybook = yield* open(folder, { policy })
    for (let round = 0; !isPaused; round++) {
      const result =
        role === "reader" ? yield* Effect.either(read(daybook, round)) : yield* Effect.either(write(daybook, round))
      say(result._tag === "Right" ? "round" : `failed ${result.left._tag} ${result.left.message}`)
    }
  }).pipe(Effect.scoped)
  for await (const line of createInterface({ input: process.stdin })) {
    isPaused = line === "pause"
    if (isPaused) {
      await running
      say("paused")
    } else running = Effect.runPromise(session)
  }
}

const ended = options.role === "eraser" ? Effect.runPromise(erase(options)) : repeat(options)
ended.catch((cause) => {
  console.error(cause)
  process.exitCode = 1
})
