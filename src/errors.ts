import * as Schema from "effect/Schema"
import { Store, TrustLevel } from "../events/Trust.js"

/** What was asked for cannot be taken as it is: which field, and what is wrong with it. Never the value. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  field: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.field}: ${this.problem}`
  }
}

/** No memory with this id, as far as the reader may know. */
export class MemoryNotFound extends Schema.TaggedError<MemoryNotFound>()("MemoryNotFound", { id: Schema.String }) {
  override get message() {
    return `no memory ${this.id}`
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

/** No file under this path, as far as the reader may know. */
export class FileNotFound extends Schema.TaggedError<FileNotFound>()("FileNotFound", { path: Schema.String }) {
  override get message() {
    return `no file ${this.path}`
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

/** A write from a level into a store that it cannot read. */
export class StoreForbidden extends Schema.TaggedError<StoreForbidden>()("StoreForbidden", {
  level: TrustLevel,
  store: Store
}) {
  override get message() {
    return `store: trust level ${this.level} cannot write to ${this.store}`
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
  problems: Schema.Array(Schema.String)
}) {
  override get message() {
    return `policy: ${this.problems.join("; ")}`
  }
}
