import type { Codec } from "../../events/Codec.js"
import type { DaybookEvent } from "../../events/catalogue.js"
import type { NewEvent } from "../../events/EventLog.js"
import { isYieldDue, type Steps } from "../../events/turns.js"
import type { Lookup } from "../../projections/Projection.js"
import type { Transaction } from "../../projections/view/Views.js"
import type { BaseRows } from "./baseRows.js"
import type { AnyCommand, DecidedEvent } from "./Command.js"

/** A transaction that events are added to. */
export interface PlacementContext {
  readonly agent: string
  readonly codec: Codec
  readonly transaction: Transaction
  readonly recordedAt: number
  readonly baseRows: BaseRows
}

/** Numbers the events of a command from `after + 1`, and applies them to the view. */
export const placeEvents = function* (
  { agent, baseRows, codec, recordedAt, transaction }: PlacementContext,
  { actor, cause, commandId }: Pick<AnyCommand, "actor" | "cause" | "commandId">,
  decided: ReadonlyArray<DecidedEvent>,
  after: number,
  lookup: Lookup
): Steps<{ readonly events: ReadonlyArray<DaybookEvent>; readonly stored: ReadonlyArray<NewEvent> }> {
  const events: Array<DaybookEvent> = []
  const stored: Array<NewEvent> = []
  for (const { cause: ownCause, occurredAt, payload: decidedPayload, type } of decided) {
    // Note the rows before encoding, because encoding fails on an invalid value.
    baseRows.note({ type, payload: decidedPayload, version: after + events.length + 1 } as DaybookEvent)
    const { payload, schema, value } = codec.encode(type, decidedPayload)
    const event = {
      // Only the log assigns sequences; no projection may use them.
      sequence: 0,
      stream: agent,
      version: after + events.length + 1,
      commandId: commandId ?? null,
      actor,
      cause: ownCause ?? cause ?? null,
      occurredAt: occurredAt ?? recordedAt,
      recordedAt,
      type,
      payload: value
    } as DaybookEvent
    transaction.apply(event, lookup)
    events.push(event)
    stored.push({
      type,
      schema,
      payload,
      ...(occurredAt === undefined ? {} : { occurredAt }),
      ...(event.cause === null ? {} : { cause: event.cause })
    })
    if (events.length < decided.length && isYieldDue()) yield
  }
  return { events, stored }
}
