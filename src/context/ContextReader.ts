import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { isAtLeast, levelOf, type TrustLevel } from "../../events/Trust.js"
import { annotate, traceEvent } from "../../events/tracing.js"
import { withDisputes } from "../../projections/disputeReads.js"
import { getMemories } from "../../projections/observationReads.js"
import { gateMessage } from "../../text/normalise/gate.js"
import type { ReaderServices, ReaderSource } from "../actor/ReaderSource.js"
import { lowestWriter } from "../maintenance/quoted.js"
import type { InvalidInput } from "../model/errors.js"
import { failureNames } from "../model/failureNames.js"
import { limits } from "../model/limits.js"
import { defineMethod } from "../model/operation.js"
import { toWholeMemory } from "../model/wholeMemory.js"
import type { PolicyValues } from "../ports/Policy.js"
import { indexSettings } from "../ports/policy/prompt.js"
import { searchAndRecord } from "../search/recordedSearch.js"
import { decodeQuery, searchMemories } from "../search/search.js"
import { assemble } from "./assemble.js"
import { type ContextQuery, type ContextRequest, decodeContextQuery } from "./contextQuery.js"
import type { CountTokens } from "./fill.js"
import type { ContextFormat, ContextPart, LeftOutPart } from "./parts.js"
import { type Candidate, rowOf } from "./rows.js"
import { emptyStoredContext, type PrefixCache, readStoredContext, type StoredContext } from "./stored.js"
import { messagesOf, type PromptTurn } from "./turns.js"

export type { ContextQuery } from "./contextQuery.js"
export type { ContextFormat, ContextPart, LeftOutPart, PartName, Place } from "./parts.js"
export type { ContextMemory } from "./rows.js"
export type { PromptTurn } from "./turns.js"

/** The input of a model for one turn. Times are milliseconds since the epoch. */
export interface PromptContext {
  readonly at: number
  readonly level: TrustLevel
  readonly format: ContextFormat
  /** The token budget, and the tokens used. */
  readonly budget: number
  readonly tokens: number
  /**
   * The part for the system prompt. It stays the same all day as long as the memories do not change. Empty if nothing
   * fits into the budget.
   */
  readonly system: string
  /** The rolling summary of earlier turns, for a separate system message. Empty if there is no summary. */
  readonly summary: string
  /** The last turns of the session, oldest first. */
  readonly turns: ReadonlyArray<PromptTurn>
  /** The part to put beside the user's message. Empty if there is nothing to show. */
  readonly user: string
  readonly parts: ReadonlyArray<ContextPart>
  /** The parts that were requested but left out, and why. */
  readonly leftOut: ReadonlyArray<LeftOutPart>
}

/** Reads what a prompt should contain. */
export interface ContextReader {
  /**
   * Makes the input of a model for one turn, within a token budget: who the user is, the profile, recent sessions, open
   * tasks, the memories with the best scores, the memories of the last days, the last turns, and the memories that the
   * message recalls. A part that fails or times out is left out and named in `leftOut`. Fails only on invalid input.
   */
  readonly context: (query?: ContextQuery) => Effect.Effect<PromptContext, InvalidInput>
}

/** Services of contexts, shared by all agents. */
export interface ContextServices {
  readonly policy: PolicyValues
  readonly prefixes: PrefixCache
  readonly countTokens: CountTokens
  /** Whether the token counter counts exactly as the model does. With an estimate, less of the budget is filled. */
  readonly countsExactly: boolean
}

/** Factor by which an estimate of tokens may be too low. */
const estimateMargin = 1.18

/** @internal */
export const makeContextReader = (
  source: ReaderSource,
  services: ReaderServices & { readonly context: ContextServices }
): ContextReader => {
  const { policy, countsExactly } = services.context
  const { level } = source
  const writers = lowestWriter(policy.prompt.writers, level)
  return {
    context: defineMethod("Memory.context")(function* (query = {}) {
      const request = yield* decodeContextQuery(query, policy)
      const limit = countsExactly ? request.tokens : Math.floor(request.tokens / estimateMargin)
      const stored = yield* request.parts === "recalled"
        ? Effect.map(Clock.currentTimeMillis, (now) => ({ ...emptyStoredContext(request.at ?? now, ""), leftOut: [] }))
        : readGuarded(source, services, request, limit)
      const message = request.message ?? stored.lastMessage
      const asking = { ...source, session: request.session ?? source.session, read: readAtTime(source, request.at) }
      const recalled = yield* recall(asking, services, { message, k: request.k, at: request.at })
      const { preset } = indexSettings(policy.prompt_index)
      const style = { preset, writers, relativeTo: stored.at }
      const below = recalled.candidates?.filter(({ memory }) => !isAtLeast(levelOf(memory), writers)) ?? []
      const filled = assemble({
        prefix: stored.prefix,
        at: stored.at,
        limit,
        format: request.format,
        style,
        policy,
        countTokens: services.context.countTokens,
        recalled: recalled.candidates?.filter((candidate) => !below.includes(candidate)),
        isNear: recalled.isNear,
        expiring: stored.expiring,
        quoted: [...below.map((value) => ({ text: rowOf(value, style), value })), ...stored.quoted],
        session: request.session,
        summary: stored.summary,
        turns: stored.turns.map((turn) => messagesOf(turn, writers)).filter((messages) => messages.length > 0)
      })
      const parts = [...stored.prefix.parts, ...filled.parts]
      const leftOut = [...stored.prefix.leftOut, ...stored.leftOut, ...recalled.leftOut, ...filled.leftOut]
      const tokens = stored.prefix.tokens + filled.tokens
      yield* annotate({ agent: source.agent, level, tokens, parts: parts.length })
      yield* reportIndex(recalled, filled.parts)
      const missing = leftOut.map(({ part, reason }) => `${part}: ${reason}`).join("; ")
      yield* Effect.logDebug("context built", { agent: source.agent, level, tokens, leftOut: missing })
      return {
        at: stored.at,
        level,
        format: request.format,
        budget: request.tokens,
        tokens,
        system: stored.prefix.text,
        summary: filled.summary,
        turns: filled.turns,
        user: filled.user,
        parts,
        leftOut
      }
    })
  }
}

/** Runs every read as if at `at`. */
const readAtTime =
  ({ read }: ReaderSource, at: number | undefined): ReaderSource["read"] =>
  (f) =>
    read((snapshot) => f(at === undefined ? snapshot : { ...snapshot, now: at }))

/** Reads a part. A failure or a time-out becomes the reason why the part is left out. */
const guarded = <A, E>(effect: Effect.Effect<A, E>, millis: number): Effect.Effect<Either.Either<A, string>> =>
  Effect.disconnect(effect).pipe(
    Effect.timeoutTo({
      duration: millis,
      onTimeout: () => Either.left(`no answer within ${millis} ms`),
      onSuccess: (answer) => Either.right(answer)
    }),
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause) ? Effect.interrupt : Effect.succeed(Either.left(failureNames(cause)))
    )
  )

/** Reads the content of the view for the context. If the view cannot be read, everything is left out. */
const readGuarded = (
  source: ReaderSource,
  services: ReaderServices & { readonly context: ContextServices },
  request: ContextRequest,
  limit: number
): Effect.Effect<StoredContext> => {
  const { policy, prefixes } = services.context
  const { agent, level, read } = source
  return Effect.gen(function* () {
    const answer = yield* guarded(
      read(({ db, now }) =>
        readStoredContext(db, {
          ...request,
          agent,
          level,
          limit,
          at: request.at ?? now,
          policy,
          prefixes,
          countTokens: services.context.countTokens,
          judge: services.judge,
          settler: services.settler
        })
      ),
      policy.prompt.timeout
    )
    if (Either.isRight(answer)) return answer.right
    return emptyStoredContext(request.at ?? (yield* Clock.currentTimeMillis), answer.left)
  })
}

/** Traces whether memories that the message recalls were found and shown. */
const reportIndex = ({ candidates, leftOut, skipped }: Recall, parts: ReadonlyArray<ContextPart>) => {
  if (candidates === undefined) {
    if (skipped === undefined) return Effect.void
    return traceEvent("prompt_index.skipped", { reason: skipped, parts: leftOut.length })
  }
  const part = parts.find(({ name }) => name === "recalled")
  const memories = part?.memories.length ?? 0
  return Effect.zipRight(
    traceEvent("prompt_index.built", { candidates: candidates.length }),
    memories === 0
      ? traceEvent("prompt_index.skipped", {
          reason: candidates.length === 0 ? "nothing_found" : "shown_already_or_no_room"
        })
      : traceEvent("prompt_index.injected", { memories, tokens: part!.tokens })
  )
}

/** Why a message was not searched. */
type SkipReason = "disabled" | "gate" | "failed"

interface Recall {
  /** The memories that the message recalls, best first; undefined if no search was made. */
  readonly candidates: ReadonlyArray<Candidate> | undefined
  /** False if no candidate is near the message. The candidates are then only the closest memories. */
  readonly isNear: boolean
  readonly leftOut: ReadonlyArray<LeftOutPart>
  readonly skipped?: SkipReason
}

const none: Recall = { candidates: undefined, isNear: true, leftOut: [] }

/** Searches for the memories that a message recalls, if the gate decides that the message needs memories. */
const recall = (
  source: ReaderSource,
  services: ReaderServices & { readonly context: ContextServices },
  { at, k, message = "" }: { readonly message: string | undefined; readonly k: number; readonly at: number | undefined }
): Effect.Effect<Recall> => {
  const leftOut = (skipped: SkipReason, reason: string): Recall => ({
    ...none,
    leftOut: [{ part: "recalled", reason }],
    skipped
  })
  const { policy } = services.context
  if (message.trim() === "" || source.level === "public") return Effect.succeed(none)
  if (!policy.prompt_index.enabled) return Effect.succeed(leftOut("disabled", "prompt_index.enabled is false"))
  const gate = gateMessage(message.slice(0, limits.queryBytes))
  if (!gate.recall) return Effect.succeed(leftOut("gate", `the message needs no memories: ${gate.reason}`))
  const { level } = source
  const writers = lowestWriter(policy.prompt.writers, level)
  const search = Effect.fnUntraced(function* (filter: { readonly writers?: TrustLevel }) {
    const request = yield* decodeQuery({ text: message, at, gate: true, limit: k }, policy.search)
    const filtered = { ...request, filters: { ...request.filters, ...filter } }
    const { hits } = yield* searchAndRecord(source, services, "memories", filtered, searchMemories)
    const isNear = hits.some(({ near }) => near)
    // If no hit is near, the hits do not answer the message. Only the closest ones may be useful.
    const closest = hits.filter(({ evidence }) => evidence >= policy.prompt_index.evidence).slice(0, maxClosest)
    const scores = new Map((isNear ? hits : closest).map(({ id, score }) => [id, score]))
    const memories = yield* source.read(({ db, now }) =>
      withDisputes(db, level, getMemories(db, level, [...scores.keys()], now).map(toWholeMemory), now)
    )
    return { isNear, candidates: memories.map((memory) => ({ memory, score: scores.get(memory.id)! })) }
  })
  const both = Effect.gen(function* () {
    const all = yield* search({})
    const below = all.candidates.filter(({ memory }) => !isAtLeast(levelOf(memory), writers))
    if (below.length === 0) return all
    // Memories of lower levels must not displace other memories.
    const { candidates, isNear } = yield* search({ writers })
    return { isNear, candidates: [...candidates, ...below] }
  })
  return Effect.map(
    guarded(both, policy.prompt.timeout),
    Either.match({ onLeft: (reason) => leftOut("failed", reason), onRight: (found) => ({ ...found, leftOut: [] }) })
  )
}

/** Maximum memories that are shown although none is near. */
const maxClosest = 10
