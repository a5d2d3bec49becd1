import * as Either from "effect/Either"
import type { Decision } from "../../events/catalogue.js"
import type { Dispute, Link, Memory } from "../../events/Memory.js"
import { isAtLeast, opennessOf } from "../../events/Trust.js"
import { type Contradiction, findOpenDisputes } from "../../projections/disputeGroups.js"
import { getMemories } from "../../projections/observationReads.js"
import {
  type Command,
  callerDecision,
  commandIdOf,
  type DecidedEvent,
  requireUnparked,
  runCause,
  visibleVersion
} from "../actor/Command.js"
import { staleEvents } from "../actor/lineage.js"
import { InvalidInput, LevelTooLow, MemoryNotFound, type ProjectionParked } from "../model/errors.js"
import { randomId } from "../model/ids.js"
import { inheritedTier } from "../model/inheritedTier.js"
import { decodeKey } from "../model/input.js"
import { nextRevision } from "../model/nextRevision.js"
import type { WriteOptions, Writer } from "./remember.js"

/**
 * How a dispute ends. `keep` keeps the older side and retires the newer one. `replace` keeps the newer side and retires
 * the older one. `both` keeps both sides.
 */
export const choices = ["keep", "replace", "both"] as const
export type Choice = (typeof choices)[number]

/** A settled dispute. */
export interface Settled {
  readonly outcome: "settled"
  readonly id: string
  readonly choice: Choice
  /** The ids of the sides that were kept. */
  readonly kept: ReadonlyArray<string>
  /** The ids of the sides that were retired. */
  readonly retired: ReadonlyArray<string>
  /** The run of the settlement. Undo reverts the whole run. */
  readonly run: string
  /** The stream version of the first event; only at full trust. */
  readonly version?: number
  readonly repeated: boolean
}

/** The errors of a settlement. */
export type SettleError = InvalidInput | LevelTooLow | MemoryNotFound | ProjectionParked

/**
 * Makes the command that settles open disputes of a memory, whichever side it is. If the memory disputes older
 * memories, these disputes are settled. Otherwise the disputes that newer memories raised against it are settled.
 * `both` settles all of them. Other sides of the group do not change. Fails with `MemoryNotFound` if the level cannot
 * read the memory, with `InvalidInput` if it is in no open dispute, and with `LevelTooLow` if a higher level wrote a
 * side of the group.
 */
export const settleDispute = (
  writer: Writer,
  id: string,
  choice: Choice,
  options: WriteOptions = {}
): Either.Either<Command<Settled, SettleError>, InvalidInput> =>
  Either.gen(function* () {
    yield* decodeKey("id", id)
    if (!choices.includes(choice)) {
      return yield* Either.left(new InvalidInput({ field: "choice", problem: `must be one of ${choices.join(", ")}` }))
    }
    const commandId = yield* commandIdOf(writer.level, options.commandId)
    const run = options.run ?? randomId()
    return {
      actor: writer.actor,
      commandId,
      cause: runCause(run),
      request: () => JSON.stringify(["decide", id, choice]),
      decide: ({ db, now, version }) =>
        Either.gen(function* () {
          yield* requireUnparked(db, "disputes")
          const { level } = writer
          const [memory] = getMemories(db, level, [id], now)
          if (memory === undefined) return yield* Either.left(new MemoryNotFound({ id }))
          const dispute = findOpenDisputes(db, level, [id], now, Number.MAX_SAFE_INTEGER).get(id)
          if (dispute === undefined) {
            return yield* Either.left(new InvalidInput({ field: "id", problem: "has no open dispute" }))
          }
          for (const side of dispute.sides) {
            if (!isAtLeast(level, side.level)) {
              return yield* Either.left(new LevelTooLow({ level, writer: side.level, what: `memory ${side.id}` }))
            }
          }
          const opponents = dispute.opponents.get(id)!
          const inOrder = dispute.sides.flatMap((side) => (opponents.has(side.id) ? [side.id] : []))
          const sides = sidesOf(memory, getMemories(db, level, inOrder, now), opponents)
          const [first, ...others] = choice === "both" ? keepBoth(sides, now) : retire(choice, sides, now)
          const lost = [first!, ...others].flatMap(({ payload, type }, index) =>
            type === "DELETE" ? [{ kind: "derived" as const, to: payload.memory.id, version: version + index }] : []
          )
          const kept = new Set(sides.all.map((side) => side.id).filter((side) => !lost.some(({ to }) => to === side)))
          const isOther = (derived: Memory) => !kept.has(derived.id)
          const stale = staleEvents(db, lost, "replaced", { version, level }, isOther)
          return { events: [first!, ...others, ...stale] }
        }),
      answer: (events, repeated) => {
        const [first] = events
        const retired = events.flatMap((event) => (event.type === "DELETE" ? [event.payload.memory.id] : []))
        const sides = first?.type === "UPDATE" ? first.payload.decision.candidates : []
        return {
          outcome: "settled",
          id,
          choice,
          kept: sides.flatMap((side) => (retired.includes(side.id) ? [] : [side.id])),
          retired,
          run: first?.cause?.slice(runCause("").length) ?? run,
          ...(first === undefined ? {} : visibleVersion(writer.level, first.version)),
          repeated
        }
      }
    }
  })

/** The sides of the disputes to settle. */
interface Sides {
  readonly memory: Memory
  /** The opponents of the memory, in the order of the group. */
  readonly opponents: ReadonlyArray<Memory>
  /**
   * The newer and the older sides of the disputes that `keep` and `replace` settle. One of the lists contains only the
   * memory.
   */
  readonly newer: ReadonlyArray<Memory>
  readonly older: ReadonlyArray<Memory>
  readonly all: ReadonlyArray<Memory>
}

const sidesOf = (
  memory: Memory,
  opponents: ReadonlyArray<Memory>,
  contradictions: ReadonlyMap<string, Contradiction>
): Sides => {
  const disputed = opponents.filter(({ id }) => contradictions.get(id)?.isRaised === true)
  const [newer, older] = disputed.length > 0 ? [[memory], disputed] : [opponents, [memory]]
  return { memory, opponents, newer, older, all: [memory, ...opponents] }
}

/** Makes the events that retire the newer or the older sides. The first side that is kept takes their place. */
const retire = (choice: Choice, { newer, older }: Sides, now: number): ReadonlyArray<DecidedEvent> => {
  const [winners, losers] = choice === "replace" ? [newer, older] : [older, newer]
  const winner = winners[0]!
  // A link to a stricter store would tell readers of the winner that the other memory exists.
  const links = losers
    .filter(({ store }) => opennessOf(store) >= opennessOf(winner.store))
    .map(({ id }): Link => ({ kind: "supersedes", to: id, reason: "conflict" }))
  const reason = `${choice}: it holds against the other sides`
  const held = { ...inheritedTier(winner, losers), lineage: [...(winner.lineage ?? []), ...links] }
  return [
    settledEvent(winner, held, { choice, reason, sides: [...winners, ...losers], now }),
    ...losers.map(
      (loser): DecidedEvent => ({
        type: "DELETE",
        payload: {
          memory: nextRevision(loser, { status: "superseded", updatedAt: now }),
          reason: "replaced",
          decision: decisionOf("DELETE", `${choice}: another side of the dispute holds`, [loser, winner])
        }
      })
    )
  ]
}

/** Makes the events that end the disputes of a memory with all of its opponents. */
const keepBoth = ({ all, memory, opponents }: Sides, now: number): ReadonlyArray<DecidedEvent> => {
  const options = { choice: "both", reason: "both: both hold", now } as const
  const isOpenWith = (side: Memory, other: Memory) =>
    side.disputes?.some(({ id, settled }) => id === other.id && settled === undefined) === true
  // A dispute that the memory took over from another memory is stored in neither side.
  const takenOver = opponents
    .filter((other) => !isOpenWith(memory, other) && !isOpenWith(other, memory))
    .map(({ id }): Dispute => ({ id, ground: "group", settled: "both" }))
  const own = [...(memory.disputes ?? []).map((dispute) => settledWith(dispute, opponents)), ...takenOver]
  const raisers = opponents.filter((other) => isOpenWith(other, memory))
  return [
    settledEvent(memory, own.length === 0 ? {} : { disputes: own }, { ...options, sides: all }),
    ...raisers.map((other) =>
      settledEvent(
        other,
        { disputes: other.disputes!.map((dispute) => settledWith(dispute, [memory])) },
        { ...options, sides: [other, memory] }
      )
    )
  ]
}

const settledWith = (dispute: Dispute, others: ReadonlyArray<Memory>): Dispute =>
  others.some(({ id }) => id === dispute.id) ? { ...dispute, settled: "both" } : dispute

interface Settlement {
  readonly choice: Choice
  readonly reason: string
  readonly sides: ReadonlyArray<Memory>
  readonly now: number
}

const settledEvent = (
  memory: Memory,
  fields: Partial<Memory>,
  { choice, now, reason, sides }: Settlement
): DecidedEvent => ({
  type: "UPDATE",
  payload: {
    memory: nextRevision(memory, { ...fields, updatedAt: now }),
    reason: "settled",
    input: { choice },
    decision: decisionOf("UPDATE", reason, sides)
  }
})

const decisionOf = (action: Decision["action"], reason: string, sides: ReadonlyArray<Memory>): Decision => ({
  ...callerDecision(action, "decide", reason),
  candidates: sides.map(({ id, revision }) => ({ id, revision, score: 1 }))
})
