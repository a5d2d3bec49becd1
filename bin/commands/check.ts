import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { lookUpEmbedder } from "../../layers/embedders.js"
import { policyReconcilerLayer } from "../../layers/reconcilers.js"
import { lookUpReranker } from "../../layers/rerankers.js"
import { policySummarizerLayer } from "../../layers/summarizers.js"
import { policyRecordOf } from "../../src/actor/policyRecord.js"
import type { InvalidPolicy } from "../../src/model/errors.js"
import type { PolicyValues } from "../../src/ports/Policy.js"
import { type CommandEnded, refused } from "../exit.js"
import { count } from "../format.js"
import type { Command } from "./Command.js"

export const check: Command<object, readonly [file: string | undefined]> = {
  usage: "check [file]",
  summary: "check the policy of the data folder, or of a file; list all problems",
  details: ["A problem stops the engine. A warning, such as a missing key, does not."],
  examples: ["check", "check policy.toml"],
  run: ({ out, policy, policyFile, policyIn }, _, [given]) =>
    Effect.gen(function* () {
      const { values, ...found } = yield* findingsOf(given === undefined ? policy : policyIn(given))
      const { file, ignored } = yield* policyFile(given)
      const { problems } = found
      const warnings = [...ignored.map((other) => `${other} is ignored: ${file} is used`), ...found.warnings]
      const at = file === undefined ? "" : `${file}: `
      const lines = [
        ...problems.map((problem) => `problem  ${at}${problem}`),
        ...ignored.map((other) => `warning  ${other} is ignored: ${file} is used`),
        ...found.warnings.map((warning) => `warning  ${at}${warning}`)
      ]
      if (values === undefined || problems.length > 0) {
        yield* out.show({ ok: false, file: file ?? null, problems, warnings }, () => lines.join("\n"))
        return yield* refused(`${count(problems.length, "problem")} in ${file ?? "the policy"}`)
      }
      const { digest } = policyRecordOf(values)
      yield* out.show({ ok: true, file: file ?? null, policy: digest, values, problems, warnings }, () =>
        [...lines, `ok  policy ${digest}${file === undefined ? "" : ` from ${file}`}`].join("\n")
      )
    })
}

interface Findings {
  /** The engine does not start. */
  readonly problems: ReadonlyArray<string>
  /** The engine runs without a part. */
  readonly warnings: ReadonlyArray<string>
}

/** The findings about a policy, and its values if it decodes. */
const findingsOf = (
  read: Effect.Effect<PolicyValues, InvalidPolicy | CommandEnded>
): Effect.Effect<Findings & { readonly values?: PolicyValues }, CommandEnded, Scope.Scope> =>
  read.pipe(
    Effect.flatMap((values) => Effect.map(checkModels(values), (findings) => ({ values, ...findings }))),
    Effect.catchTag("InvalidPolicy", ({ problems }) => Effect.succeed({ problems, warnings: [] }))
  )

/** Checks that the policy's models exist and have their settings and keys. Sends no request. */
const checkModels = (policy: PolicyValues): Effect.Effect<Findings, never, Scope.Scope> => {
  const { embedding, rerank } = policy
  const { embedder } = embedding
  const { reranker } = rerank
  const problemOnly = { onFailure: ({ problems }: InvalidPolicy) => problems.join("; "), onSuccess: () => undefined }
  /** Each fails with a problem, or succeeds with a warning if there is one. */
  const checks: ReadonlyArray<Effect.Effect<string | undefined, string, Scope.Scope>> = [
    Effect.mapBoth(lookUpEmbedder(embedder, embedding.dimensions, embedding), {
      onFailure: ({ message }) => `embedding.embedder: ${message}`,
      onSuccess: ({ missing }) => missing && `embedding.embedder: ${missing}; new texts get no vectors of ${embedder}`
    }),
    Effect.mapBoth(lookUpReranker(reranker, policy), {
      onFailure: ({ message }) => `rerank.reranker: ${message}`,
      onSuccess: ({ missing }) => missing && `rerank.reranker: ${missing}; ${reranker} does not rerank`
    }),
    Effect.mapBoth(Layer.build(policyReconcilerLayer(policy)), problemOnly),
    Effect.mapBoth(Layer.build(policySummarizerLayer(policy)), problemOnly)
  ]
  return Effect.map(
    Effect.partition(checks, (check) => check),
    ([problems, warnings]) => ({ problems, warnings: warnings.filter((warning) => warning !== undefined) })
  )
}
