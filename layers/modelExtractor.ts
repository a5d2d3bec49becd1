import * as Effect from "effect/Effect"
import { type Extraction, ExtractorError, type ExtractorService, type ExtractRequest } from "../src/ports/Extractor.js"
import { gateMessage } from "../text/normalise/gate.js"
import { sentencesOf } from "../text/normalise/sentences.js"
import { LazyModel } from "./lazyModel.js"

/** The fields that a model adds to an extractor. */
export type ModelExtractor = Pick<ExtractorService, "name"> & Required<Pick<ExtractorService, "ask">>

/**
 * The rules extract if they are sure, or if no turn of the user states anything. Otherwise the model extracts, in one
 * call for all turns. If the model fails, the rules extract.
 */
export const hybrid = (rules: ExtractorService, model: ModelExtractor): ExtractorService => ({
  name: `${rules.name}+${model.name}`,
  extract: rules.extract,
  ask: (request) =>
    Effect.suspend(() => {
      const byRules = rules.extract(request)
      return needsNoModel(byRules, request) ? Effect.succeed(byRules) : model.ask(request)
    })
})

/** The model extracts from all turns. If it fails, the rules extract. */
export const modelOnlyExtractor = (rules: ExtractorService, model: ModelExtractor): ExtractorService => ({
  ...model,
  extract: rules.extract
})

/** The policy's model. The first extraction loads it. A missing package or key counts as a failure of the model. */
export const policyModelExtractor: Effect.Effect<ModelExtractor, never, LazyModel> = Effect.map(
  LazyModel,
  ({ name, ports }) => ({
    name,
    ask: (request) =>
      ports.pipe(
        Effect.mapError(({ problem }) => new ExtractorError({ name, reason: "failed", detail: problem })),
        Effect.flatMap(({ extract }) => extract(request))
      )
  })
)

const needsNoModel = ({ archive = [], facts, sure }: Extraction, { turns }: ExtractRequest): boolean =>
  sure === true || (facts.length === 0 && archive.length === 0 && !turns.some(states))

/** True if a turn of the user has a sentence other than a question, an acknowledgement or code. */
const states = ({ role, text }: ExtractRequest["turns"][number]): boolean =>
  role === "user" &&
  sentencesOf(text).some((sentence) => {
    const { reason } = gateMessage(sentence)
    return reason === "statement" || (reason === "memory word" && !/[?？]$/.test(sentence))
  })
