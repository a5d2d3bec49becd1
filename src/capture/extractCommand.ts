import { isDeepStrictEqual } from "node:util"
import * as Either from "effect/Either"
import { afterImages, type Captured, type DaybookEvent, type Payload } from "../../events/catalogue.js"
import { canRead, type TrustLevel } from "../../events/Trust.js"
import { findWaitingIds, findWaitingTurns } from "../../projections/extracts.js"
import type { Command, DecidedEvent, Situation } from "../actor/Command.js"
import type { Extraction } from "../ports/Extractor.js"
import type { Batch, SessionKey } from "./request.js"
import type { StatementPlan } from "./statements.js"

/** The result for one statement of a turn. */
export interface CapturedMemory extends Pick<Captured, "id" | "action"> {
  readonly title: string
  /** The memory that this memory replaced. */
  readonly ended?: { readonly id: string; readonly title: string }
}

/** The result of an extraction. */
export interface ExtractCommandResult {
  /** False if the waiting turns changed in the meantime. In that case, nothing was stored. */
  readonly isCurrent: boolean
  readonly captured: ReadonlyArray<CapturedMemory>
  /** How many turns of the session in this store still wait. */
  readonly pending: number
}

export interface ExtractInput {
  readonly batch: Batch
  readonly extraction: Extraction
  readonly statements: StatementPlan
  /** The name of the extractor that was asked. */
  readonly extractor: string
  readonly actor: string
  readonly cause: string
  /** The caller's level. The answer contains only memories that this level may read. */
  readonly level: TrustLevel
}

/** Makes the command that stores an extraction: the memories and the EXTRACT event in one append. */
export const extractCommand = (input: ExtractInput): Command<ExtractCommandResult, never> => {
  const { actor, batch, cause, statements } = input
  const ids = batch.turns.map(({ turn }) => turn.id)
  let pending = 0
  /**
   * Returns true if the first waiting turns are those of the batch. Another process may have extracted or forgotten
   * some turns, or the view may have been edited when the batch was read.
   */
  const areDue = ({ db }: Situation) => {
    const waiting = findWaitingTurns(db, batch.session, batch.store, ids.length)
    return (
      ids.length > 0 &&
      ids.length === waiting.length &&
      batch.turns.every(({ born, turn }, index) => {
        const { turn: present } = waiting[index]!
        return turn.id === present.id && (born === undefined || isDeepStrictEqual(turn, present))
      })
    )
  }
  return {
    actor,
    cause,
    request: () => "",
    parts: { commands: statements.commands.map(({ command }) => command), areDue },
    decide: ({ db, parts }) => {
      const waiting = findWaitingIds(db, batch)
      if (parts === undefined)
        return Either.right({ answer: { isCurrent: false, captured: [], pending: waiting.length } })
      pending = waiting.length - ids.length
      const bornOf = new Map(waiting.map(({ born, id }) => [id, born]))
      return Either.right({ events: [extractEvent(input, parts, (id) => bornOf.get(id))] })
    },
    answer: (events) => ({ isCurrent: true, captured: capturedIn(events, input.level), pending })
  }
}

/** Makes the command that counts the waiting turns of a session in a store. */
export const countWaitingCommand = (actor: string, key: SessionKey): Command<ExtractCommandResult, never> => ({
  actor,
  request: () => "",
  decide: ({ db }) =>
    Either.right({ answer: { isCurrent: true, captured: [], pending: findWaitingIds(db, key).length } }),
  answer: () => ({ isCurrent: true, captured: [], pending: 0 })
})

const extractEvent = (
  { batch, extraction, extractor, statements }: ExtractInput,
  parts: NonNullable<Situation["parts"]>,
  waitingVersion: (id: string) => number | undefined
): DecidedEvent => {
  const { by, fallback, latency, summary } = extraction
  const captured = statements.commands.flatMap(({ rule, turns }, index): ReadonlyArray<Captured> => {
    const event = parts[index]?.[0]
    if (event === undefined || event.payload === null || !("decision" in event.payload)) return []
    const { action } = event.payload.decision
    const versions = turns.flatMap(({ born, turn }) => born ?? waitingVersion(turn.id) ?? [])
    return [{ id: afterImages(event).at(-1)!.id, action, rule, turns: versions }]
  })
  const skipped = new Map<string, number>(statements.skipped)
  const refused = parts.filter((events) => events === null).length
  if (refused > 0) skipped.set("refused", (skipped.get("refused") ?? 0) + refused)
  const payload: Payload<"EXTRACT"> = {
    session: batch.session,
    store: batch.store,
    until: waitingVersion(batch.turns.at(-1)!.turn.id)!,
    turns: batch.turns.length,
    tokens: batch.turns.reduce((sum, { turn }) => sum + turn.tokens, 0),
    extractor,
    by,
    ...(fallback === undefined ? {} : { fallback }),
    ...(latency === undefined ? {} : { latency }),
    captured,
    ...(skipped.size === 0 ? {} : { skipped: Object.fromEntries(skipped) }),
    ...(summary === undefined ? {} : { summary })
  }
  return { type: "EXTRACT", payload }
}

/** The captured memories in an extraction's events that a level may read. */
const capturedIn = (events: ReadonlyArray<DaybookEvent>, level: TrustLevel): ReadonlyArray<CapturedMemory> => {
  const images = events.flatMap((event) => afterImages(event))
  const replaced = new Map(
    events.flatMap(({ payload, type }) =>
      type === "DELETE" && payload.replacement !== undefined ? [[payload.replacement.id, payload.memory]] : []
    )
  )
  return events.flatMap((event) =>
    event.type === "EXTRACT"
      ? event.payload.captured.flatMap(({ action, id }): ReadonlyArray<CapturedMemory> => {
          const memory = images.findLast((image) => image.id === id)
          if (memory === undefined || !canRead(level, memory.store)) return []
          const ended = replaced.get(id)
          const isTold = ended !== undefined && canRead(level, ended.store)
          return [
            { id, action, title: memory.title, ...(isTold ? { ended: { id: ended.id, title: ended.title } } : {}) }
          ]
        })
      : []
  )
}
