import { readFileSync } from "node:fs"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Daybook } from "../../src/Daybook.js"
import type { SwitchOptions } from "../../src/embedding/admin/EmbedderOperations.js"
import { type Labelled, readLabelled } from "../../src/embedding/admin/labelled.js"
import { InvalidInput } from "../../src/model/errors.js"
import { UnknownEmbedder } from "../../src/ports/Embedders.js"
import { calibratedText, comparedText, rateText, statusText, switchedText } from "../embedders.js"
import { codeOf, Ended, exitCodes, refused } from "../exit.js"
import { count } from "../format.js"
import { flag, one, share, whole } from "../options.js"
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

/** What a verb does for one agent: its answer, and how people read it. */
interface Answer {
  readonly value: object
  readonly text: () => string | Promise<string>
  /** What could not be done of it. */
  readonly error?: string
}

interface Verb {
  /** What has to stand behind it. */
  readonly needs?: string
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
      Effect.map(embedders.status(agent), (status) => ({ value: status, text: () => statusText(out, status) }))
  },
  backfill: {
    takes: ["all"],
    run: ({ agent }, daybook) =>
      Effect.map(daybook.backfill(agent), ({ embedded, error, remaining }) => ({
        value: { embedded, remaining, ...(error === undefined ? {} : { error: error.message }) },
        text: () => `${count(embedded, "text")} embedded, ${remaining} remaining`,
        ...(error === undefined ? {} : { error: error.message })
      }))
  },
  switch: {
    needs: "a model, such as openai/text-embedding-3-small",
    takes: ["dimensions", "weight", "prepare", "now", "all"],
    run: ({ agent, out }, { embedders }, { dimensions, now, prepare, weight }, model) =>
      Effect.map(
        known(
          embedders.switchTo(agent, model!, {
            dimensions,
            weight,
            now,
            adopt: prepare !== true,
            actor: "cli",
            ...shownOn(out)
          })
        ),
        (switched) => ({ value: switched, text: () => switchedText(switched, weight) })
      )
  },
  compare: {
    takes: ["with", "dimensions", "limit", "questions"],
    run: ({ agent, out }, { embedders }, { dimensions, limit, questions, with: other }) =>
      Effect.gen(function* () {
        const labelled = questions === undefined ? undefined : yield* questionsIn(questions)
        const compared = yield* embedders.compare(agent, { with: other, dimensions, limit, questions: labelled })
        return { value: compared, text: () => comparedText(out, compared) }
      })
  },
  calibrate: {
    takes: ["with", "dimensions", "questions", "all"],
    run: ({ agent, out }, { embedders }, { dimensions, questions, with: other }) =>
      Effect.gen(function* () {
        const labelled = questions === undefined ? undefined : yield* questionsIn(questions)
        const asked = embedders.calibrate(agent, { with: other, dimensions, questions: labelled })
        const found = yield* other === undefined ? asked : known(asked)
        return { value: found, text: () => calibratedText(out, found) }
      })
  },
  back: {
    takes: ["now", "all"],
    run: ({ agent, out }, { embedders }, { now }) =>
      Effect.map(
        embedders.back(agent, {
          now,
          actor: "cli",
          ...shownOn(out)
        }),
        (switched) => ({ value: switched, text: () => switchedText(switched) })
      )
  },
  drop: {
    takes: ["dimensions", "all"],
    run: ({ agent }, { embedders }, { dimensions }, model) =>
      Effect.map(embedders.drop(agent, model, { dimensions, actor: "cli" }), (dropped) => ({
        value: { dropped },
        text: () => dropped.map((one) => `dropped ${one.model}, ${one.dimensions} dimensions`).join("\n")
      }))
  }
}

export const embed: Command<Options, readonly [what: string | undefined, model: string | undefined]> = {
  usage: "embed [what] [model]",
  creates: "switch",
  summary: `what makes the vectors, and changing it (${Object.keys(verbs).join(", ")})`,
  operator: true,
  options: [
    one("--dimensions <n>", "length of the vectors (default: the model's own)", whole(1, 8_192)),
    one("--weight <share>", "of 'switch': how far ranking trusts its vectors (default: its own)", share),
    flag("--prepare", "of 'switch': make the index and leave the old one in force, to compare them first"),
    flag("--now", "of 'switch' and 'back': in force at once; what is missing is made then"),
    one(
      "--with <model>",
      "of 'compare': the other one (default: what is prepared, or was in force before); of 'calibrate': its index"
    ),
    one("--limit <n>", "of 'compare': so many of the newest recalled queries (default: 50)", whole(1, 1_000)),
    one(
      "--questions <file>",
      'of \'compare\' and \'calibrate\': labelled questions, {"query": "…", "ids": ["…"]} a line'
    ),
    flag("--all", "for every agent of the data folder")
  ],
  examples: [
    "embed status",
    "embed switch openai/text-embedding-3-small --prepare",
    "embed compare --questions questions.jsonl",
    "embed switch openai/text-embedding-3-small --dimensions 512 --all",
    "embed calibrate",
    "embed back"
  ],
  run: (call, options, [what = "status", model]) =>
    Effect.gen(function* () {
      const verb = yield* checked(what, model, options)
      const daybook = yield* call.daybook
      if (options.all !== true) {
        const { error, text, value } = yield* verb.run(call, daybook, options, model)
        yield* call.out.show(value, text)
        return error === undefined ? undefined : yield* refused(error)
      }
      const values: Record<string, object> = {}
      const texts: Array<string> = []
      const failed: Array<string> = []
      for (const { name } of yield* daybook.agents) {
        // What one agent cannot do, having no other index say, keeps none of the others from it.
        const outcome = yield* Effect.either(verb.run({ ...call, agent: name }, daybook, options, model))
        if (outcome._tag === "Left" && codeOf(outcome.left) === exitCodes.badCall) return yield* outcome.left
        const error = outcome._tag === "Left" ? outcome.left.message : outcome.right.error
        const text = outcome._tag === "Left" ? "" : yield* Effect.promise(async () => outcome.right.text())
        values[name] = outcome._tag === "Left" ? { error: outcome.left.message } : outcome.right.value
        texts.push(`${call.out.colours.bold(name)}\n${text === "" ? error : text}`)
        if (error !== undefined) failed.push(`${name}: ${error}`)
      }
      yield* call.out.show(values, () => texts.join("\n\n"))
      if (failed.length > 0) return yield* refused(failed.join("; "))
    })
}

/** How far it has come, and why it waits where it does. */
const shownOn = (out: Output): Pick<SwitchOptions, "onFailure" | "onProgress"> => ({
  onProgress: (rate) => out.progress(rate.made, rate.made + rate.left, rateText(rate)),
  onFailure: ({ message }, pause) => out.note(`${message}; it goes on in ${Math.ceil(pause / 1_000)} s`)
})

/** A verb that there is, with what it needs and no option that it does not take. */
const checked = (what: string, model: string | undefined, options: Options): Effect.Effect<Verb, Ended> => {
  const verb = Object.hasOwn(verbs, what) ? verbs[what] : undefined
  if (verb === undefined) return badCall(`what: must be one of ${Object.keys(verbs).join(", ")}`)
  if (verb.needs !== undefined && model === undefined) return badCall(`'embed ${what}' needs ${verb.needs}`)
  if (verb.needs === undefined && what !== "drop" && model !== undefined)
    return badCall(`'embed ${what}' takes no model`)
  const other = Object.keys(options).find((name) => !(verb.takes as ReadonlyArray<string>).includes(name))
  return other === undefined ? Effect.succeed(verb) : badCall(`'embed ${what}' takes no --${other}`)
}

/** A name in the call that no embedder has can never be right; one in the log may be that of another program's. */
const known = <A, E>(asked: Effect.Effect<A, E | UnknownEmbedder>): Effect.Effect<A, E | Ended> =>
  Effect.catchIf(
    asked,
    (error): error is UnknownEmbedder => error instanceof UnknownEmbedder,
    ({ message }) => badCall(message)
  ) as Effect.Effect<A, E | Ended>

const badCall = (message: string) => Effect.fail(new Ended({ message, code: exitCodes.badCall }))

const questionsIn = (file: string): Effect.Effect<ReadonlyArray<Labelled>, InvalidInput> =>
  Effect.flatMap(
    Effect.try({
      try: () => readFileSync(file, "utf8"),
      catch: () => new InvalidInput({ field: "--questions", problem: "cannot be read" })
    }),
    readLabelled
  )
