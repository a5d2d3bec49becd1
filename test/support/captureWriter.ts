import { appendFileSync, writeSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Default from "../../layers/Default.js"
import { Daybook } from "../../src/Daybook.js"
import { defaults } from "../../src/ports/Policy.js"
import { asking, extract, layerOf, tiny } from "./extractor.js"

/** A process that captures, made to be killed. It notes each turn in a journal once it is answered. */
export interface CaptureOptions {
  readonly folder: string
  readonly journal: string
  readonly mode: "turn" | "after"
  /** The number of the first turn: the first one without an answer. */
  readonly from: number
  /** Repeats the turn `from`, extracts everything and ends. */
  readonly finish?: boolean
}

export const agent = "ada"
export const sessionOf = (turn: number): string => `session ${turn % 3}`
export const titleOf = (turn: number): string => `The user likes boat ${turn}`

/** A model that answers late, and fails for every third request. */
const slow = (() => {
  let requests = 0
  return asking((request) =>
    Effect.delay(
      Effect.suspend(() => (++requests % 3 === 0 ? Effect.dieMessage("no answer") : Effect.succeed(extract(request)))),
      10
    )
  )
})()

const main = ({ finish = false, from, journal }: CaptureOptions) =>
  Effect.gen(function* () {
    const daybook = yield* Daybook
    const memory = yield* daybook.agent(agent, { trust: "full" })
    const say = (turn: number) =>
      Effect.map(
        memory.sessions.append(
          { session: sessionOf(turn), text: `I like boat ${turn}.`, role: "user" },
          { commandId: `turn ${turn}` }
        ),
        () => appendFileSync(journal, `${turn}\n`)
      )
    for (let turn = from; !finish || turn === from; turn++) {
      yield* say(turn)
      if (turn === from + 1) writeSync(1, "at work\n")
    }
    yield* memory.sessions.extract()
  })

const text = process.argv[2]
if (text !== undefined) {
  const options = JSON.parse(text) as CaptureOptions
  const daybook = Default.layer({
    folder: options.folder,
    policy: defaults,
    extractor: layerOf(options.mode === "turn" ? tiny : slow)
  })
  Effect.runPromise(Effect.provide(main(options), daybook)).catch((cause) => {
    console.error(cause)
    process.exitCode = 1
  })
}
