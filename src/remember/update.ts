import { isDeepStrictEqual } from "node:util"
import * as Either from "effect/Either"
import type { Lowered } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import { canRead } from "../../events/Trust.js"
import { getMemories } from "../../projections/observationReads.js"
import { toInstant } from "../../text/when/dates.js"
import { type Command, callerDecision, commandIdOf, definedFields, visibleVersion } from "../actor/Command.js"
import { checkLineage, demotedEvents, withoutStale } from "../actor/lineage.js"
import { CredentialForbidden, InvalidInput, type LevelTooLow, MemoryNotFound, StoreForbidden } from "../model/errors.js"
import { type Changes, decodeChanges, decodeKey, normaliseTags } from "../model/input.js"
import { memoryText } from "../model/memoryText.js"
import { applyMarks } from "./applyMarks.js"
import { lowerChange, requireLevel } from "./levels.js"
import type { WriteOptions, Writer } from "./remember.js"

/** The result of `update`. */
export interface Updated {
  readonly outcome: "updated" | "unchanged"
  readonly id: string
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  /** The fields that the writer's level may not set, so that a lower value was stored: see `Remembered.lowered`. */
  readonly lowered?: ReadonlyArray<Lowered>
  readonly repeated: boolean
}

/**
 * Decodes changes and makes the command that applies them. The command fails with `MemoryNotFound` if the writer's trust
 * level does not allow reading the memory, and with `LevelTooLow` if the memory was written at a higher level. The
 * function is long, because its steps share the decoded changes.
 */
export const update = (
  writer: Writer,
  id: string,
  input: Changes,
  options: WriteOptions = {}
): Either.Either<
  Command<Updated, LevelTooLow | MemoryNotFound | InvalidInput | CredentialForbidden>,
  InvalidInput | StoreForbidden
> =>
  Either.gen(function* () {
    yield* decodeKey("id", id)
    const changes = yield* decodeChanges(input)
    const commandId = yield* commandIdOf(writer.level, options.commandId)
    if (Object.values(changes).every((value) => value === undefined)) {
      return yield* Either.left(
        new InvalidInput({ field: "changes", problem: "must have at least one field to change" })
      )
    }
    if (changes.store !== undefined && !canRead(writer.level, changes.store)) {
      return yield* Either.left(new StoreForbidden({ level: writer.level, store: changes.store }))
    }
    return {
      actor: writer.actor,
      commandId,
      request: () => JSON.stringify(["update", id, definedFields(changes)]),
      decide: ({ db, now, version }) => {
        const [memory] = getMemories(db, writer.level, [id], now)
        if (memory === undefined) return Either.left(new MemoryNotFound({ id }))
        const permitted = requireLevel(writer.level, memory, `memory ${id}`)
        if (Either.isLeft(permitted)) return Either.left(permitted.left)
        const { confined, credentials, lowered, memory: next, reason } = markedBy(memory, changes, writer)
        if (confined && !canRead(writer.level, next.store)) {
          return Either.left(new CredentialForbidden({ level: writer.level, kinds: credentials }))
        }
        const allowed = checkLineage(db, writer.level, memory, next.store)
        if (Either.isLeft(allowed)) return Either.left(allowed.left)
        const changed = changedFrom(memory, next, now, writer.countTokens)
        // A command id is recorded even without changes. Otherwise a later repeat could change something.
        if (changed === undefined && commandId === undefined) {
          return Either.right({
            answer: {
              outcome: "unchanged",
              id,
              repeated: false,
              ...lowered,
              ...visibleVersion(writer.level, version - 1)
            }
          })
        }
        const fields = definedFields(changes).map(([field]) => field)
        return Either.right({
          events: [
            {
              type: "UPDATE",
              payload:
                changed === undefined
                  ? {
                      memory,
                      reason: "unchanged",
                      input: Object.fromEntries(definedFields(changes)),
                      ...lowered,
                      decision: callerDecision("NONE", "update", `it said so already${reason}`)
                    }
                  : {
                      memory: changed,
                      reason: "edited",
                      input: Object.fromEntries(definedFields(changes)),
                      ...lowered,
                      decision: callerDecision("UPDATE", "update", `changed ${fields.join(", ")}${reason}`)
                    }
            },
            ...(changed === undefined ? [] : demotedEvents(db, changed, version))
          ]
        })
      },
      answer: ([event], repeated) => ({
        outcome: event?.type === "UPDATE" && event.payload.reason === "unchanged" ? "unchanged" : "updated",
        id,
        ...(event?.type === "UPDATE" && event.payload.lowered !== undefined ? { lowered: event.payload.lowered } : {}),
        ...(event === undefined ? {} : visibleVersion(writer.level, event.version)),
        repeated
      })
    }
  })

/**
 * Applies the changes and marks the result. Marks are detected again only if texts, type or store change. So a
 * credential cannot leave store private, and a removed `pii` tag stays removed until the text changes. Only the
 * caller's changes remove marks.
 */
const markedBy = (memory: Memory, changes: Changes, { level, marks, pin }: Writer) => {
  const { lowered: fields, memory: next } = lowerChange(level, memory, withChanges(memory, changes), pin)
  const lowered = fields.length === 0 ? {} : { lowered: fields }
  const { facts, narrative, store, title, type } = changes
  const changesText = title !== undefined || narrative !== undefined || facts !== undefined
  if (!changesText && store === undefined && type === undefined) {
    return { memory: next, credentials: [], confined: false, reason: "", lowered }
  }
  return { ...applyMarks(next, changesText ? marks : { ...marks, pii: false }), lowered }
}

const withChanges = (memory: Memory, changes: Changes): Memory => {
  const changed: Record<string, unknown> = { ...withoutStale(memory) }
  for (const [field, value] of Object.entries(changes)) {
    if (value === undefined) continue
    if (value === null) delete changed[field]
    else if (field === "tags") changed[field] = normaliseTags(value as ReadonlyArray<string>)
    else if (field === "occurredAt" || field === "expiresAt") changed[field] = toInstant(value)
    else changed[field] = value
  }
  return changed as unknown as Memory
}

/** The after-image of a change; undefined if nothing changes. */
const changedFrom = (
  memory: Memory,
  next: Memory,
  now: number,
  countTokens: (text: string) => number
): Memory | undefined =>
  isDeepStrictEqual(next, memory)
    ? undefined
    : {
        ...next,
        revision: memory.revision + 1,
        updatedAt: now,
        tokens: countTokens(memoryText(next))
      }
