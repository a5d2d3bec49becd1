import * as Either from "effect/Either"
import type { Media } from "../../events/File.js"
import { opennessOf, type Store, type TrustLevel } from "../../events/Trust.js"
import { findFile, findStoredFilesByPath, hasFile } from "../../projections/files.js"
import { findSessionStores } from "../../projections/sessionReads.js"
import { textDigest } from "../../projections/vectors.js"
import { toInstant } from "../../text/when/dates.js"
import {
  type Command,
  type CommandDecision,
  commandIdOf,
  type DecidedEvent,
  definedFields,
  requireUnparked,
  type Situation,
  visibleVersion
} from "../actor/Command.js"
import { dependsOnCopies, staleEvents } from "../actor/lineage.js"
import {
  FileInSession,
  InvalidInput,
  type LevelTooLow,
  type ProjectionParked,
  type StoreForbidden
} from "../model/errors.js"
import { requireLevel, storeToWrite } from "../remember/levels.js"
import type { WriteOptions, Writer } from "../remember/remember.js"
import { indexedLengthField } from "./addTurn.js"
import { decodeFile, type FileInput, mediaOf } from "./fileInput.js"

/** The result of indexing a file. */
export interface AddedFile {
  /**
   * `added`: a new path. `updated`: a new text for the path. `moved`: the file moved to another session, with the same
   * text or a new one. `unchanged`: nothing was written.
   */
  readonly outcome: "added" | "updated" | "moved" | "unchanged"
  /** The id stays the same as long as the store has a file with this path. */
  readonly id: string
  readonly path: string
  readonly store: Store
  /** The session of the file; absent for none. */
  readonly session?: string
  /** For a moved file, the session before the move; null for none. */
  readonly from?: string | null
  /** The stream version of the event; only at full trust, and absent when nothing was written. */
  readonly version?: number
  /** How many characters of the text are indexed; absent if all are indexed. */
  readonly indexed?: number
  readonly repeated: boolean
}

/** A checked file and the values computed from it. */
interface Request {
  readonly input: FileInput
  readonly level: TrustLevel
  readonly store: Store
  readonly media: Media
  readonly digest: string
  readonly tokens: number
  readonly at: number | undefined
}

/**
 * Checks a file and makes the command that indexes it. Adding the same text again writes nothing. Without `session`, a
 * file stays in its session. With `session`, a file without a session joins that session. If the file belongs to
 * another session, `move` must be true, because forgetting a session forgets its files. A file is never less
 * restrictive than its session. A file without text is refused, unless it replaces an earlier text of its path. A file
 * that would replace text of a higher level is refused too.
 */
export const addFile = (
  writer: Writer,
  input: FileInput,
  options: WriteOptions = {}
): Either.Either<
  Command<AddedFile, FileInSession | InvalidInput | LevelTooLow | ProjectionParked>,
  InvalidInput | StoreForbidden
> =>
  Either.gen(function* () {
    const { level } = writer
    const checked = yield* decodeFile(input)
    const commandId = yield* commandIdOf(level, options.commandId)
    const store = yield* storeToWrite(level, checked.store)
    const digest = textDigest(checked.text)
    const request: Request = {
      ...{ input: checked, level, store, digest },
      media: checked.media ?? mediaOf(checked.path),
      tokens: writer.countTokens(checked.text),
      at: toInstant(checked.at)
    }
    return {
      actor: writer.actor,
      commandId,
      request: () => JSON.stringify(["addFile", definedFields({ ...checked, text: digest, store })]),
      decide: (situation) => decide(situation, request),
      answer: ([event], repeated) => {
        if (event?.type !== "FILE") throw new Error("the first event of `addFile` must be FILE")
        const { file, movedFrom, replaces } = event.payload
        return {
          outcome: movedFrom !== undefined ? "moved" : replaces === undefined ? "added" : "updated",
          ...placeOf(file),
          ...(movedFrom === undefined ? {} : { from: movedFrom }),
          ...visibleVersion(level, event.version),
          ...indexedLengthField(checked.text),
          repeated
        }
      }
    }
  })

const decide = (
  { db, newId, now, version }: Situation,
  { at, digest, input, level, media, store, tokens }: Request
): Either.Either<CommandDecision<AddedFile>, FileInSession | InvalidInput | LevelTooLow | ProjectionParked> =>
  Either.gen(function* () {
    yield* requireUnparked(db, "conversation")
    const { path, text } = input
    const existing = findFile(db, path, store)
    if (existing === undefined && text.trim() === "") {
      return yield* Either.left(new InvalidInput({ field: "text", problem: "is empty" }))
    }
    const session = input.session ?? existing?.session ?? undefined
    const moves = existing !== undefined && existing.session !== (session ?? null)
    if (existing?.digest === digest && !moves) {
      return { answer: { outcome: "unchanged", ...placeOf({ ...existing, path, store }), repeated: false } }
    }
    if (existing !== undefined) yield* requireLevel(level, existing, `file ${path}`)
    if (moves && existing.session !== null && input.move !== true) {
      return yield* Either.left(new FileInSession({ path, session: existing.session }))
    }
    if (session !== undefined) yield* checkStore(store, findSessionStores(db, level, session))
    let id = existing?.id ?? newId()
    while (existing === undefined && hasFile(db, id)) id = newId()
    const inSession = session === undefined ? {} : { session }
    const payload = {
      file: { id, path, media, digest, store, level, ...inSession, text, tokens, occurredAt: at ?? now },
      ...(existing === undefined ? {} : { replaces: existing.born }),
      ...(moves ? { movedFrom: existing.session } : {})
    }
    const event: DecidedEvent = { type: "FILE", payload, ...(at === undefined ? {} : { occurredAt: at }) }
    if (existing === undefined || existing.digest === digest) return { events: [event] }
    const copies = findStoredFilesByPath(db, "full", path).flatMap((copy) => (copy.store === store ? [] : [copy.store]))
    const affects = dependsOnCopies([store], copies)
    return {
      events: [event, ...staleEvents(db, [{ kind: "file", to: path }], "replaced", { version, level }, affects)]
    }
  })

/** Refuses a store that is less restrictive than every store of the session. */
const checkStore = (store: Store, stores: ReadonlyArray<Store>): Either.Either<void, InvalidInput> => {
  const strictest = Math.min(...stores.map(opennessOf))
  return stores.length > 0 && !stores.includes(store) && opennessOf(store) > strictest
    ? Either.left(
        new InvalidInput({
          field: "store",
          problem: `is less restrictive than every store of the session: use ${stores.map((name) => `\`${name}\``).join(" or ")}`
        })
      )
    : Either.void
}

const placeOf = (
  file: Pick<AddedFile, "id" | "path" | "store"> & { readonly session?: string | null | undefined }
) => ({
  id: file.id,
  path: file.path,
  store: file.store,
  ...(file.session == null ? {} : { session: file.session })
})
