import * as Effect from "effect/Effect"
import { inForce } from "../../src/policy/inForce.js"
import { refused } from "../exit.js"
import { count } from "../format.js"
import type { Command } from "./Command.js"

export const check: Command<object, readonly [file: string | undefined]> = {
  usage: "check [file]",
  summary: "whether the policy of the data folder, or of a file, can be used: every problem at once, with its path",
  examples: ["check", "check policy.toml"],
  run: ({ out, policy, policyIn }, _, [file]) =>
    Effect.matchEffect(file === undefined ? policy : policyIn(file), {
      onSuccess: (values) => {
        const { digest } = inForce(values)
        return out.show({ ok: true, policy: digest, values, problems: [] }, () => `ok  policy ${digest}`)
      },
      onFailure: ({ problems }) =>
        Effect.zipRight(
          out.show({ ok: false, problems }, () => problems.join("\n")),
          refused(`${count(problems.length, "problem")} in the policy`)
        )
    })
}
