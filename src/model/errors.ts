import * as Schema from "effect/Schema"
import { levels, readable, Store, TrustLevel } from "../../events/Trust.js"

/** What was asked for cannot be taken as it is: which field, and what is wrong with it. Never the value. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  field: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.field}: ${this.problem}`
  }
}

/** There is no such index, or it cannot be dropped or gone back to: which, and why. */
export class NoSuchIndex extends Schema.TaggedError<NoSuchIndex>()("NoSuchIndex", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

/** No memory with this id, as far as the reader may know. */
export class MemoryNotFound extends Schema.TaggedError<MemoryNotFound>()("MemoryNotFound", { id: Schema.String }) {
  override get message() {
    return `no memory ${this.id}`
  }
}

/** No turn, file or memory that something was made of, as far as the writer may know. */
export class SourceNotFound extends Schema.TaggedError<SourceNotFound>()("SourceNotFound", {
  kind: Schema.Literal("memory", "turn", "file"),
  id: Schema.String
}) {
  override get message() {
    return `from: no ${this.kind} ${this.id}`
  }
}

/** No session with this key, as far as the reader may know. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  session: Schema.String
}) {
  override get message() {
    return `no session ${this.session}`
  }
}

/** No recall with this number. */
export class RecallNotFound extends Schema.TaggedError<RecallNotFound>()("RecallNotFound", { number: Schema.Number }) {
  override get message() {
    return `no recall ${this.number}`
  }
}

/** No schedule with this id. */
export class ScheduleNotFound extends Schema.TaggedError<ScheduleNotFound>()("ScheduleNotFound", {
  id: Schema.String
}) {
  override get message() {
    return `no schedule ${this.id}`
  }
}

/** No run with this id in the history of any schedule. */
export class RunNotFound extends Schema.TaggedError<RunNotFound>()("RunNotFound", { run: Schema.String }) {
  override get message() {
    return `no run ${this.run}`
  }
}

/** The agent has as many schedules that are not over as it may have. Nothing was written. */
export class TooManySchedules extends Schema.TaggedError<TooManySchedules>()("TooManySchedules", {
  most: Schema.Number
}) {
  override get message() {
    return `there are ${this.most} schedules that are not over, and there may not be more`
  }
}

/** The run is not under way any more: it ended, or its lease ran out and somebody else took it. Nothing was written. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", { run: Schema.String }) {
  override get message() {
    return `run ${this.run} is not under way any more`
  }
}

/** The agent has no such version yet. */
export class VersionNotFound extends Schema.TaggedError<VersionNotFound>()("VersionNotFound", {
  version: Schema.Number,
  /** The version of its newest event; 0 where it has none. */
  newest: Schema.Number
}) {
  override get message() {
    return `no version ${this.version}: the newest is ${this.newest}`
  }
}

/** A path that cannot be taken, and why. Nothing was written. */
export class PathRefused extends Schema.TaggedError<PathRefused>()("PathRefused", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.path} ${this.problem}`
  }
}

/** No file under this path, as far as the reader may know. */
export class FileNotFound extends Schema.TaggedError<FileNotFound>()("FileNotFound", { path: Schema.String }) {
  override get message() {
    return `no file ${this.path}`
  }
}

/**
 * The file belongs to another session than the one that was named, and goes when that one is forgotten. Nothing was
 * written: leave the session out, or ask for the move.
 */
export class FileInSession extends Schema.TaggedError<FileInSession>()("FileInSession", {
  path: Schema.String,
  /** The session that it belongs to. */
  session: Schema.String
}) {
  override get message() {
    return `session: the file belongs to session ${this.session}, and is moved only where that is asked for`
  }
}

/** A turn that does not come after the turns of its session. Nothing was written. */
export class SequenceConflict extends Schema.TaggedError<SequenceConflict>()("SequenceConflict", {
  session: Schema.String,
  sequence: Schema.Number,
  /** The sequence of the newest turn. */
  last: Schema.Number
}) {
  override get message() {
    return `sequence: ${this.sequence} does not come after ${this.last}, the newest of session ${this.session}`
  }
}

/**
 * A read model that a write must ask has stopped at an event that it cannot
 * apply: what it says is old. Nothing was written; `rebuild` or a newer version
 * of the program mends it.
 */
export class ProjectionParked extends Schema.TaggedError<ProjectionParked>()("ProjectionParked", {
  projection: Schema.String,
  /** The kind of failure: a code of SQLite's or the name of an error. */
  reason: Schema.String
}) {
  override get message() {
    return `the projection ${this.projection} is parked (${this.reason}): rebuild it before writing to it`
  }
}

/** A write from a level into a store that it cannot read, or from one that reads none. */
export class StoreForbidden extends Schema.TaggedError<StoreForbidden>()("StoreForbidden", {
  level: TrustLevel,
  store: Store
}) {
  override get message() {
    const writable = readable(this.level)
    if (writable.length > 0) return `store: trust level ${this.level} may write to ${writable.join(" and ")} only`
    const others = levels.filter((level) => readable(level).length > 0)
    return `trust: level ${this.level} may not write at all; ${others.join(", ")} may`
  }
}

/**
 * A write from a level that cannot read `private` holds a credential, which is
 * kept nowhere else. Nothing was written. Which kinds were found, never what.
 */
export class CredentialForbidden extends Schema.TaggedError<CredentialForbidden>()("CredentialForbidden", {
  level: TrustLevel,
  /** What it was found to be; none where only its type said so. */
  kinds: Schema.Array(Schema.Literal("api-key", "token", "private-key", "password"))
}) {
  override get message() {
    const found = this.kinds.length === 0 ? "" : ` (${this.kinds.join(", ")})`
    return `a credential${found} is kept in store private alone: trust level ${this.level} cannot write to it`
  }
}

/** Something that only full trust may ask for. */
export class TrustRequired extends Schema.TaggedError<TrustRequired>()("TrustRequired", { what: Schema.String }) {
  override get message() {
    return `${this.what} needs trust level full`
  }
}

/** What is to be undone is not there: no such event, no change of a memory in such a run or from such a source. */
export class NothingToUndo extends Schema.TaggedError<NothingToUndo>()("NothingToUndo", { what: Schema.String }) {
  override get message() {
    return `nothing to undo: there is no ${this.what}`
  }
}

/** An event that changed no memory, or whose text was erased, cannot be undone. */
export class NotUndoable extends Schema.TaggedError<NotUndoable>()("NotUndoable", {
  version: Schema.Number,
  type: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `version ${this.version}, ${this.type}, ${this.problem}`
  }
}

/** More commands wait for this agent than are taken. Nothing was written; ask again later. */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", { agent: Schema.String }) {
  override get message() {
    return `too many commands wait for ${this.agent}`
  }
}

/** The policy file or environment does not decode: every problem, each with its path. */
export class InvalidPolicy extends Schema.TaggedError<InvalidPolicy>()("InvalidPolicy", {
  problems: Schema.Array(Schema.String),
  /** The file that holds it, where there is one. */
  file: Schema.optional(Schema.String)
}) {
  override get message() {
    return `policy${this.file === undefined ? "" : ` ${this.file}`}: ${this.problems.join("; ")}`
  }
}

/** No reranker has this name, or it cannot be asked from here: one line that says what to do. */
export class UnknownReranker extends Schema.TaggedError<UnknownReranker>()("UnknownReranker", {
  name: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `no reranker ${this.name}: ${this.problem}`
  }
}
