import * as Either from "effect/Either"
import { findStoredFilesByPath } from "../../projections/files.js"
import { type Command, callerDecision, commandIdOf, requireUnparked, visibleVersion } from "../actor/Command.js"
import { dependsOnCopies, staleEvents } from "../actor/lineage.js"
import { FileNotFound, type InvalidInput, type LevelTooLow, type ProjectionParked } from "../model/errors.js"
import { requireLevel } from "../remember/levels.js"
import type { WriteOptions, Writer } from "../remember/remember.js"
import { decodePath } from "./fileInput.js"

/**
 * The result of forgetting a file. No read returns the file any more; its events stay in the log until they are erased.
 */
export interface ForgottenFile {
  readonly outcome: "forgotten"
  readonly path: string
  /** How many files were forgotten. More than one if several stores have the path. */
  readonly files: number
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  readonly repeated: boolean
}

/** Makes the command that forgets a file in the stores that the level may read. Fails with `FileNotFound` if none has it. */
export const forgetFile = (
  writer: Writer,
  path: string,
  options: WriteOptions = {}
): Either.Either<Command<ForgottenFile, FileNotFound | LevelTooLow | ProjectionParked>, InvalidInput> =>
  Either.gen(function* () {
    yield* decodePath(path)
    const commandId = yield* commandIdOf(writer.level, options.commandId)
    return {
      actor: writer.actor,
      commandId,
      request: () => JSON.stringify(["forgetFile", path]),
      decide: ({ db, version }) => {
        const unparked = requireUnparked(db, "conversation")
        if (Either.isLeft(unparked)) return Either.left(unparked.left)
        const files = findStoredFilesByPath(db, writer.level, path)
        if (files.length === 0) return Either.left(new FileNotFound({ path }))
        for (const file of files) {
          const permitted = requireLevel(writer.level, file, `file ${path}`)
          if (Either.isLeft(permitted)) return Either.left(permitted.left)
        }
        const payload = {
          path,
          stores: files.map(({ store }) => store),
          turns: [],
          files: files.map(({ born }) => born),
          decision: callerDecision("FORGET", "forgetFile", "asked to forget it")
        }
        const stores = files.map(({ store }) => store)
        const copies = findStoredFilesByPath(db, "full", path).flatMap(({ store }) =>
          stores.includes(store) ? [] : [store]
        )
        const affects = dependsOnCopies(stores, copies)
        const stale = staleEvents(
          db,
          [{ kind: "file", to: path }],
          "forgotten",
          { version, level: writer.level },
          affects
        )
        return Either.right({ events: [{ type: "FORGET", payload }, ...stale] })
      },
      answer: ([event], repeated) => {
        if (event?.type !== "FORGET") throw new Error("the first event of `forgetFile` must be FORGET")
        const files = event.payload.files.length
        return { outcome: "forgotten", path, files, ...visibleVersion(writer.level, event.version), repeated }
      }
    }
  })
