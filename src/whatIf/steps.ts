import * as Either from "effect/Either"
import type { DaybookEvent, ErasedEvent } from "../../events/catalogue.js"
import { imagesOf } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import { type AnyCommand, eventCause } from "../actor/Command.js"
import type { Changes, Observation } from "../model/input.js"
import { asAsked } from "../remember/asAsked.js"
import { forget } from "../remember/forget.js"
import { remember, type Writer } from "../remember/remember.js"
import { isUnweighed } from "../remember/rememberEvents.js"
import { update } from "../remember/update.js"
import type { Mutation } from "./diff.js"

/** What becomes of an event in a branch. */
export type Step =
  /** Something was to be remembered: it is decided again. */
  | { readonly kind: "decide"; readonly event: Mutation; readonly command: AnyCommand }
  /** Somebody changed a memory: the branch's is changed as was asked for. */
  | { readonly kind: "change"; readonly event: Mutation; readonly command: AnyCommand }
  | { readonly kind: "embed"; readonly event: Extract<DaybookEvent, { type: "EMBED" }> }
  /** What else happened to memories happens to the branch's. */
  | { readonly kind: "carry"; readonly event: DaybookEvent }
  /** It concerns no memory. */
  | { readonly kind: "apply"; readonly event: DaybookEvent }
  | { readonly kind: "skip"; readonly event: DaybookEvent | ErasedEvent }
  | { readonly kind: "refused"; readonly event: Mutation; readonly reason: string }

/** Makes the steps of events in their order. `looks`: whether vectors are looked at by what is decided. */
export const stepping = (writer: Writer, looks: boolean): ((event: DaybookEvent | ErasedEvent) => Step) => {
  /** The newest event that is decided again: what followed from it there follows from it here. */
  let cause = ""

  return (event: DaybookEvent | ErasedEvent): Step => {
    if (event.payload === null) return { kind: "skip", event }
    if (event.cause === cause) return { kind: "skip", event }
    if (event.type === "EMBED") return { kind: looks ? "embed" : "skip", event }
    const asked = askedOf(event)
    if (asked !== undefined) {
      cause = eventCause(event.version)
      return asked(writer)
    }
    return { kind: imagesOf(event).length > 0 ? "carry" : "apply", event }
  }
}

const askedOf = (event: DaybookEvent): ((writer: Writer) => Step) | undefined => {
  const asking =
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
  const remembering = (memory: Memory, input: Readonly<Record<string, unknown>> | undefined) =>
    asking("decide", (writer) => {
      // Where no store was asked for, the level of whoever wrote it chose one.
      const observation: Observation = { ...asAsked(memory, input), store: memory.store }
      const weighed = event.type !== "ADD" || !isUnweighed(event.payload.decision)
      return remember(writer, observation, weighed ? {} : { reconcile: false })
    })
  switch (event.type) {
    case "ADD":
      return remembering(event.payload.memory, event.payload.input)
    case "UPDATE": {
      const { input, memory, reason } = event.payload
      if (reason === "duplicate" || reason === "reconciled") return remembering(memory, input)
      if (reason !== "edited" && reason !== "unchanged") return undefined
      return asking("change", (writer) => update(writer, memory.id, input as Changes))
    }
    case "DELETE": {
      const { input, memory, reason, replacement } = event.payload
      if (reason === "replaced" && replacement !== undefined) return remembering(replacement, input)
      return reason === "forgotten" ? asking("change", (writer) => forget(writer, memory.id)) : undefined
    }
    default:
      return undefined
  }
}
