import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StorageError } from "../events/errors.js"
import type { TrustLevel } from "../events/Trust.js"
import { annotate } from "../events/tracing.js"
import { toInstant } from "../text/when/dates.js"
import * as AsOf from "./actor/AsOf.js"
import type { ReaderSource } from "./actor/ReaderSource.js"
import type { AgentOptions, AsOfInput, DaybookService } from "./DaybookService.js"
import type { Engine } from "./engine.js"
import { type Memory, makeMemory, makeReader } from "./Memory.js"
import { InvalidInput, TrustRequired, VersionNotFound } from "./model/errors.js"
import { checkInteger, checkLevel, refuseUnknownOptions } from "./model/filters.js"
import { dateProblem, decodeKey } from "./model/input.js"
import { limits } from "./model/limits.js"

/** Makes the handles through which programs read and write an agent's memory. */
export const makeHandles = (engine: Engine) => {
  const live = (agent: string, options: AgentOptions): Memory => liveMemory(engine, agent, options)
  return {
    live,
    agent: ((name: string, options: AgentOptions & { readonly asOf?: AsOfInput }) =>
      Effect.zipRight(
        checkOptions(options),
        Effect.flatMap(engine.agentNamed(name), (agent) =>
          options.asOf === undefined
            ? Effect.succeed(live(agent, options))
            : pastReader(engine, agent, options, options.asOf)
        )
      )) as DaybookService["agent"]
  }
}

const checkOptions = Effect.fnUntraced(function* (
  // Without options, the error names the missing trust level.
  options: Partial<AgentOptions> & { readonly asOf?: AsOfInput } = {}
) {
  yield* refuseUnknownOptions(options, ["trust", "actor", "record", "session", "asOf"])
  const { asOf, ...others } = options
  if (asOf !== undefined) yield* checkAsOf(asOf)
  yield* checkLevel("trust", others.trust)
  if (others.session !== undefined) yield* decodeKey("session", others.session)
  if (options.actor !== undefined && (options.actor === "" || options.actor.length > limits.key)) {
    return yield* new InvalidInput({ field: "actor", problem: `must have 1 to ${limits.key} characters` })
  }
})

const checkAsOf = Effect.fnUntraced(function* (asOf: AsOfInput) {
  yield* refuseUnknownOptions(asOf, ["version", "at"], "asOf")
  if (Object.keys(asOf).length !== 1) {
    return yield* new InvalidInput({ field: "asOf", problem: "must be { version: number } or { at: time }" })
  }
})

/** A reader and writer of the present memory. */
const liveMemory = (engine: Engine, agent: string, options: AgentOptions): Memory => {
  const { agents, codec, countTokens, log, policy, readerServices, recalls, views } = engine
  const isRecorded = options.record ?? (policy.recall.log || options.session !== undefined)
  const annotated = annotate({ agent, level: options.trust })
  const source: ReaderSource = {
    agent,
    level: options.trust,
    session: options.session,
    read: (f) =>
      Effect.flatMap(Effect.zipRight(annotated, Clock.currentTimeMillis), (now) =>
        engine.readAgent(
          agent,
          ({ actor }) =>
            views.read(actor.view, (db) => {
              const snapshot = { db, now }
              // After an event that this release does not support, nothing may be written, so recalls are not recorded.
              return f(
                isRecorded && actor.view.unknown === undefined
                  ? { ...snapshot, observe: () => recalls.observe(agent, snapshot) }
                  : snapshot
              )
            }),
          (db) => f({ db, now })
        )
      ),
    readAt: readAt(engine, agent)
  }
  return makeMemory({
    reader: makeReader(source, readerServices),
    use: (f) => Effect.zipRight(annotated, agents.use(agent, f)),
    writer: {
      level: options.trust,
      pin: policy.tiers.pin,
      actor: options.actor ?? "program",
      countTokens,
      marks: policy.marks,
      schedules: policy.schedules,
      tools: policy.tools,
      reconciling: engine.reconciling
    },
    isEmpty: Effect.map(log.head(agent), ({ version }) => version === 0),
    services: {
      agent,
      log,
      codec,
      read: source.read,
      policy,
      policyDigest: engine.policyDigest,
      summarizing: engine.summarizing,
      judge: readerServices.judge,
      settler: readerServices.settler,
      statements: engine.statements,
      capture: engine.capture,
      background: engine.background,
      recordShown: (session) => recalls.flushSession(agent, session)
    }
  })
}

/** A reader of a past version. */
const pastReader = Effect.fnUntraced(function* (
  engine: Engine,
  agent: string,
  { trust }: AgentOptions,
  asOf: AsOfInput
) {
  const { activeEmbedders, agents, policy, readerServices, views } = engine
  const { at, version } = yield* resolveAsOf(engine, agent, trust, asOf)
  const point = yield* engine.pointAt(agent, version)
  return makeReader(
    {
      agent,
      level: trust,
      read: (f) =>
        version === 0
          ? views.readEmpty((db) => f({ db, now: at }))
          : agents.use(agent, ({ actor }) =>
              AsOf.read(
                { views, liveView: actor.view, target: point, level: trust, at, maxCached: policy.asOf.kept },
                f
              )
            ),
      readAt: readAt(engine, agent)
    },
    { ...readerServices, activeEmbedders: activeEmbedders.past }
  )
})

/** Resolves a past moment to its version and its time in milliseconds. */
export const resolveAsOf = Effect.fnUntraced(function* (
  { log, timeOf }: Engine,
  agent: string,
  trust: TrustLevel,
  asOf: AsOfInput
): Effect.fn.Return<
  { readonly version: number; readonly at: number },
  InvalidInput | TrustRequired | VersionNotFound | StorageError
> {
  yield* checkAsOf(asOf)
  const { version: newest } = yield* log.head(agent)
  if ("at" in asOf) {
    const at = toInstant(asOf.at)
    if (at === undefined)
      return yield* new InvalidInput({
        field: "asOf.at",
        problem: dateProblem(asOf.at)
      })
    return { version: yield* log.versionAt(agent, at), at }
  }
  if (!AsOf.mayReadPastVersions(trust)) return yield* new TrustRequired({ what: "reading as of a version" })
  const version = yield* checkInteger("asOf.version", asOf.version, 0, Number.MAX_SAFE_INTEGER)
  if (version > newest) return yield* new VersionNotFound({ version, newest })
  return { version, at: yield* timeOf(agent, version) }
})

const readAt =
  ({ agents, pointAt, policy, views }: Engine, agent: string): ReaderSource["readAt"] =>
  (version, now, f) =>
    Effect.flatMap(pointAt(agent, version), (point) =>
      agents.use(agent, ({ actor }) =>
        AsOf.read(
          { views, liveView: actor.view, target: point, level: "full", at: now, maxCached: policy.asOf.kept },
          f
        )
      )
    )
