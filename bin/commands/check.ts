import { existsSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type * as Scope from "effect/Scope"
import { sharingWarning } from "../../events/folder.js"
import { ledgerCopyPath, readPolicyDocument } from "../../layers/config.js"
import { lookUpEmbedder } from "../../layers/embedders.js"
import { policyExtractorLayer } from "../../layers/extractors.js"
import { fastModelOf, LazyModel, layer as lazyModel } from "../../layers/lazyModel.js"
import { policyReconcilerLayer } from "../../layers/reconcilers.js"
import { lookUpReranker } from "../../layers/rerankers.js"
import { policySummarizerLayer } from "../../layers/summarizers.js"
import { policyTokenCounterLayer } from "../../layers/tokenCounters.js"
import { policyRecordOf } from "../../src/actor/policyRecord.js"
import type { InvalidPolicy } from "../../src/model/errors.js"
import { decode, type ModelSettings, type PolicyValues } from "../../src/ports/Policy.js"
import { type CommandEnded, refusalError } from "../exit.js"
import { countText } from "../format.js"
import { isUnusedFolder } from "../unusedFolder.js"
import type { Call, Command } from "./Command.js"

export const check: Command<object, readonly [file: string | undefined]> = {
  usage: "check [file]",
  summary: "check the data folder's policy, or a policy file; list all problems",
  details: ["A problem stops the engine. A warning, such as a missing key, does not."],
  examples: ["check", "check policy.toml"],
  run: (call, _, [given]) =>
    Effect.gen(function* () {
      const { checkFolder, out, policyFile } = call
      const folder = yield* given === undefined ? findingsAboutFolder(checkFolder) : Effect.succeed(noFindings)
      const { file, ignored } = yield* policyFile(given)
      const { values, ...found } = yield* findingsIn(file)
      const problems = [...folder.problems, ...found.problems]
      const ignoredLines = ignored.map((other) => `${other} is ignored, because ${file} is used`)
      const otherWarnings = [...folder.warnings, ...ignoredLines]
      const warningsOfFile = [
        ...found.warnings,
        ...missingImports(file, values),
        ...ledgerWarnings(call.folder, values)
      ]
      const warnings = [...otherWarnings, ...warningsOfFile]
      const at = file === undefined ? "" : `${file}: `
      const lines = [
        ...folder.problems.map((problem) => `problem  ${problem}`),
        ...found.problems.map((problem) => `problem  ${at}${problem}`),
        ...otherWarnings.map((warning) => `warning  ${warning}`),
        ...warningsOfFile.map((warning) => `warning  ${at}${warning}`)
      ]
      if (values === undefined || problems.length > 0) {
        yield* out.show({ ok: false, file: file ?? null, problems, warnings }, () => lines.join("\n"))
        const place = file ?? (folder.problems.length > 0 ? "the data folder" : "the policy")
        return yield* refusalError(`${countText(problems.length, "problem")} in ${place}`)
      }
      const { digest } = policyRecordOf(values)
      yield* out.show({ ok: true, file: file ?? null, policy: digest, values, problems, warnings }, () =>
        [...lines, `ok  policy ${digest}${file === undefined ? "" : ` from ${file}`}`].join("\n")
      )
    })
}

/** The paths of `import.from` that do not exist. */
const missingImports = (file: string | undefined, values: PolicyValues | undefined): ReadonlyArray<string> =>
  (file === undefined ? [] : (values?.import.from ?? []))
    .filter((path) => !existsSync(resolve(dirname(file!), path)))
    .map((path) => `import.from: ${path} does not exist`)

/** Returns why the copy of the erasure ledger cannot be written, or does not protect against a loss of the folder. */
const ledgerWarnings = (folder: string, values: PolicyValues | undefined): ReadonlyArray<string> => {
  const copy = values === undefined ? undefined : ledgerCopyPath(folder, values)
  if (copy === undefined) return []
  if (!relative(resolve(folder), copy).startsWith(".."))
    return ["log.ledger: is inside the data folder and would be lost with it: choose a path outside"]
  return existsSync(dirname(copy))
    ? []
    : [`log.ledger: ${dirname(copy)} does not exist: create this folder, because erasures fail without it`]
}

interface Findings {
  /** Problems that keep the engine from starting. */
  readonly problems: ReadonlyArray<string>
  /** Problems that only disable a part of the engine. */
  readonly warnings: ReadonlyArray<string>
  /** The settings, if all of them are valid. */
  readonly values?: PolicyValues
}

const noFindings: Findings = { problems: [], warnings: [] }

/** Finds problems of the data folder itself. */
const findingsAboutFolder = (checkFolder: Call["checkFolder"]): Effect.Effect<Findings, CommandEnded> =>
  checkFolder.pipe(
    Effect.flatMap((folder) =>
      Effect.map(isUnusedFolder(folder), (isUnused): Findings => {
        const warning = isUnused ? undefined : sharingWarning(folder)
        return { problems: [], warnings: warning === undefined ? [] : [warning] }
      })
    ),
    Effect.catchTag("StorageError", ({ message }) => Effect.succeed({ problems: [message], warnings: [] }))
  )

/** Finds problems in a policy file. One invalid setting does not stop the check of the others. */
const findingsIn = (file: string | undefined): Effect.Effect<Findings, never, Scope.Scope> =>
  Effect.gen(function* () {
    const document = yield* readPolicyDocument(file)
    const decoded = decode(document)
    if (Either.isRight(decoded)) return { values: decoded.right, ...(yield* checkModels(decoded.right)) }
    const { problems } = decoded.left
    const rest = Either.getOrUndefined(decode(validSettings(document)))
    if (rest === undefined) return { problems, warnings: [] }
    const found = yield* checkModels(rest, {
      modelIsValid: rest.model !== undefined || Object(document).model === undefined
    })
    return { problems: [...problems, ...found.problems], warnings: found.warnings }
  }).pipe(Effect.catchTag("InvalidPolicy", ({ problems }) => Effect.succeed({ problems, warnings: [] })))

/** Returns the valid sections of a document. From an invalid section it takes the settings that are valid alone. */
const validSettings = (document: unknown): object => {
  const decodes = (part: object) => Either.isRight(decode(part))
  const entries = Object.entries(Object(document) as Readonly<Record<string, unknown>>)
  return Object.fromEntries(
    entries.flatMap(([section, settings]) => {
      if (decodes({ [section]: settings })) return [[section, settings]]
      const valid = Object.entries(Object(settings)).filter(([name, value]) =>
        decodes({ [section]: { [name]: value } })
      )
      return valid.length === 0 ? [] : [[section, Object.fromEntries(valid)]]
    })
  )
}

/** Checks that the policy's models exist and have their settings, packages and keys. Sends no request. */
const checkModels = (
  policy: PolicyValues,
  { modelIsValid } = { modelIsValid: true }
): Effect.Effect<Findings, never, Scope.Scope> => {
  const { capture, embedding, model, reconcile, rerank, summarize } = policy
  const { embedder } = embedding
  const { reranker } = rerank
  const problemOnly = { onFailure: ({ problems }: InvalidPolicy) => problems.join("; "), onSuccess: () => undefined }
  const decides = [reconcile.reconciler, ...(capture.enabled ? [capture.extractor] : [])].some(
    (name) => name === "model" || name === "hybrid"
  )
  const summarizes = summarize.summarizer === "model"
  const hasFast = model?.fast !== undefined
  /** Each check fails with a problem, or succeeds with an optional warning. */
  const checks: ReadonlyArray<Effect.Effect<string | undefined, string, Scope.Scope>> = [
    Effect.mapBoth(lookUpEmbedder(embedder, embedding.dimensions, embedding), {
      onFailure: ({ message }) => `embedding.embedder: ${message}`,
      onSuccess: ({ missing }) => missing && `embedding.embedder: ${missing}; new texts get no vectors from ${embedder}`
    }),
    Effect.mapBoth(lookUpReranker(reranker, policy), {
      onFailure: ({ message }) => `rerank.reranker: ${message}`,
      onSuccess: ({ missing }) => missing && `rerank.reranker: ${missing}; ${reranker} does not rerank`
    }),
    Effect.mapBoth(Layer.build(policyTokenCounterLayer(policy)), problemOnly),
    // Without a valid section `model`, these checks would report it as missing.
    ...(modelIsValid
      ? [
          Effect.mapBoth(Layer.build(policyExtractorLayer(policy)), problemOnly),
          Effect.mapBoth(Layer.build(policyReconcilerLayer(policy)), problemOnly),
          Effect.mapBoth(Layer.build(policySummarizerLayer(policy)), problemOnly)
        ]
      : []),
    ...(model !== undefined && (summarizes || (decides && !hasFast)) ? [modelWarning("model", model)] : []),
    ...(model !== undefined && decides && hasFast ? [modelWarning("model.fast", fastModelOf(model))] : [])
  ]
  return Effect.map(
    Effect.partition(checks, (check) => check),
    ([problems, warnings]) => ({ problems, warnings: warnings.filter((warning) => warning !== undefined) })
  )
}

/** Returns why the language model cannot be used, such as a missing key; undefined if it can. */
const modelWarning = (section: "model" | "model.fast", settings: ModelSettings) =>
  Layer.build(lazyModel(settings)).pipe(
    Effect.flatMap((context) => Context.get(context, LazyModel).ports),
    Effect.match({
      onFailure: ({ problem }) =>
        `${section}: ${problem}; ${section === "model" ? "no model extracts, decides or writes summaries" : "no model extracts or decides"}`,
      onSuccess: () => undefined
    }),
    Logger.withMinimumLogLevel(LogLevel.None)
  )
