import * as Effect from "effect/Effect"
import type { Call } from "./commands/Command.js"
import { type CommandEnded, refusalError } from "./exit.js"

/** One step of the demo: the call and its JSON answer. */
export interface Step {
  readonly heading: string
  readonly call: string
  readonly answer: unknown
}

/** Runs real commands one after another on one data folder, and prints each with its answer. */
export const demoRunner = ({ runCommandLine, out }: Call, folder: string) => {
  const steps: Array<Step> = []
  let heading = ""
  const say = (text: string) => (out.json ? Effect.void : out.show(null, () => text))
  return {
    steps,
    heading: (text: string) => {
      heading = text
      return say(`\n${out.colours.bold(`## ${text}`)}`)
    },
    /** Runs one command and returns its JSON answer; fails if the command fails. */
    daybook: <Answer>(...argv: ReadonlyArray<string>): Effect.Effect<Answer, CommandEnded> =>
      Effect.gen(function* () {
        const call = ["daybook", ...argv].map(quoted).join(" ")
        yield* say(out.colours.cyan(`$ ${call}`))
        let answer: unknown
        const outcome = yield* runCommandLine(["--data", folder, ...argv], {
          ...out,
          show: (value, text) => {
            answer = value
            return out.json ? Effect.void : out.show(value, text)
          }
        })
        if (outcome.code !== 0) return yield* refusalError(`${call}: ${outcome.line}`)
        steps.push({ heading, call, answer })
        return answer as Answer
      }),
    must: (condition: boolean, expectation: string) =>
      condition ? Effect.void : Effect.fail(refusalError(`demo check failed: ${expectation}`))
  }
}

const quoted = (argument: string): string =>
  /^[\p{L}\p{N}_./:-]+$/u.test(argument) ? argument : JSON.stringify(argument)
