import * as Either from "effect/Either"
import { canRead, opennessOf, readable, type Store } from "../../events/Trust.js"
import { findFile, hasFile } from "../../projections/files.js"
import { findSessionStores } from "../../projections/sessionReads.js"
import { textDigest } from "../../projections/vectors.js"
import { toInstant } from "../dates.js"
import { InvalidInput, type ProjectionParked, StoreForbidden } from "../errors.js"
import { decodeFile, type FileInput, mediaOf } from "../fileInput.js"
import { type Command, commandIdOf, given, versionAt, whileSound } from "./Command.js"
import type { WriteOptions, Writer } from "./remember.js"

/** A file that is indexed from now on: anew, in place of another version, or as it was before. */
export interface AddedFile {
  readonly outcome: "added" | "updated" | "unchanged"
  /** Stays the same while the path stays in its store. */
  readonly id: string
  readonly path: string
  readonly store: Store
  /** The stream version of the event; only at full trust, and not where nothing was written. */
  readonly version?: number
  readonly repeated: boolean
}

/**
 * Checks a file and makes the command that indexes it. The same text again
 * writes nothing. A file is never more open than the session it belongs to.
 */
export const addFile = (
  writer: Writer,
  input: FileInput,
  options: WriteOptions = {}
): Either.Either<Command<AddedFile, InvalidInput | ProjectionParked>, InvalidInput | StoreForbidden> =>
  Either.gen(function* () {
    const asked = yield* decodeFile(input)
    const commandId = yield* commandIdOf(writer.level, options.commandId)
    const store = asked.store ?? readable(writer.level)[0]
    if (store === undefined || !canRead(writer.level, store)) {
      return yield* Either.left(new StoreForbidden({ level: writer.level, store: store ?? "social" }))
    }
    const at = toInstant(asked.at)
    const { media = mediaOf(asked.path), path, text } = asked
    const digest = textDigest(text)
    const tokens = writer.countTokens(text)
    return {
      actor: writer.actor,
      commandId,
      request: () => JSON.stringify(["addFile", given({ ...asked, text: digest, store })]),
      decide: ({ db, newId, now }) => {
        const sound = whileSound(db, "conversation")
        if (Either.isLeft(sound)) return Either.left(sound.left)
        const before = findFile(db, path, store)
        const session = asked.session ?? before?.session ?? undefined
        if (before?.digest === digest && before.session === (session ?? null)) {
          return Either.right({ answer: { outcome: "unchanged", id: before.id, path, store, repeated: false } })
        }
        if (session !== undefined) {
          const stores = findSessionStores(db, writer.level, session)
          const strictest = Math.min(...stores.map(opennessOf))
          if (stores.length > 0 && !stores.includes(store) && opennessOf(store) > strictest) {
            return Either.left(new InvalidInput({ field: "store", problem: "is more open than the session" }))
          }
        }
        let id = before?.id ?? newId()
        while (before === undefined && hasFile(db, id)) id = newId()
        const file = {
          id,
          path,
          media,
          digest,
          store,
          ...(session === undefined ? {} : { session }),
          text,
          tokens,
          occurredAt: at ?? now
        }
        const payload = { file, ...(before === undefined ? {} : { replaces: before.born }) }
        return Either.right({ events: [{ type: "FILE", payload, ...(at === undefined ? {} : { occurredAt: at }) }] })
      },
      answer: ([event], repeated) => {
        if (event?.type !== "FILE") throw new Error("addFile made another event")
        const { id, path, store } = event.payload.file
        const outcome = event.payload.replaces === undefined ? "added" : "updated"
        return { outcome, id, path, store, ...versionAt(writer.level, event.version), repeated }
      }
    }
  })
