import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type { Turn } from "../../events/Turn.js"
import { findSessions, findTurns, type Session } from "../../projections/sessionReads.js"
import type { CommandError } from "../actor/Actor.js"
import type { ReaderServices, ReaderSource } from "../actor/ReaderSource.js"
import type {
  InvalidInput,
  LevelTooLow,
  ProjectionParked,
  SequenceConflict,
  SessionNotFound,
  StoreForbidden
} from "../model/errors.js"
import { checkInteger, checkPage, type PageQuery, type ReadError, refuseUnknownOptions } from "../model/filters.js"
import { decodeKey } from "../model/input.js"
import { limits } from "../model/limits.js"
import { defineMethod } from "../model/operation.js"
import type { WriteOptions, Writer } from "../remember/remember.js"
import { type Runner, writeOptionNames } from "../remember/runner.js"
import type { Explained } from "../search/explain.js"
import { searchAndRecord } from "../search/recordedSearch.js"
import { withReasons } from "../search/retrieve.js"
import { type AddedTurn, type AddTurnOptions, addTurn } from "./addTurn.js"
import { type ForgottenSession, forgetSession } from "./forgetSession.js"
import { type RestoredSession, type RestoreOptions, restoreSession } from "./restore.js"
import {
  type ConversationHit,
  type ConversationQuery,
  decodeConversationQuery,
  searchConversationRows
} from "./searchConversation.js"
import type { TurnInput } from "./turnInput.js"

export type { AddedTurn, AddTurnOptions } from "./addTurn.js"
export type { ForgottenSession } from "./forgetSession.js"
export type { RestoredMessage, RestoredSession, RestoreOptions } from "./restore.js"
export type { ConversationHit, ConversationQuery } from "./searchConversation.js"
export type { TurnInput } from "./turnInput.js"

/** Reads of conversations: `memory.sessions`. */
export interface SessionReader {
  /** Sessions, most recently used first. */
  readonly list: (query?: PageQuery) => Effect.Effect<ReadonlyArray<Session>, ReadError>
  /** The last turns of a session, oldest first. Default: `short_term.size`, 100. Empty for an unknown session. */
  readonly get: (
    session: string,
    query?: { readonly last?: number | undefined }
  ) => Effect.Effect<ReadonlyArray<Turn>, ReadError>
  /**
   * Rebuilds the messages of a session within a token budget: its rolling summary, then its last complete turns with
   * the results of their tools.
   */
  readonly restore: (session: string, options?: RestoreOptions) => Effect.Effect<RestoredSession, ReadError>
  /** Searches turns and indexed files. Returns the best chunk of each turn and file, best first. */
  readonly search: (query: ConversationQuery) => Effect.Effect<ReadonlyArray<ConversationHit>, ReadError>
  /** Runs the same search. Also reports how the query was interpreted and why each row matched. */
  readonly explain: (query: ConversationQuery) => Effect.Effect<Explained<ConversationHit>, ReadError>
}

/** Errors of adding a turn. */
export type AppendTurnError = CommandError | InvalidInput | StoreForbidden | SequenceConflict | ProjectionParked

/** Writes of conversations: `memory.sessions`. */
export interface SessionWriter {
  /**
   * Adds up to 1,000 turns. Each gets its own answer, as in `Memory.rememberAll`. Nothing is extracted now; a turn with
   * the option `extract` waits for a call of `extract`.
   */
  readonly appendAll: (
    turns: ReadonlyArray<TurnInput | readonly [TurnInput, AddTurnOptions]>
  ) => Effect.Effect<ReadonlyArray<Either.Either<AddedTurn, AppendTurnError>>, CommandError | InvalidInput>
  /** Hides the part of a session that the level may read: its turns, its files and their index entries. */
  readonly forget: (
    session: string,
    options?: WriteOptions
  ) => Effect.Effect<ForgottenSession, CommandError | InvalidInput | LevelTooLow | SessionNotFound | ProjectionParked>
}

/** @internal */
export const makeSessionReader = (source: ReaderSource, services: ReaderServices): SessionReader => {
  const { level, read } = source
  const searchFor = (query: ConversationQuery) =>
    Effect.flatMap(
      Effect.suspend(() => decodeConversationQuery(query, services.ranking.policy)),
      (request) => searchAndRecord(source, services, "conversation", request, searchConversationRows)
    )
  return {
    list: defineMethod("Memory.sessions.list")(function* (query = {}) {
      const page = yield* checkPage(query, 50)
      return yield* read(({ db }) => findSessions(db, level, page))
    }),

    get: defineMethod("Memory.sessions.get")(function* (session, query = {}) {
      yield* decodeKey("session", session)
      yield* refuseUnknownOptions(query, ["last"])
      const last = yield* checkInteger("last", query.last ?? services.maintenance.short_term.size, 1, limits.page)
      return yield* read(({ db }) => findTurns(db, level, session, last))
    }),

    restore: defineMethod("Memory.sessions.restore")(function* (session, options = {}) {
      yield* decodeKey("session", session)
      yield* refuseUnknownOptions(options, ["tokens"])
      const { countTokens, countsExactly: isExact, maintenance } = services
      const tokens = options.tokens ?? maintenance.summary.tokens
      const budget = yield* checkInteger("tokens", tokens, 1, Number.MAX_SAFE_INTEGER)
      const { writers } = maintenance.prompt
      return yield* read(({ db }) => restoreSession(db, { level, session, budget, countTokens, isExact, writers }))
    }),

    search: defineMethod("Memory.sessions.search")((query) => Effect.map(searchFor(query), ({ hits }) => hits)),

    explain: defineMethod("Memory.sessions.explain")((query) => Effect.map(searchFor(query), withReasons))
  }
}

/** @internal */
export const makeSessionWriter = ({ run, runAll }: Runner, writer: Writer): SessionWriter => ({
  appendAll: defineMethod("Memory.sessions.appendAll")((turns) =>
    runAll("turns", turns, (turn, options) => addTurn(writer, turn, options), [...writeOptionNames, "extract"])
  ),
  forget: defineMethod("Memory.sessions.forget")((session, options) =>
    run(() => forgetSession(writer, session, options), options)
  )
})
