import * as Either from "effect/Either"
import type { Decision, Payload } from "../../events/catalogue.js"
import type { Dispute, Link, Memory } from "../../events/Memory.js"
import { opennessOf } from "../../events/Trust.js"
import { findOpenDisputes } from "../../projections/disputes.js"
import { getMemories } from "../../projections/observationReads.js"
import type { Db } from "../../projections/Projection.js"
import {
  type Command,
  callerDecision,
  commandIdOf,
  type DecidedEvent,
  runCause,
  visibleVersion
} from "../actor/Command.js"
import { staleEvents } from "../actor/lineage.js"
import { InvalidInput, type LevelTooLow, MemoryNotFound } from "../model/errors.js"
import { randomId } from "../model/ids.js"
import { decodeKey } from "../model/input.js"
import { requireLevel } from "./levels.js"
import type { WriteOptions, Writer } from "./remember.js"

/**
 * How a dispute ends. `keep`: the memory is retired, and the older side stays. `replace`: the memory takes the place
 * of all other sides. `both`: all stay, and the disputes with this memory end.
 */
export const choices = ["keep", "replace", "both"] as const
export type Choice = (typeof choices)[number]

/** A settled dispute. */
export interface Settled {
  readonly outcome: "settled"
  readonly id: string
  readonly choice: Choice
  /** The ids of the memories that were retired. */
  readonly retired: ReadonlyArray<string>
  /** The run of the settlement: undo takes it back as a whole. */
  readonly run: string
  /** The stream version of the first event; only at full trust. */
  readonly version?: number
  readonly repeated: boolean
}

/**
 * Makes the command that settles the open dispute of a memory. The id is that of the newer side, as `decisions`
 * lists it. Fails with `MemoryNotFound` if the level cannot read the memory, with `InvalidInput` if it disputes
 * no memory, and with `LevelTooLow` if a higher level wrote one of the sides.
 */
export const decide = (
  writer: Writer,
  id: string,
  choice: Choice,
  options: WriteOptions = {}
): Either.Either<Command<Settled, InvalidInput | LevelTooLow | MemoryNotFound>, InvalidInput> =>
  Either.gen(function* () {
    yield* decodeKey("id", id)
    if (!choices.includes(choice)) {
      return yield* Either.left(new InvalidInput({ field: "choice", problem: `must be ${choices.join(", ")}` }))
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
          const [memory] = getMemories(db, writer.level, [id], now)
          if (memory === undefined) return yield* Either.left(new MemoryNotFound({ id }))
          const sides = (findOpenDisputes(db, writer.level, [id], now).get(id)?.sides ?? []).filter(
            (side) => side.id !== id
          )
          const disputed = openDisputes(memory, sides)
          if (disputed.length === 0) return yield* Either.left(new InvalidInput({ field: "id", problem: hint(sides) }))
          for (const side of [memory, ...sides]) yield* requireLevel(writer.level, side, `memory ${side.id}`)
          const [first, ...others] = eventsOf(choice, memory, sides, now)
          const lost = (choice === "both" ? [] : choice === "keep" ? [memory] : sides).map(({ id }) => id)
          const kept = [memory, ...sides].map(({ id }) => id).filter((id) => !lost.includes(id))
          return { events: [first!, ...others, ...staleFrom(db, lost, kept, { version, level: writer.level })] }
        }),
      answer: (events, repeated) => ({
        outcome: "settled",
        id,
        choice,
        retired: events.flatMap((event) => (event.type === "DELETE" ? [event.payload.memory.id] : [])),
        run: events[0]?.cause?.slice(runCause("").length) ?? run,
        ...(events[0] === undefined ? {} : visibleVersion(writer.level, events[0].version)),
        repeated
      })
    }
  })

/** The open disputes that a memory raised. */
const openDisputes = ({ disputes = [] }: Memory, sides: ReadonlyArray<Memory>): ReadonlyArray<Dispute> =>
  disputes.filter(({ id, settled }) => settled === undefined && sides.some((side) => side.id === id))

const hint = (sides: ReadonlyArray<Memory>): string => {
  const disputing = sides.filter((side) => (side.disputes ?? []).length > 0).map(({ id }) => id)
  return disputing.length === 0
    ? "has no open dispute"
    : `is the older side of a dispute: use the id of the newer side, ${disputing.join(" or ")}`
}

/** The events that settle a dispute, each with all of its sides as candidates. */
const eventsOf = (
  choice: Choice,
  memory: Memory,
  sides: ReadonlyArray<Memory>,
  now: number
): ReadonlyArray<DecidedEvent> => {
  const candidates = [memory, ...sides].map(({ id, revision }) => ({ id, revision, score: 1 }))
  const decision = (action: Decision["action"], reason: string): Decision => ({
    ...callerDecision(action, "decide", `${choice}: ${reason}`),
    candidates
  })
  const update = (image: Memory, reason: string): DecidedEvent => {
    const payload: Payload<"UPDATE"> = {
      memory: { ...image, revision: image.revision + 1, updatedAt: now },
      reason: "settled",
      input: { choice },
      decision: decision("UPDATE", reason)
    }
    return { type: "UPDATE", payload }
  }
  const retire = (image: Memory): DecidedEvent => ({
    type: "DELETE",
    payload: {
      memory: { ...image, revision: image.revision + 1, status: "superseded", updatedAt: now },
      reason: "replaced",
      decision: decision("DELETE", "another side of the dispute holds")
    }
  })
  if (choice === "both") {
    const ids = new Set([memory, ...sides].map(({ id }) => id))
    return [memory, ...sides].flatMap((side) => {
      const settled = bothHold(side, memory.id, ids)
      return settled === undefined ? [] : [update(settled, "both hold")]
    })
  }
  const [winner, losers] = choice === "replace" ? [memory, sides] : [keptSide(memory, sides), [memory]]
  // A link to a stricter store would tell readers of the winner that the other memory exists.
  const links = losers
    .filter(({ store }) => opennessOf(store) >= opennessOf(winner.store))
    .map(({ id }): Link => ({ kind: "supersedes", to: id, reason: "conflict" }))
  return [
    update({ ...winner, lineage: [...(winner.lineage ?? []), ...links] }, "it holds against the other sides"),
    ...losers.map(retire)
  ]
}

/** The side that takes the place of a memory that is dismissed: the first that it disputes, in the order of the sides. */
const keptSide = (memory: Memory, sides: ReadonlyArray<Memory>): Memory =>
  sides.find(({ id }) => memory.disputes?.some((dispute) => dispute.id === id)) ?? sides[0]!

/** A side with its disputes with `id` settled; undefined if it raised none. */
const bothHold = (side: Memory, id: string, ids: ReadonlySet<string>): Memory | undefined => {
  const concerns = (dispute: Dispute): boolean =>
    dispute.settled === undefined && (side.id === id ? ids.has(dispute.id) : dispute.id === id)
  const { disputes = [] } = side
  return disputes.some(concerns)
    ? { ...side, disputes: disputes.map((dispute) => (concerns(dispute) ? { ...dispute, settled: "both" } : dispute)) }
    : undefined
}

/** The events that flag what was derived from the retired memories, except for the sides that are kept. */
const staleFrom = (
  db: Db,
  lost: ReadonlyArray<string>,
  kept: ReadonlyArray<string>,
  origin: Parameters<typeof staleEvents>[3]
) =>
  staleEvents(
    db,
    lost.map((to) => ({ kind: "derived" as const, to })),
    "replaced",
    origin,
    ({ id }) => !kept.includes(id)
  )
