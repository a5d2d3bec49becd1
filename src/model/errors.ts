import * as Schema from "effect/Schema"
import { levels, readableStores, Store, TrustLevel } from "../../events/Trust.js"

export { NothingToErase, RecallErased } from "./eraseErrors.js"

/** A field of the input is invalid. The error names the field and the problem, never the value. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  field: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.field}: ${this.problem}`
  }
}

/** The embedding index does not exist, or cannot be dropped or activated again; `problem` says which and why. */
export class NoSuchIndex extends Schema.TaggedError<NoSuchIndex>()("NoSuchIndex", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

/** The reader can see no memory with this id. */
export class MemoryNotFound extends Schema.TaggedError<MemoryNotFound>()("MemoryNotFound", { id: Schema.String }) {
  override get message() {
    return `memory ${this.id} not found: check the id and the trust level`
  }
}

/** The writer can see no source (turn, file or memory) with this id. */
export class SourceNotFound extends Schema.TaggedError<SourceNotFound>()("SourceNotFound", {
  kind: Schema.Literal("memory", "turn", "file"),
  id: Schema.String
}) {
  override get message() {
    return `from: ${this.kind} ${this.id} not found: check the id and the trust level`
  }
}

/** The reader can see no session with this key. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  session: Schema.String
}) {
  override get message() {
    return `session ${this.session} not found: check the key and the trust level`
  }
}

/** No recall with this number. */
export class RecallNotFound extends Schema.TaggedError<RecallNotFound>()("RecallNotFound", { number: Schema.Number }) {
  override get message() {
    return `recall ${this.number} not found: list the recalls to see their numbers`
  }
}

/** No schedule with this id. */
export class ScheduleNotFound extends Schema.TaggedError<ScheduleNotFound>()("ScheduleNotFound", {
  id: Schema.String
}) {
  override get message() {
    return `schedule ${this.id} not found: list the schedules to see their ids`
  }
}

/** No run of a schedule or of maintenance with this id. */
export class RunNotFound extends Schema.TaggedError<RunNotFound>()("RunNotFound", { run: Schema.String }) {
  override get message() {
    return `run ${this.run} not found: list the runs to see their ids`
  }
}

/** The agent has reached its limit of active and paused schedules. Nothing was written. */
export class TooManySchedules extends Schema.TaggedError<TooManySchedules>()("TooManySchedules", {
  most: Schema.Number
}) {
  override get message() {
    return `schedule limit reached (${this.most} active or paused): delete a schedule first`
  }
}

/**
 * The run is no longer active: it ended, or its lease expired and another process took it over. Nothing was written.
 */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", { run: Schema.String }) {
  override get message() {
    return `run ${this.run} is no longer active: it ended, or another process took it over; discard the result of the run`
  }
}

/** The agent has no such version yet. */
export class VersionNotFound extends Schema.TaggedError<VersionNotFound>()("VersionNotFound", {
  version: Schema.Number,
  /** The version of the agent's newest event; 0 without events. */
  newest: Schema.Number
}) {
  override get message() {
    return `version ${this.version} does not exist: the newest version is ${this.newest}`
  }
}

/** This path cannot be indexed; `problem` says why. Nothing was written. */
export class PathRefused extends Schema.TaggedError<PathRefused>()("PathRefused", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.path}: ${this.problem}`
  }
}

/** The reader can see no file with this path. */
export class FileNotFound extends Schema.TaggedError<FileNotFound>()("FileNotFound", { path: Schema.String }) {
  override get message() {
    return `file ${this.path} not found: check the path and the trust level`
  }
}

/**
 * The file belongs to another session than the one in the request. Forgetting that session forgets the file too.
 * Nothing was written: leave out the session, or request the move.
 */
export class FileInSession extends Schema.TaggedError<FileInSession>()("FileInSession", {
  path: Schema.String,
  /** The session that the file belongs to. */
  session: Schema.String
}) {
  override get message() {
    return `session: the file belongs to session ${this.session}; pass \`move: true\` to move the file to this session`
  }
}

/** The turn's sequence number must be larger than every earlier one in its session. Nothing was written. */
export class SequenceConflict extends Schema.TaggedError<SequenceConflict>()("SequenceConflict", {
  session: Schema.String,
  sequence: Schema.Number,
  /** The sequence number of the newest turn. */
  last: Schema.Number
}) {
  override get message() {
    return `sequence: ${this.sequence} is not after ${this.last}, the newest turn of session ${this.session}; use ${this.last + 1} or more`
  }
}

/**
 * A projection that the write depends on has stopped at an event that it cannot apply, so its rows are outdated.
 * Nothing was written. `rebuild`, or a newer release of the program, repairs the projection.
 */
export class ProjectionParked extends Schema.TaggedError<ProjectionParked>()("ProjectionParked", {
  projection: Schema.String,
  /** The kind of failure: an SQLite code or the name of an error. */
  reason: Schema.String
}) {
  override get message() {
    return `the projection ${this.projection} is parked (${this.reason}): run 'daybook rebuild ${this.projection}', then write again`
  }
}

/**
 * The trust level cannot write to the requested store, because it cannot read that store. Some levels can read no store
 * at all.
 */
export class StoreForbidden extends Schema.TaggedError<StoreForbidden>()("StoreForbidden", {
  level: TrustLevel,
  store: Store
}) {
  override get message() {
    const writable = readableStores(this.level)
    if (writable.length > 0) {
      return `store: trust level ${this.level} cannot write to \`${this.store}\`: use ${writable.map((store) => `\`${store}\``).join(" or ")}`
    }
    const writers = levels.filter((level) => readableStores(level).length > 0)
    return `trust: level ${this.level} cannot write: use one of ${writers.join(", ")}`
  }
}

/**
 * A write contains a credential, but its trust level cannot write to `private`, the only store that keeps credentials.
 * Nothing was written. Names the kinds of credentials, never their text.
 */
export class CredentialForbidden extends Schema.TaggedError<CredentialForbidden>()("CredentialForbidden", {
  level: TrustLevel,
  /** The kinds of credentials; empty if only the memory's type is `credential`. */
  kinds: Schema.Array(Schema.Literal("api-key", "token", "private-key", "password"))
}) {
  override get message() {
    const kinds = this.kinds.length === 0 ? "" : ` (${this.kinds.join(", ")})`
    return `a credential${kinds} can only be stored in the store \`private\`, and trust level ${this.level} cannot write there: remove the credential, or use trust level \`full\``
  }
}

/** A higher trust level wrote the item that this write would change. Nothing was written. */
export class LevelTooLow extends Schema.TaggedError<LevelTooLow>()("LevelTooLow", {
  level: TrustLevel,
  /** The trust level that wrote the item. */
  writer: TrustLevel,
  /** Names the item: `memory ID`, `file PATH` or `session KEY`. */
  what: Schema.String
}) {
  override get message() {
    return `${this.what} was written at trust level ${this.writer}, so level ${this.level} cannot change it: store a new memory instead`
  }
}

/** Only full trust may use this operation. */
export class TrustRequired extends Schema.TaggedError<TrustRequired>()("TrustRequired", { what: Schema.String }) {
  override get message() {
    return `${this.what} requires trust level \`full\``
  }
}

/**
 * The clock is more than a year ahead of the agent's events, so maintenance would age all of them at once. Nothing was
 * written. Times are milliseconds since the epoch.
 */
export class ClockUnconfirmed extends Schema.TaggedError<ClockUnconfirmed>()("ClockUnconfirmed", {
  now: Schema.Number
}) {
  override get message() {
    const time = new Date(this.now).toISOString()
    return `the clock jumped by more than a year and reads ${time}: correct the clock, or run 'daybook maintain --confirm-clock' to confirm this time`
  }
}

/** Nothing matches the undo request: there is no such event, or the run or source changed no memory. */
export class NothingToUndo extends Schema.TaggedError<NothingToUndo>()("NothingToUndo", { what: Schema.String }) {
  override get message() {
    return `nothing to undo: there is no ${this.what}`
  }
}

/** The event changed no memory, records an erasure, or its text was erased, so it cannot be undone. */
export class NotUndoable extends Schema.TaggedError<NotUndoable>()("NotUndoable", {
  version: Schema.Number,
  type: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `cannot undo version ${this.version} (${this.type}): the event ${this.problem}`
  }
}

/** The agent's queue of commands is full. Nothing was written; retry later. */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", { agent: Schema.String }) {
  override get message() {
    return `too many commands are waiting for agent ${this.agent}: retry later`
  }
}

/** The policy file or environment is invalid. Lists every problem with its path. */
export class InvalidPolicy extends Schema.TaggedError<InvalidPolicy>()("InvalidPolicy", {
  problems: Schema.Array(Schema.String),
  /** The policy file, if there is one. */
  file: Schema.optional(Schema.String)
}) {
  override get message() {
    return `policy${this.file === undefined ? "" : ` ${this.file}`}: ${this.problems.join("; ")}`
  }
}

/** No reranker has this name. `problem` is one line that lists the choices. */
export class UnknownReranker extends Schema.TaggedError<UnknownReranker>()("UnknownReranker", {
  name: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `unknown reranker ${this.name}: ${this.problem}`
  }
}

/** A known reranker that this process cannot use, for example without its key. `problem` is one line that says why. */
export class RerankerUnavailable extends Schema.TaggedError<RerankerUnavailable>()("RerankerUnavailable", {
  name: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `cannot use reranker ${this.name}: ${this.problem}`
  }
}

/** The errors of a reranker lookup: no reranker has this name, or this process cannot use the reranker. */
export type RerankerLookupError = UnknownReranker | RerankerUnavailable

/** A backup or an export was not made, or not restored. Nothing was changed. `file` is a path. */
export class BackupRefused extends Schema.TaggedError<BackupRefused>()("BackupRefused", {
  file: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.file} ${this.problem}`
  }
}
