import * as Either from "effect/Either"
import { canRead, opennessOf, readable, type Store } from "../../events/Trust.js"
import { findFile, findFilesAt, hasFile } from "../../projections/files.js"
import { findSessionStores } from "../../projections/sessionReads.js"
import { textDigest } from "../../projections/vectors.js"
import { toInstant } from "../../text/when/dates.js"
import { type Command, commandIdOf, given, versionAt, whileSound } from "../actor/Command.js"
import { restsOnCopies, staleEvents } from "../actor/lineage.js"
import { FileInSession, InvalidInput, type ProjectionParked, StoreForbidden } from "../model/errors.js"
import type { WriteOptions, Writer } from "../remember/remember.js"
import { decodeFile, type FileInput, mediaOf } from "./fileInput.js"

/** A file that is indexed from now on. */
export interface AddedFile {
  /**
   * Indexed anew; in place of what its path said before; from now on in another session (with the same text or
   * another); or as it was before, with nothing written.
   */
  readonly outcome: "added" | "updated" | "moved" | "unchanged"
  /** Stays the same while the path stays in its store. */
  readonly id: string
  readonly path: string
  readonly store: Store
  /** The session that it belongs to; absent where to none. */
  readonly session?: string
  /** Only where it was moved: the session that it belonged to before, null for none. */
  readonly from?: string | null
  /** The stream version of the event; only at full trust, and not where nothing was written. */
  readonly version?: number
  readonly repeated: boolean
}

/**
 * Checks a file and makes the command that indexes it. The same text again
 * writes nothing, and without a session a file stays where it is. A session may
 * take in a file of none; out of another session it takes one only where `move`
 * says so, as a file goes when its session is forgotten. A file is never more
 * open than the session it belongs to. One without any text is refused, unless
 * it takes the place of what its path said before.
 */
export const addFile = (
  writer: Writer,
  input: FileInput,
  options: WriteOptions = {}
): Either.Either<Command<AddedFile, FileInSession | InvalidInput | ProjectionParked>, InvalidInput | StoreForbidden> =>
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
      decide: ({ db, newId, now, version }) => {
        const sound = whileSound(db, "conversation")
        if (Either.isLeft(sound)) return Either.left(sound.left)
        const before = findFile(db, path, store)
        if (before === undefined && text.trim() === "") {
          return Either.left(new InvalidInput({ field: "text", problem: "is empty" }))
        }
        const session = asked.session ?? before?.session ?? undefined
        const moves = before !== undefined && before.session !== (session ?? null)
        if (before?.digest === digest && !moves) {
          return Either.right({
            answer: { outcome: "unchanged", ...placeOf({ ...before, path, store }), repeated: false }
          })
        }
        if (moves && before.session !== null && asked.move !== true) {
          return Either.left(new FileInSession({ path, session: before.session }))
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
        const payload = {
          file,
          ...(before === undefined ? {} : { replaces: before.born }),
          ...(moves ? { movedFrom: before.session } : {})
        }
        const others = () => findFilesAt(db, "full", path).flatMap((copy) => (copy.store === store ? [] : [copy.store]))
        const changed = before !== undefined && before.digest !== digest
        return Either.right({
          events: [
            { type: "FILE", payload, ...(at === undefined ? {} : { occurredAt: at }) },
            ...(changed
              ? staleEvents(db, [{ kind: "file", to: path }], "replaced", version, restsOnCopies([store], others()))
              : [])
          ]
        })
      },
      answer: ([event], repeated) => {
        if (event?.type !== "FILE") throw new Error("addFile made another event")
        const { file, movedFrom, replaces } = event.payload
        return {
          outcome: movedFrom !== undefined ? "moved" : replaces === undefined ? "added" : "updated",
          ...placeOf(file),
          ...(movedFrom === undefined ? {} : { from: movedFrom }),
          ...versionAt(writer.level, event.version),
          repeated
        }
      }
    }
  })

const placeOf = (
  file: Pick<AddedFile, "id" | "path" | "store"> & { readonly session?: string | null | undefined }
) => ({
  id: file.id,
  path: file.path,
  store: file.store,
  ...(file.session == null ? {} : { session: file.session })
})
