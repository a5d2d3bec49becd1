import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { countWaitingTurns, findExtractVersion, type WaitingTotals } from "../../projections/extracts.js"
import { findReadableMemories } from "../../projections/lineageReads.js"
import { findTurnVersion } from "../../projections/sessionReads.js"
import type { CommandError } from "../actor/Actor.js"
import type { Command } from "../actor/Command.js"
import { type AddedTurn, type AddTurn, addTurn } from "../conversation/addTurn.js"
import type { AppendTurnError } from "../conversation/Sessions.js"
import type { TurnInput } from "../conversation/turnInput.js"
import { InvalidInput } from "../model/errors.js"
import { refuseUnknownOptions } from "../model/filters.js"
import { randomId } from "../model/ids.js"
import { decodeKey } from "../model/input.js"
import { defineMethod } from "../model/operation.js"
import type { WriteOptions, Writer } from "../remember/remember.js"
import { type Runner, writeOptionNames } from "../remember/runner.js"
import { backgroundKey, type CaptureContext, type CaptureServices, dueAt } from "./Capture.js"
import { type CapturedMemory, countWaitingCommand, type ExtractCommandResult } from "./extractCommand.js"
import { extractAll, extractBatch } from "./extractSession.js"
import { readBatch, type SessionKey } from "./request.js"

export type { CapturedMemory } from "./extractCommand.js"

/** A stored turn, and what was captured with it. */
export interface AppendedTurn {
  readonly turn: AddedTurn
  /** How many turns of the session in this store wait for extraction. */
  readonly pending: number
  /** The result for each statement that this call extracted, from this turn and from waiting turns. */
  readonly captured: ReadonlyArray<CapturedMemory>
}

export interface AppendOptions extends WriteOptions {
  /** True if the turn is extracted, now or later. Default: true if capture is on in the policy. */
  readonly extract?: boolean | undefined
}

export interface ExtractOptions {
  /**
   * True extracts only the turns that are due: see the policy's section `capture`. In the modes "after" and "buffer",
   * the other turns are extracted in the background when they are due, while this process runs. False, the default,
   * extracts all waiting turns.
   */
  readonly due?: boolean | undefined
}

/** The result of `extract`. */
export interface ExtractedTurns {
  readonly captured: ReadonlyArray<CapturedMemory>
  /** How many turns still wait, in the stores that the level may read. */
  readonly pending: number
}

/** Writes of `memory.sessions` that capture. */
export interface CaptureWriter {
  /**
   * Adds a turn to a session; the first turn creates the session. Each sequence number must be greater than the last
   * one; the default is the next number. Statements worth keeping are extracted and stored, at once or later, as the
   * policy says.
   */
  readonly append: (turn: TurnInput, options?: AppendOptions) => Effect.Effect<AppendedTurn, AppendTurnError>
  /**
   * Extracts the waiting turns now, of one session or of all sessions. If a model extracts, the call waits for its
   * answer.
   */
  readonly extract: (
    session?: string,
    options?: ExtractOptions
  ) => Effect.Effect<ExtractedTurns, CommandError | InvalidInput>
}

/** @internal */
export const makeCaptureWriter = (
  runner: Runner,
  writer: Writer,
  services: CaptureServices,
  onTurn: (session: string) => void
): CaptureWriter => {
  const capturing: CaptureContext = { ...services, runner, writer }
  return {
    append: defineMethod("Memory.sessions.append")((turn, options) =>
      Effect.tap(append(capturing, turn, options), ({ turn }) => onTurn(turn.session))
    ),
    extract: defineMethod("Memory.sessions.extract")((session, options) => extract(capturing, session, options))
  }
}

const append = Effect.fnUntraced(function* (
  capturing: CaptureContext,
  input: TurnInput,
  options: AppendOptions = {}
): Effect.fn.Return<AppendedTurn, AppendTurnError> {
  const { capture, runner, writer } = capturing
  yield* refuseUnknownOptions(options, appendOptions)
  const { extract = true, ...others } = options
  if (typeof extract !== "boolean")
    return yield* new InvalidInput({ field: "extract", problem: "must be true or false" })
  const captures = extract && capture.extractor !== undefined
  const id = randomId()
  const decode = () => addTurn(writer, input, { ...others, extract: captures }, id)
  const command = yield* runner.decoded(decode, options, appendOptions)
  const isExtracted = captures && capture.mode === "turn" && command.draft.role === "user"
  const { session, store } = command.draft
  if (isExtracted) yield* capturing.recordShown(session)
  const next = isExtracted
    ? yield* extractionWith(capturing, command, id)
    : countWaitingCommand(writer.actor, { session, store })
  const [added, outcome] = yield* runner.runTogether<AddedTurn | ExtractCommandResult, AppendTurnError>([command, next])
  const turn = (yield* added!) as AddedTurn
  if (turn.repeated) return { turn, ...(yield* capturedBefore(capturing, { session, store }, turn.id)) }
  // The turn is stored, even if the extraction failed.
  const extracted = Either.getOrElse(outcome!, () => notExtracted) as ExtractCommandResult
  if (isExtracted && !extracted.isCurrent) {
    const { captured, pending } = yield* extractAll(capturing, { session, store }, "rules")
    return { turn, pending, captured }
  }
  if (captures && !isExtracted) yield* extractLater(capturing, { session, store })
  return { turn, pending: extracted.pending, captured: extracted.captured }
})

const appendOptions: ReadonlyArray<string> = [...writeOptionNames, "extract"]

const notExtracted: ExtractCommandResult = { isCurrent: true, captured: [], pending: 1 }

/** Makes the command that extracts the waiting turns and a turn that the same write adds. */
const extractionWith = Effect.fnUntraced(function* (
  capturing: CaptureContext,
  { cause, draft }: AddTurn,
  id: string
): Effect.fn.Return<Command<ExtractCommandResult, never>, CommandError> {
  const { capture, read } = capturing
  const { at, ...content } = draft
  const { batch, now } = yield* read(({ db, now }) => ({ batch: readBatch(db, draft, capture.policy.turns), now }))
  if (batch.turns.length >= capture.policy.turns) return { ...countWaitingCommand("capture", draft), decide: manyWait }
  const turn = { ...content, id, sequence: 0, occurredAt: at ?? now }
  const whole = { ...batch, turns: [...batch.turns, { turn }] }
  return yield* extractBatch(capturing, whole, "rules", cause)
})

/** Answers that too many turns wait for a single extraction. */
const manyWait = () => Either.right({ answer: { ...notExtracted, isCurrent: false } })

/** Repeats the answer of the call that added the turn, with the present titles. */
const capturedBefore = Effect.fnUntraced(function* (
  { codec, log, agent, read, writer }: CaptureContext,
  { session, store }: SessionKey,
  id: string
) {
  const { pending, version } = yield* read(({ db }) => {
    const waiting = countWaitingTurns(db, writer.level, session).find((group) => group.store === store)
    const turn = findTurnVersion(db, id)
    return {
      pending: waiting?.turns ?? 0,
      version: turn === undefined ? undefined : findExtractVersion(db, session, store, turn)
    }
  })
  const [row] = version === undefined ? [] : yield* log.at(agent, [version])
  const event = row && (yield* codec.decode(row))
  const entries = event?.type === "EXTRACT" && event.payload !== null ? event.payload.captured : []
  const ids = entries.map((entry) => entry.id)
  const memories = yield* read(({ db, now }) => findReadableMemories(db, writer.level, ids, now))
  const captured = entries.flatMap(({ action, id }): ReadonlyArray<CapturedMemory> => {
    const memory = memories.get(id)
    return memory === undefined ? [] : [{ id, action, title: memory.title }]
  })
  return { pending, captured }
})

/** Plans the extraction of a session's waiting turns in the background, for when they are due. */
const extractLater = (capturing: CaptureContext, key: SessionKey) =>
  capturing.capture.mode === "turn"
    ? Effect.void
    : capturing.read(({ db, now }) => {
        const waiting = countWaitingTurns(db, "full", key.session).filter(({ store }) => store === key.store)
        planExtractions(capturing, waiting, now)
      })

/** Starts the extractions that are due, and sets timers for the others. */
const planExtractions = (capturing: CaptureContext, waiting: ReadonlyArray<WaitingTotals>, now: number): void => {
  const { agent, capture } = capturing
  for (const group of waiting) {
    const work = {
      effect: Effect.asVoid(extractWaiting(capturing, group)),
      message: "turns could not be extracted yet"
    }
    const millis = dueAt(group, capture) - now
    const key = backgroundKey(agent, group)
    if (millis <= 0) capture.background.start(key, work)
    else capture.background.startAfter(key, millis, work)
  }
}

/** Extracts the waiting turns, with the model if there is one. */
const extractWaiting = (capturing: CaptureContext, key: SessionKey) =>
  capturing.capture.background.alone(
    backgroundKey(capturing.agent, key),
    Effect.zipRight(capturing.recordShown(key.session), extractAll(capturing, key, "model"))
  )

const extract = Effect.fnUntraced(function* (
  capturing: CaptureContext,
  session: string | undefined,
  options: ExtractOptions = {}
) {
  const { capture, read, writer } = capturing
  yield* refuseUnknownOptions(options, ["due"])
  if (options.due !== undefined && typeof options.due !== "boolean")
    return yield* new InvalidInput({ field: "due", problem: "must be true or false" })
  if (session !== undefined) yield* decodeKey("session", session)
  const { groups, now } = yield* read(({ db, now }) => ({ groups: countWaitingTurns(db, writer.level, session), now }))
  const isDue = (group: WaitingTotals) => options.due !== true || dueAt(group, capture) <= now
  const captured: Array<CapturedMemory> = []
  if (capture.extractor !== undefined) {
    const later = groups.filter((group) => !isDue(group))
    if (capture.mode !== "turn") planExtractions(capturing, later, now)
    for (const group of groups.filter(isDue)) captured.push(...(yield* extractWaiting(capturing, group)).captured)
  }
  const waiting = yield* read(({ db }) => countWaitingTurns(db, writer.level, session))
  return { captured, pending: waiting.reduce((sum, { turns }) => sum + turns, 0) }
})
