import { readFileSync } from "node:fs"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Daybook } from "../../src/Daybook.js"
import type { SwitchOptions } from "../../src/embedding/admin/EmbedderOperations.js"
import { type LabelledQuestion, readLabelled } from "../../src/embedding/admin/labelledQuestions.js"
import { InvalidInput } from "../../src/model/errors.js"
import { UnknownEmbedder } from "../../src/ports/Embedders.js"
import { calibrationText, comparisonText, rateText, statusText, switchResultText } from "../embedders.js"
import { type CommandEnded, exitCodeOf, exitCodes, refusalError, usageError } from "../exit.js"
import { countText } from "../format.js"
import { flag, option, parseFraction, wholeNumberParser } from "../options.js"
import type { Output } from "../output.js"
import type { Call, Command, Failure } from "./Command.js"

interface Options {
  readonly dimensions?: number
  readonly weight?: number
  readonly prepare?: boolean
  readonly now?: boolean
  readonly with?: string
  readonly limit?: number
  readonly questions?: string
  readonly all?: boolean
}

/** The result of a verb for one agent: the JSON value and its text. */
interface Answer {
  readonly value: object
  readonly text: () => string | Promise<string>
  /** The failure, if part of the work failed. */
  readonly error?: string
}

interface Verb {
  /** Describes the required argument. */
  readonly needs?: string
  /** The options it accepts. */
  readonly takes: ReadonlyArray<keyof Options>
  readonly run: (
    call: Call & { readonly agent: string },
    daybook: Context.Tag.Service<Daybook>,
    options: Options,
    model: string | undefined
  ) => Effect.Effect<Answer, Failure>
}

const verbs: Readonly<Record<string, Verb>> = {
  status: {
    takes: ["all"],
    run: ({ agent, out }, { embedders }) =>
      Effect.map(embedders.status(agent, { probe: true }), (status) => ({
        value: status,
        text: () => statusText(out, status)
      }))
  },
  backfill: {
    takes: ["all"],
    run: ({ agent }, daybook) =>
      Effect.map(daybook.backfill(agent), ({ embedded, error, remaining }) => ({
        value: { embedded, remaining, ...(error === undefined ? {} : { error: error.message }) },
        text: () => `${countText(embedded, "text")} embedded, ${remaining} remaining`,
        ...(error === undefined ? {} : { error: error.message })
      }))
  },
  switch: {
    needs: "a model, such as openai/text-embedding-3-small",
    takes: ["dimensions", "weight", "prepare", "now", "all"],
    run: ({ agent, out }, { embedders }, { dimensions, now, prepare, weight }, model) =>
      Effect.map(
        unknownAsUsageError(
          embedders.switchTo(agent, model!, {
            dimensions,
            weight,
            now,
            adopt: prepare !== true,
            actor: "cli",
            ...reportTo(out)
          })
        ),
        (switched) => ({ value: switched, text: () => switchResultText(switched, weight) })
      )
  },
  compare: {
    takes: ["with", "dimensions", "limit", "questions"],
    run: ({ agent, out }, { embedders }, { dimensions, limit, questions, with: other }) =>
      Effect.gen(function* () {
        const labelled = questions === undefined ? undefined : yield* questionsIn(questions)
        const compared = yield* embedders.compare(agent, { with: other, dimensions, limit, questions: labelled })
        return { value: compared, text: () => comparisonText(out, compared) }
      })
  },
  calibrate: {
    takes: ["with", "dimensions", "questions", "all"],
    run: ({ agent, out }, { embedders }, { dimensions, questions, with: other }) =>
      Effect.gen(function* () {
        const labelled = questions === undefined ? undefined : yield* questionsIn(questions)
        const calibrate = embedders.calibrate(agent, { with: other, dimensions, questions: labelled })
        const calibrated = yield* other === undefined ? calibrate : unknownAsUsageError(calibrate)
        return { value: calibrated, text: () => calibrationText(out, calibrated) }
      })
  },
  back: {
    takes: ["now", "all"],
    run: ({ agent, out }, { embedders }, { now }) =>
      Effect.map(
        embedders.back(agent, {
          now,
          actor: "cli",
          ...reportTo(out)
        }),
        (switched) => ({ value: switched, text: () => switchResultText(switched) })
      )
  },
  drop: {
    takes: ["dimensions", "all"],
    run: ({ agent }, { embedders }, { dimensions }, model) =>
      Effect.map(embedders.drop(agent, model, { dimensions, actor: "cli" }), (dropped) => ({
        value: { dropped },
        text: () => dropped.map((index) => `dropped ${index.model}, ${index.dimensions} dimensions`).join("\n")
      }))
  }
}

export const embed: Command<Options, readonly [action: string | undefined, model: string | undefined]> = {
  usage: "embed [action] [model]",
  words: Object.keys(verbs),
  creates: "switch",
  summary: "show or change the embedding model",
  operator: true,
  details: [
    `action: ${Object.keys(verbs).join(", ")} (default: status)`,
    `A line of --questions is {"query": "…", "ids": ["…"]}.`
  ],
  options: [
    option("--dimensions <n>", "set the number of dimensions (default: the model's own)", wholeNumberParser(1, 8_192)),
    option("--weight <share>", "for `switch`: set the weight of vectors in ranking, 0 to 1", parseFraction),
    flag("--prepare", "for `switch`: build the index, but do not activate it yet"),
    flag("--now", "for `switch`, `back`: activate the index first, then embed the rest"),
    option("--with <model>", "for `compare`, `calibrate`: use the index of this model"),
    option(
      "--limit <n>",
      "for `compare`: use the n newest recorded queries (default: 50)",
      wholeNumberParser(1, 1_000)
    ),
    option("--questions <file>", "for `compare`, `calibrate`: read labelled questions (JSON lines)"),
    flag("--all", "run the action for every agent in the data folder")
  ],
  examples: [
    "embed status",
    "embed switch openai/text-embedding-3-small --prepare",
    "embed compare --questions questions.jsonl",
    "embed switch openai/text-embedding-3-small --dimensions 512 --all",
    "embed calibrate",
    "embed back"
  ],
  afterInterruption: "the stored embeddings stay; run the same command again to continue",
  run: (call, options, [action = "status", model]) =>
    Effect.gen(function* () {
      const verb = yield* checked(action, model, options)
      const daybook = yield* call.daybook
      if (options.all !== true) {
        const { error, text, value } = yield* verb.run(call, daybook, options, model)
        yield* call.out.show(value, text)
        return error === undefined ? undefined : yield* refusalError(error)
      }
      const values: Record<string, object> = {}
      const texts: Array<string> = []
      const failed: Array<string> = []
      for (const { name } of yield* daybook.agents) {
        // A failure of one agent, such as a missing index, does not stop the others.
        const outcome = yield* Effect.either(verb.run({ ...call, agent: name }, daybook, options, model))
        if (outcome._tag === "Left" && exitCodeOf(outcome.left) === exitCodes.badCall) return yield* outcome.left
        const error = outcome._tag === "Left" ? outcome.left.message : outcome.right.error
        const text = outcome._tag === "Left" ? "" : yield* Effect.promise(async () => outcome.right.text())
        values[name] = outcome._tag === "Left" ? { error: outcome.left.message } : outcome.right.value
        texts.push(`${call.out.colours.bold(name)}\n${text === "" ? error : text}`)
        if (error !== undefined) failed.push(`${name}: ${error}`)
      }
      yield* call.out.show(values, () => texts.join("\n\n"))
      if (failed.length > 0) return yield* refusalError(failed.join("; "))
    })
}

/** Reports progress, and the reason when a switch pauses. */
const reportTo = (out: Output): Pick<SwitchOptions, "onFailure" | "onProgress"> => ({
  onProgress: (rate) => out.progress(rate.madeCount, rate.madeCount + rate.left, rateText(rate)),
  onFailure: ({ message }, pause) => out.note(`${message}; retrying in ${Math.ceil(pause / 1_000)} s`)
})

/**
 * Returns the verb. Fails for an unknown verb, a missing or surplus argument, or an option that the verb does not
 * accept.
 */
const checked = (action: string, model: string | undefined, options: Options): Effect.Effect<Verb, CommandEnded> => {
  const verb = Object.hasOwn(verbs, action) ? verbs[action] : undefined
  if (verb === undefined) return usageError(`action: must be one of ${Object.keys(verbs).join(", ")}`)
  if (verb.needs !== undefined && model === undefined) return usageError(`'embed ${action}' needs ${verb.needs}`)
  if (verb.needs === undefined && action !== "drop" && model !== undefined)
    return usageError(`'embed ${action}' takes no model`)
  const other = Object.keys(options).find((name) => !(verb.takes as ReadonlyArray<string>).includes(name))
  return other === undefined ? Effect.succeed(verb) : usageError(`'embed ${action}' takes no --${other}`)
}

/**
 * Reports an unknown embedder as a bad call if the call names the embedder. If the name comes from the log, the call is
 * valid: the embedder may belong to another program.
 */
const unknownAsUsageError = <A, E>(effect: Effect.Effect<A, E | UnknownEmbedder>): Effect.Effect<A, E | CommandEnded> =>
  Effect.catchIf(
    effect,
    (error): error is UnknownEmbedder => error instanceof UnknownEmbedder,
    ({ message }) => usageError(message)
  ) as Effect.Effect<A, E | CommandEnded>

const questionsIn = (file: string): Effect.Effect<ReadonlyArray<LabelledQuestion>, InvalidInput> =>
  Effect.flatMap(
    Effect.try({
      try: () => readFileSync(file, "utf8"),
      catch: () =>
        new InvalidInput({ field: "--questions", problem: "cannot be read: check the path and its permissions" })
    }),
    readLabelled
  )
