import * as Either from "effect/Either"
import type { DaybookEvent, ErasedEvent, Payload } from "../../events/catalogue.js"
import { afterImages } from "../../events/catalogue.js"
import { isKeptAsWritten, isRawToolRun, type Memory } from "../../events/Memory.js"
import type { TrustLevel } from "../../events/Trust.js"
import { type AnyCommand, eventCause } from "../actor/Command.js"
import type { Changes, Observation } from "../model/input.js"
import { forget } from "../remember/forget.js"
import { observationFrom } from "../remember/recordedInput.js"
import { remember, type Writer } from "../remember/remember.js"
import { isUnweighed } from "../remember/rememberEvents.js"
import { update } from "../remember/update.js"
import type { Mutation } from "./diff.js"

/** How an event is replayed in a branch. */
export type Step =
  /** An observation is decided again. */
  | { readonly kind: "decide"; readonly event: Mutation; readonly command: AnyCommand }
  /** A caller changed a memory: the same change is made to the branch's memory. */
  | { readonly kind: "change"; readonly event: Mutation; readonly command: AnyCommand }
  | { readonly kind: "embed"; readonly event: Extract<DaybookEvent, { type: "EMBED" }> }
  /** Another event about memories is applied to the branch's memories. */
  | { readonly kind: "carry"; readonly event: DaybookEvent }
  /** The event concerns no memory. */
  | { readonly kind: "apply"; readonly event: DaybookEvent }
  | { readonly kind: "skip"; readonly event: DaybookEvent | ErasedEvent }
  | { readonly kind: "refused"; readonly event: Mutation; readonly reason: string }

/**
 * Makes the function that turns events, in order, into steps. `searchesVectors` is true if decisions search vectors.
 */
export const makeStepper = (
  writer: Writer,
  searchesVectors: boolean
): ((event: DaybookEvent | ErasedEvent) => Step) => {
  /**
   * The cause of events that resulted from the newest decided event. These events are skipped, because the new decision
   * creates its own.
   */
  let cause = ""

  return (event: DaybookEvent | ErasedEvent): Step => {
    if (event.payload === null) return { kind: "skip", event }
    if (event.cause === cause) return { kind: "skip", event }
    if (event.type === "EMBED") return { kind: searchesVectors ? "embed" : "skip", event }
    // The request of an erased event may be gone, so the recorded decision stays.
    const decided = event.erasedAt === undefined ? decidedStep(event) : undefined
    if (decided !== undefined) {
      cause = eventCause(event.version)
      return decided(writer)
    }
    return { kind: afterImages(event).length > 0 ? "carry" : "apply", event }
  }
}

type RecordedRequest = Pick<Payload<"ADD">, "decision" | "input" | "lowered">

/**
 * Returns a function that makes the step to decide a caller's command again. Undefined if the event has no such
 * command.
 */
const decidedStep = (event: DaybookEvent): ((writer: Writer) => Step) | undefined => {
  const stepWith =
    (
      kind: "decide" | "change",
      commandOf: (writer: Writer) => Either.Either<AnyCommand, { readonly message: string }>
    ) =>
    (writer: Writer): Step => {
      const command = commandOf({ ...writer, actor: event.actor })
      const mutation = event as Mutation
      return Either.isRight(command)
        ? { kind, event: mutation, command: command.right }
        : { kind: "refused", event: mutation, reason: command.left.message }
    }
  const rememberStep = (memory: Memory, { decision, input, lowered = [] }: RecordedRequest) =>
    stepWith("decide", (writer) => {
      // If the request named no store, the writer's level chose the store that is in the log.
      const observation: Observation = { ...observationFrom(memory, input), store: memory.store }
      const wasWeighed = !isUnweighed(decision)
      const recordedLevel = (input?.level as TrustLevel | undefined) ?? memory.level ?? null
      const { extracted } = decision
      const engine = { recordedLevel, isEngine: !lowered.includes("source") }
      const recorded = { ...writer, ...engine, ...(extracted === undefined ? {} : { extracted }) }
      return remember(recorded, observation, wasWeighed ? {} : { reconcile: false })
    })
  switch (event.type) {
    case "ADD":
      // Notes, cards and raw tool runs are stored as written, without a decision.
      if (isKeptAsWritten(event.payload.memory.id) || isRawToolRun(event.payload.memory)) return undefined
      return rememberStep(event.payload.memory, event.payload)
    case "UPDATE": {
      const { input, lowered = [], memory, reason } = event.payload
      if (reason === "duplicate" || reason === "reconciled" || reason === "repeated")
        return rememberStep(memory, event.payload)
      // The policy does not affect cards.
      if ((reason !== "edited" && reason !== "unchanged") || input?.card !== undefined) return undefined
      const stored = Object.fromEntries(lowered.map((field) => [field, memory[field]]))
      return stepWith("change", (writer) => update(writer, memory.id, { ...input, ...stored } as Changes))
    }
    case "DELETE": {
      const { memory, reason, replacement } = event.payload
      if (reason === "replaced" && replacement !== undefined) return rememberStep(replacement, event.payload)
      return reason === "forgotten" ? stepWith("change", (writer) => forget(writer, memory.id)) : undefined
    }
    default:
      return undefined
  }
}
