import { inspect } from "node:util"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import { LanguageModels, ModelReconciler } from "../../layers/models/index.js"
import { decode, type ModelSettings } from "../../src/ports/Policy.js"
import type { Judgement, Question, ReconcilerError, Statement } from "../../src/ports/Reconciler.js"
import type { Protocol } from "./modelProtocols.js"
import { type ModelServer, modelServer } from "./modelServer.js"
import { withSettings } from "./settings.js"

export const protocols: ReadonlyArray<Protocol> = ["responses", "chat", "messages"]

export const key = "sk-test-4Hq9ZsecretKEYv7"
export const environment = { TEST_MODEL_KEY: key }

/** The section `model` of a policy that asks this server, quick in everything. */
export const settingsOf = (
  protocol: Protocol,
  url: string,
  more: Readonly<Record<string, unknown>> = {}
): ModelSettings => {
  const spoken = protocol === "messages" ? { provider: "anthropic" } : { provider: "openai", api: protocol }
  const quick = { timeout: 2_000, patience: 4_000, backoff: 10 }
  const model = { ...spoken, model: "small-1", baseUrl: url, keyVariable: "TEST_MODEL_KEY", ...quick, ...more }
  return Either.getOrThrow(decode({ model })).model!
}

export const statementOf = (title: string, more: Partial<Statement> = {}): Statement => ({
  type: "technical",
  title,
  facts: [],
  tags: [],
  people: [],
  at: Date.UTC(2026, 2, 1),
  ...more
})

export const question: Question = {
  statement: statementOf("The staging database is on port 5433 now", {
    facts: ["the port is 5433"],
    people: ["Zyxwina"]
  }),
  candidates: [
    {
      ...statementOf("The staging database is on port 5432", { narrative: "Since the zyxwmove.", tags: ["database"] }),
      score: 0.8
    },
    { ...statementOf("The production database is on port 5432"), score: 0.6 }
  ]
}

/** Words of the question that nothing but the request may hold. */
export const texts: ReadonlyArray<string> = ["port 543", "Zyxwina", "zyxwmove"]

export interface Asking {
  readonly server: ModelServer
  readonly ask: (question: Question) => Effect.Effect<Judgement, ReconcilerError>
}

/** A server of a protocol, and a model that asks it. */
export const serving = (
  protocol: Protocol,
  more: Readonly<Record<string, unknown>> = {},
  refuses: ReadonlyArray<string> = []
) =>
  Effect.gen(function* () {
    const server = yield* modelServer({ key, refuses })
    const settings = settingsOf(protocol, server.url, more)
    const model = yield* Effect.orDie(LanguageModels.make(settings).pipe(withSettings(environment)))
    return { server, model, name: LanguageModels.nameOf(settings) }
  })

/** A server of a protocol, and a reconciler that asks it. */
export const asking = (...given: Parameters<typeof serving>): Effect.Effect<Asking, never, Scope.Scope> =>
  Effect.map(serving(...given), ({ model, name, server }) => ({ server, ask: ModelReconciler.ask(model, name) }))

/** Runs a program and gives its exit with everything that it logged, traced, or told as an error, as one text. */
export const overheard = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const heard: Array<string> = []
    const spans: Array<Tracer.Span> = []
    const note = (...values: ReadonlyArray<unknown>) =>
      heard.push(...values.map((value) => inspect(value, { depth: 20 })))
    const logger = Logger.make(({ annotations, cause, message }) =>
      note(message, HashMap.toEntries(annotations), Cause.pretty(cause, { renderErrorCause: true }))
    )
    const tracer = Tracer.make({
      context: (run) => run(),
      span: (name, parent, context, links, startTime, kind) => {
        const attributes = new Map<string, unknown>()
        const span: Tracer.Span = {
          _tag: "Span",
          name,
          spanId: String(spans.length),
          traceId: "t",
          parent,
          context,
          links,
          kind,
          sampled: true,
          attributes,
          status: { _tag: "Started", startTime },
          attribute: (name, value) => attributes.set(name, value),
          event: (...event) => note(event),
          addLinks: () => {},
          // As exporters have it: of what succeeds they say nothing more.
          end: (_, exit) =>
            note(name, [...attributes], ...(Exit.isFailure(exit) ? [exit, Cause.pretty(exit.cause)] : []))
        }
        spans.push(span)
        return span
      }
    })
    const exit = yield* Effect.exit(program).pipe(
      Effect.provide(
        Layer.mergeAll(Logger.replace(Logger.defaultLogger, logger), Logger.minimumLogLevel(LogLevel.All))
      ),
      Effect.withTracer(tracer)
    )
    if (Exit.isFailure(exit)) {
      note(exit.cause, JSON.stringify(exit.cause), Cause.pretty(exit.cause, { renderErrorCause: true }))
      const error = Option.getOrUndefined(Cause.failureOption(exit.cause)) as Error | undefined
      note(error?.message, error?.stack, String(error), JSON.stringify(error))
    }
    return { exit, text: heard.join("\n"), spans: spans.map(({ name }) => name) }
  })
