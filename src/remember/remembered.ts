import type { DaybookEvent, Lowered } from "../../events/catalogue.js"
import type { TrustLevel } from "../../events/Trust.js"
import { findReadableMemories } from "../../projections/lineageReads.js"
import { type Situation, visibleVersion } from "../actor/Command.js"
import type { Observation } from "../model/input.js"
import { ignoredFields } from "./recordedInput.js"
import { exactRepeat } from "./rememberEvents.js"

/** The result of `remember`. */
export interface Remembered {
  /**
   * `added`: stored as a new memory. `duplicate`: a memory in the store has the same title and facts, so this counts as
   * another mention. A reconciler decides between the other outcomes, and whether an added memory disputes another one
   * (`disputes`). `mentioned`: a memory states it already. `merged`: it was merged into a memory. `replaced`: it
   * replaced a memory that is no longer true.
   */
  readonly outcome: "added" | "duplicate" | "mentioned" | "merged" | "replaced"
  /** The id of the memory that states the observation now. */
  readonly id: string
  /** The id of the memory that was replaced. No read returns that memory any more. */
  readonly replaced?: string
  /**
   * The ids of the memories that the new memory contradicts without retiring them. Both stay until the dispute is
   * settled: see `decide`.
   */
  readonly disputes?: ReadonlyArray<string>
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  /** How often the memory has been mentioned so far. */
  readonly mentions: number
  /**
   * For another mention: the fields in which the observation differs from the memory or adds to it. They were ignored;
   * use `update` to change them. Absent if there are none.
   */
  readonly notTaken?: ReadonlyArray<keyof Observation>
  /**
   * True if the memory contains a credential and was stored with type `credential` in store private, although another
   * type or store was given.
   */
  readonly confined?: true
  /** True if search covers only a part of the narrative or the facts, because they are too long. */
  readonly partlyIndexed?: true
  /**
   * The fields that the writer's level may not set, so that a lower value was stored: a tier above the default, an
   * importance above 0.5 (stored as 0.5), the tag that protects from maintenance, or a source kind that only the engine
   * sets.
   */
  readonly lowered?: ReadonlyArray<Lowered>
  /** Whether this command id had been carried out before. If so, nothing was written now. */
  readonly repeated: boolean
}

/**
 * Makes the answer of `remember` from its first event. The answer to a repeated command names only the disputed
 * memories that the level may read now.
 */
export const answerOf = (
  level: TrustLevel,
  event: DaybookEvent | undefined,
  present?: Pick<Situation, "db" | "now">
): Omit<Remembered, "repeated"> => {
  if (event?.type !== "ADD" && event?.type !== "UPDATE" && event?.type !== "DELETE") {
    throw new Error("the first event of `remember` must be ADD, UPDATE or DELETE")
  }
  const replacement = event.type === "DELETE" ? event.payload.replacement : undefined
  const memory = replacement ?? event.payload.memory
  const isMention = event.type === "UPDATE" && event.payload.decision.action === "NONE"
  const ignored = isMention ? ignoredFields(memory, event.payload.input) : []
  const { lowered = [] } = event.payload
  const raised = disputesOf(event)
  const disputes =
    present === undefined || raised.length === 0
      ? raised
      : [...findReadableMemories(present.db, level, raised, present.now).keys()]
  return {
    outcome: outcomeOf(event),
    id: memory.id,
    ...(replacement === undefined ? {} : { replaced: event.payload.memory.id }),
    ...(disputes.length === 0 ? {} : { disputes }),
    ...visibleVersion(level, event.version),
    mentions: memory.mentions,
    ...(ignored.length === 0 ? {} : { notTaken: ignored }),
    ...(lowered.length === 0 ? {} : { lowered })
  }
}

/** The memories that the statement of an event disputes. */
export const disputesOf = ({
  payload,
  type
}: Pick<Extract<DaybookEvent, { type: "ADD" | "UPDATE" | "DELETE" }>, "payload" | "type">): ReadonlyArray<string> => {
  const added = type === "ADD" ? payload.memory : "replacement" in payload ? payload.replacement : undefined
  return (added?.disputes ?? []).map(({ id }) => id)
}

/** The outcome that an event of `remember` records. */
export const outcomeOf = ({
  payload,
  type
}: Extract<DaybookEvent, { type: "ADD" | "UPDATE" | "DELETE" }>): Remembered["outcome"] => {
  if (type === "ADD") return "added"
  if (type === "DELETE") return "replaced"
  if (payload.reason === "duplicate" || payload.decision.by.name === exactRepeat) return "duplicate"
  return payload.decision.action === "NONE" ? "mentioned" : "merged"
}
