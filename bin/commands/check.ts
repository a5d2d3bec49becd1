import * as Effect from "effect/Effect"
import { embedderNamed } from "../../layers/embedders.js"
import { rerankerNamed } from "../../layers/rerankers.js"
import { policyRecordOf } from "../../src/actor/policyRecord.js"
import { InvalidPolicy } from "../../src/model/errors.js"
import type { PolicyValues } from "../../src/ports/Policy.js"
import { refused } from "../exit.js"
import { count } from "../format.js"
import type { Command } from "./Command.js"

export const check: Command<object, readonly [file: string | undefined]> = {
  usage: "check [file]",
  summary: "check the policy of the data folder, or of a file; list all problems",
  examples: ["check", "check policy.toml"],
  run: ({ out, policy, policyIn }, _, [file]) =>
    Effect.matchEffect(Effect.tap(file === undefined ? policy : policyIn(file), checkModels), {
      onSuccess: (values) => {
        const { digest } = policyRecordOf(values)
        return out.show({ ok: true, policy: digest, values, problems: [] }, () => `ok  policy ${digest}`)
      },
      onFailure: (error) => {
        if (error._tag === "Ended") return error
        const { problems } = error
        return Effect.zipRight(
          out.show({ ok: false, problems }, () => problems.join("\n")),
          refused(`${count(problems.length, "problem")} in the policy`)
        )
      }
    })
}

/** Checks that the policy's embedder and reranker exist and have their keys. Sends no request. */
const checkModels = (policy: PolicyValues): Effect.Effect<void, InvalidPolicy> => {
  const { embedding, rerank } = policy
  const checks: ReadonlyArray<Effect.Effect<unknown, string>> = [
    Effect.mapError(
      embedderNamed(embedding.embedder, embedding.dimensions, embedding),
      ({ message }) => `embedding.embedder: ${message}`
    ),
    Effect.mapError(rerankerNamed(rerank.reranker, policy), ({ message }) => `rerank.reranker: ${message}`)
  ]
  return Effect.mapError(
    Effect.asVoid(Effect.validateAll(checks, (check) => check)),
    (problems) => new InvalidPolicy({ problems })
  )
}
