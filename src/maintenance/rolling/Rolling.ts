import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { readableStores, type Store, type TrustLevel } from "../../../events/Trust.js"
import { findRollingSummary, findTurnsAfter } from "../../../projections/rollingSummaries.js"
import type { CommandError } from "../../actor/Actor.js"
import { ruleDecision, visibleVersion } from "../../actor/Command.js"
import type { ReaderServices, ReaderSource } from "../../actor/ReaderSource.js"
import type { InvalidInput, LevelTooLow, ProjectionParked, StoreForbidden } from "../../model/errors.js"
import { checkInteger, type ReadError, refuseUnknownOptions } from "../../model/filters.js"
import { decodeWith, keyField, optionalFields, storeField } from "../../model/input.js"
import { defineMethod } from "../../model/operation.js"
import { storeToWrite } from "../../remember/levels.js"
import type { Writer } from "../../remember/remember.js"
import { type Runner, writeOptionNames } from "../../remember/runner.js"
import { applySummarizer } from "../applySummarizer.js"
import type { Maintainer } from "../maintain.js"
import { lowestWriter } from "../quoted.js"
import { planRolling, withModelLines } from "./planRolling.js"
import {
  type RollingInput,
  type RollingOptions,
  stateCommand,
  type WrittenRolling,
  writeRolling
} from "./writeRolling.js"

export type { RollingInput, RollingOptions, WrittenRolling } from "./writeRolling.js"

/** The rolling summary of a session in one store. Times are milliseconds since the epoch. */
export interface SessionRolling {
  readonly session: string
  readonly store: Store
  readonly text: string
  readonly tokens: number
  /** Number of writes so far. A write must pass the epoch that the caller read. */
  readonly epoch: number
  /** The sequence number of the newest turn that the summary covers. */
  readonly upperSequence: number
  /**
   * The lowest trust level of the summary's sources. If it is below `prompt.writers`, give the text to a model only as
   * quoted data.
   */
  readonly level: TrustLevel
  readonly by: { readonly kind: string; readonly name: string }
  readonly writtenAt: number
  /** The stream version of the event; only at full trust. */
  readonly version?: number
}

/** The result of condensing turns. */
export interface Rolled extends WrittenRolling {
  /** Number of turns that were condensed; 0 if nothing was due. */
  readonly condensed: number
}

/** Reads of rolling summaries: `memory.sessions.rolling`. */
export interface RollingReader {
  /** The rolling summary of a session; null if it has none. */
  readonly read: (
    session: string,
    query?: { readonly store?: Store | undefined }
  ) => Effect.Effect<SessionRolling | null, ReadError>
}

type WriteError = CommandError | InvalidInput | LevelTooLow | ProjectionParked | StoreForbidden

/** Writes of rolling summaries: `memory.sessions.rolling`. */
export interface RollingWriter {
  /** Replaces the summary. Returns `applied: false` if the stored epoch is not the epoch that the caller read. */
  readonly write: (
    session: string,
    input: RollingInput,
    options?: RollingOptions
  ) => Effect.Effect<WrittenRolling, WriteError>
  /**
   * Condenses the oldest turns of a session if its turns fill the budget (`summary.tokens`): see the policy's section
   * `summary`. Rules write the lines, or a model writes them and the engine checks them against the turns.
   */
  readonly roll: (
    session: string,
    options?: Pick<RollingOptions, "run" | "store"> & { readonly tokens?: number | undefined }
  ) => Effect.Effect<Rolled, WriteError>
}

const decodePlace = decodeWith(Schema.Struct({ session: keyField, ...optionalFields({ store: storeField }) }))

/** @internal */
export const makeRollingReader = (
  { level, read }: ReaderSource,
  { countTokens }: Pick<ReaderServices, "countTokens">
): RollingReader => ({
  read: defineMethod("Memory.sessions.rolling.read")(function* (session, query = {}) {
    yield* refuseUnknownOptions(query, ["store"])
    const { store = readableStores(level)[0] ?? "social" } = yield* decodePlace({ session, store: query.store })
    const row = yield* read(({ db }) => findRollingSummary(db, session, store, level))
    if (row === undefined) return null
    const { by, version, writtenAt } = row
    const { sources: _, ...state } = row.state
    return {
      ...{ session, store, by, writtenAt },
      ...state,
      tokens: countTokens(state.text),
      ...visibleVersion(level, version)
    }
  })
})

/** Maximum turns that are condensed at once. */
const maxTurns = 1_000

/** @internal */
export const makeRollingWriter = (
  { run }: Runner,
  writer: Writer,
  { policy, read, summarizing }: Pick<Maintainer, "policy" | "read" | "summarizing">
): RollingWriter => ({
  write: defineMethod("Memory.sessions.rolling.write")((session, input, options) =>
    run(() => writeRolling(writer, session, input, options), options, rollingOptions)
  ),

  roll: defineMethod("Memory.sessions.rolling.roll")(function* (session, options = {}) {
    yield* refuseUnknownOptions(options, rollOptions)
    const place = yield* decodePlace({ session, store: options.store })
    const store = yield* storeToWrite(writer.level, place.store)
    const budget = yield* checkInteger(
      "tokens",
      options.tokens ?? policy.summary.tokens,
      minBudget,
      Number.MAX_SAFE_INTEGER
    )
    const { countTokens } = writer
    const input = yield* read(({ db }) => {
      const before = findRollingSummary(db, session, store)?.state
      return { before, ...findTurnsAfter(db, session, store, { after: before?.upperSequence ?? 0, limit: maxTurns }) }
    })
    const writers = lowestWriter(policy.prompt.writers, "full")
    const planOptions = { policy: policy.summary, budget, writers, countTokens }
    const plan = policy.summary.enabled ? planRolling(input, planOptions) : null
    const epoch = input.before?.epoch ?? 0
    if (plan === null) return { applied: false, condensed: 0, epoch, repeated: false }
    const reason = `${input.count} turns filled more than ${policy.summary.trigger_ratio} of ${budget} tokens`
    const decision = ruleDecision("SUMMARIZE", "rolling", reason)
    const event = { type: "ROLL" as const, payload: { session, store, state: plan.state, decision } }
    const sources = plan.quoted.map(({ turn }) => ({
      type: turn.role,
      ...(turn.speaker === undefined ? {} : { speaker: turn.speaker }),
      text: turn.text.slice(0, maxSourceLength).toWellFormed(),
      facts: [],
      at: turn.occurredAt
    }))
    const request = { kind: "session" as const, subject: "", sources, budget: countTokens(plan.state.text) + margin }
    const [written = event] = yield* applySummarizer(
      sources.length === 0 ? undefined : summarizing,
      [event],
      [
        {
          eventIndex: 0,
          request,
          write: (lines) => {
            const texts = lines.map(({ text }) => text)
            const state = withModelLines(input, plan, texts, planOptions)
            return { ...event, payload: { ...event.payload, state } }
          }
        }
      ],
      countTokens
    )
    const { payload } = written as typeof event
    const result = yield* run(
      () =>
        Either.right(
          stateCommand(writer, {
            ...{ session, store, epoch, decision: payload.decision },
            request: () => JSON.stringify(["roll", session, store, epoch]),
            stateIn: () => Either.right(payload.state)
          })
        ),
      options,
      rollOptions
    )
    return { ...result, condensed: result.applied ? plan.condensed.length : 0 }
  })
})

const rollingOptions: ReadonlyArray<string> = [...writeOptionNames, "store"]
const rollOptions: ReadonlyArray<string> = ["run", "store", "tokens"]

/** Number of tokens by which a model's lines may exceed the lines written by rules. */
const margin = 50
/** Maximum characters of a turn in a request to a summarizer. */
const maxSourceLength = 2_000
/** The smallest budget with room for a summary line, in tokens. */
const minBudget = 200
