import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type { Turn } from "../../events/Turn.js"
import type { Session } from "../../projections/sessionReads.js"
import type { CommandError } from "../actor/Actor.js"
import type {
  InvalidInput,
  ProjectionParked,
  SequenceConflict,
  SessionNotFound,
  StoreForbidden
} from "../model/errors.js"
import type { PageQuery, ReadError } from "../model/filters.js"
import type { WriteOptions } from "../remember/remember.js"
import type { Explained } from "../search/explain.js"
import type { AddedTurn } from "./addTurn.js"
import type { ForgottenSession } from "./forgetSession.js"
import type { ConversationHit, ConversationQuery } from "./searchConversation.js"
import type { TurnInput } from "./turnInput.js"

/** Reads of conversations: `memory.sessions`. */
export interface SessionReader {
  /** Sessions, most recently used first. */
  readonly list: (query?: PageQuery) => Effect.Effect<ReadonlyArray<Session>, ReadError>
  /** The last turns of a session, oldest first. Default: the last 100. Empty for an unknown session. */
  readonly get: (
    session: string,
    query?: { readonly last?: number | undefined }
  ) => Effect.Effect<ReadonlyArray<Turn>, ReadError>
  /** Searches turns and indexed files. It returns the best piece of each turn and file, best first. */
  readonly search: (query: ConversationQuery) => Effect.Effect<ReadonlyArray<ConversationHit>, ReadError>
  /** The same search, with how the query was interpreted and why each row is a hit. */
  readonly explain: (query: ConversationQuery) => Effect.Effect<Explained<ConversationHit>, ReadError>
}

/** Errors of adding a turn. */
export type AppendTurnError = CommandError | InvalidInput | StoreForbidden | SequenceConflict | ProjectionParked

/** Writes of conversations: `memory.sessions`. */
export interface SessionWriter {
  /** Adds a turn to a session; the first turn creates the session. Sequences must grow. Default: the next sequence. */
  readonly append: (turn: TurnInput, options?: WriteOptions) => Effect.Effect<AddedTurn, AppendTurnError>
  /** Adds up to 1,000 turns in one transaction. Each gets its own answer. */
  readonly appendAll: (
    turns: ReadonlyArray<TurnInput | readonly [TurnInput, WriteOptions]>
  ) => Effect.Effect<ReadonlyArray<Either.Either<AddedTurn, AppendTurnError>>, CommandError | InvalidInput>
  /** Hides the part of a session that the level may read: its turns, its files and their index entries. */
  readonly forget: (
    session: string,
    options?: WriteOptions
  ) => Effect.Effect<ForgottenSession, CommandError | InvalidInput | SessionNotFound | ProjectionParked>
}
