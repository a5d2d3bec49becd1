import * as Either from "effect/Either"
import { findFilesAt } from "../../projections/files.js"
import { asked, type Command, commandIdOf, versionAt, whileSound } from "../actor/Command.js"
import { restsOnCopies, staleEvents } from "../actor/lineage.js"
import { FileNotFound, InvalidInput, type ProjectionParked } from "../model/errors.js"
import { limits } from "../model/limits.js"
import type { WriteOptions, Writer } from "../remember/remember.js"

/** A file that is out of every read from now on. Its events stay in the log until they are erased. */
export interface ForgottenFile {
  readonly outcome: "forgotten"
  readonly path: string
  /** More than one where several stores had the path. */
  readonly files: number
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  readonly repeated: boolean
}

/** Makes the command that forgets a file, as far as the level may read it. Fails with `FileNotFound` where that is nothing. */
export const forgetFile = (
  writer: Writer,
  path: string,
  options: WriteOptions = {}
): Either.Either<Command<ForgottenFile, FileNotFound | ProjectionParked>, InvalidInput> =>
  Either.gen(function* () {
    if (typeof path !== "string" || path === "" || path.length > limits.file) {
      return yield* Either.left(
        new InvalidInput({ field: "path", problem: `must have 1 to ${limits.file} characters` })
      )
    }
    const commandId = yield* commandIdOf(writer.level, options.commandId)
    return {
      actor: writer.actor,
      commandId,
      request: () => JSON.stringify(["forgetFile", path]),
      decide: ({ db, version }) => {
        const sound = whileSound(db, "conversation")
        if (Either.isLeft(sound)) return Either.left(sound.left)
        const found = findFilesAt(db, writer.level, path)
        if (found.length === 0) return Either.left(new FileNotFound({ path }))
        const payload = {
          path,
          stores: found.map(({ store }) => store),
          turns: [],
          files: found.map(({ born }) => born),
          decision: asked("FORGET", "forgetFile", "asked to forget it")
        }
        const gone = found.map(({ store }) => store)
        const others = findFilesAt(db, "full", path).flatMap(({ store }) => (gone.includes(store) ? [] : [store]))
        const rests = restsOnCopies(gone, others)
        const stale = staleEvents(db, [{ kind: "file", to: path }], "forgotten", version, rests)
        return Either.right({ events: [{ type: "FORGET", payload }, ...stale] })
      },
      answer: ([event], repeated) => {
        if (event?.type !== "FORGET") throw new Error("forgetFile made another event")
        const files = event.payload.files.length
        return { outcome: "forgotten", path, files, ...versionAt(writer.level, event.version), repeated }
      }
    }
  })
