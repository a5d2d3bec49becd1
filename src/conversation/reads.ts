import * as Effect from "effect/Effect"
import { findFiles, findFilesAt } from "../../projections/files.js"
import { findSessions, findTurns } from "../../projections/sessionReads.js"
import type { ReaderSource } from "../actor/ReaderSource.js"
import { FileNotFound } from "../model/errors.js"
import { checkInteger, checkPage, refuseUnknownOptions } from "../model/filters.js"
import { decodeKey } from "../model/input.js"
import { limits } from "../model/limits.js"
import type { FileReader } from "./Files.js"
import { decodePath } from "./fileInput.js"
import type { SessionReader } from "./Sessions.js"

/** Makes the reads of sessions that need no search. */
export const makeSessions = ({ level, read }: ReaderSource): Pick<SessionReader, "list" | "get"> => ({
  list: Effect.fn("Memory.sessions.list")(function* (query = {}) {
    const page = yield* checkPage(query, 50)
    return yield* read(({ db }) => findSessions(db, level, page))
  }),

  get: Effect.fn("Memory.sessions.get")(function* (session, query = {}) {
    yield* decodeKey("session", session)
    yield* refuseUnknownOptions(query, ["last"])
    const last = yield* checkInteger("last", query.last ?? 100, 1, limits.page)
    return yield* read(({ db }) => findTurns(db, level, session, last))
  })
})

/** Makes the reads of `memory.files`. */
export const makeFiles = ({ level, read }: ReaderSource): FileReader => ({
  list: Effect.fn("Memory.files.list")(function* (query = {}) {
    const page = yield* checkPage(query, 50)
    return yield* read(({ db }) => findFiles(db, level, page))
  }),

  get: Effect.fn("Memory.files.get")(function* (path) {
    yield* decodePath(path)
    const files = yield* read(({ db }) => findFilesAt(db, level, path))
    return files.length > 0 ? files : yield* new FileNotFound({ path })
  })
})
