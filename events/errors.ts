import * as Schema from "effect/Schema"

/** Another writer changed the stream first. */
export class VersionConflict extends Schema.TaggedError<VersionConflict>()("VersionConflict", {
  stream: Schema.String,
  expected: Schema.Union(Schema.Number, Schema.String),
  actual: Schema.Number
}) {
  override get message() {
    const expected = this.expected === this.actual ? "" : `, expected ${this.expected}`
    return `${this.stream} was changed by another writer (version ${this.actual}${expected}): read it again and retry`
  }
}

/** The command id was used before for a different request. */
export class CommandConflict extends Schema.TaggedError<CommandConflict>()("CommandConflict", {
  stream: Schema.String,
  commandId: Schema.String
}) {
  override get message() {
    return `command id ${this.commandId} of ${this.stream} was already used for another request: use a new id`
  }
}

/** The command id was used before, and its events have been erased since. */
export class AlreadyErased extends Schema.TaggedError<AlreadyErased>()("AlreadyErased", {
  stream: Schema.String,
  commandId: Schema.String
}) {
  override get message() {
    return `the events of command id ${this.commandId} of ${this.stream} were erased: use a new id to write again`
  }
}

/**
 * Events were erased after the sources of a write were read. Nothing was written, because the write could bring erased
 * text back.
 */
export class ErasedMeanwhile extends Schema.TaggedError<ErasedMeanwhile>()("ErasedMeanwhile", {
  stream: Schema.String,
  /** The version up to which the sources were read. */
  readAt: Schema.Number
}) {
  override get message() {
    return `events of ${this.stream} were erased after this write read its sources at version ${this.readAt}: read the sources again and retry`
  }
}

/** This release cannot read an event. No data is lost: a newer release can read the event. */
export class UnknownEvent extends Schema.TaggedError<UnknownEvent>()("UnknownEvent", {
  stream: Schema.String,
  version: Schema.Number,
  type: Schema.String,
  schema: Schema.Number
}) {
  override get message() {
    return `event ${this.version} of ${this.stream} has type ${this.type}, schema ${this.schema}, which this release of Daybook does not support: update Daybook`
  }
}

/** A stored payload cannot be decoded. The error names the path of the field, never its value. */
export class InvalidEvent extends Schema.TaggedError<InvalidEvent>()("InvalidEvent", {
  stream: Schema.String,
  version: Schema.Number,
  type: Schema.String,
  path: Schema.String
}) {
  override get message() {
    return `event ${this.version} of ${this.stream} (${this.type}) is invalid at ${this.path}: run 'daybook verify', or restore a backup`
  }
}

/** The damage was not accepted: the report is outdated, or this damage can only be repaired, not accepted. */
export class NotAccepted extends Schema.TaggedError<NotAccepted>()("NotAccepted", { problem: Schema.String }) {
  override get message() {
    return `nothing was accepted: ${this.problem}`
  }
}

/** The file system or the database refused the operation. `kind` tells the caller how to react. */
export class StorageError extends Schema.TaggedError<StorageError>()("StorageError", {
  kind: Schema.Literal("busy", "full", "damaged", "readonly", "unsupported", "nofolder", "failed"),
  where: Schema.String,
  code: Schema.String,
  /** The complete message; present if `kind` alone does not say what to do. */
  detail: Schema.optional(Schema.String)
}) {
  override get message() {
    if (this.detail !== undefined) return `${this.detail} (${this.code})`
    const hint = {
      busy: "another process held the lock for too long: try again",
      full: "no space is left: free some space and try again; reads still work",
      damaged: "the file is damaged: run 'daybook verify', or restore a backup",
      readonly: "this path cannot be written: check the owner, the permissions and the disk",
      nofolder: "this path is not a folder, and no folder can be created here: choose another path",
      unsupported: "a required version or setting is missing: update Daybook",
      failed: "the operation failed; the code names the cause"
    }[this.kind]
    return `${this.where}: ${hint} (${this.code})`
  }
}

const kinds: ReadonlyArray<readonly [RegExp, StorageError["kind"]]> = [
  [/^SQLITE_(BUSY|LOCKED)/, "busy"],
  [/^(SQLITE_FULL|ENOSPC|EDQUOT|EFBIG|SQLITE_IOERR_WRITE)/, "full"],
  [/^SQLITE_(CORRUPT|NOTADB|IOERR)/, "damaged"],
  [/^(SQLITE_(READONLY|CANTOPEN|PERM|AUTH)|EACCES|EROFS|EPERM)/, "readonly"]
]

/** An error with its causes, up to five levels deep. */
const causesOf = function* (cause: unknown): Generator<object> {
  for (let error = cause, depth = 0; error !== null && typeof error === "object" && depth < 5; depth++) {
    yield error
    error = "cause" in error ? error.cause : null
  }
}

/** The SQLite or system code of an error, or of its cause, up to five levels deep. */
export const errorCodeOf = (cause: unknown): string => {
  for (const error of causesOf(cause)) {
    if ("code" in error && typeof error.code === "string") return error.code
  }
  return cause instanceof Error ? cause.name : "unknown"
}

/** True if the file's header names an unknown format. SQLite has no separate error code for this. */
const hasUnknownFormat = (cause: unknown): boolean =>
  [...causesOf(cause)].some((error) => "message" in error && error.message === "unsupported file format")

/** Converts an error of SQLite or the file system into a `StorageError`. */
export const storageError = (location: string) => (cause: unknown) => {
  if (cause instanceof StorageError) return cause
  const code = errorCodeOf(cause)
  return new StorageError({
    kind: hasUnknownFormat(cause) ? "damaged" : (kinds.find(([pattern]) => pattern.test(code))?.[1] ?? "failed"),
    where: location,
    code
  })
}

/** Wraps functions so that they throw a `StorageError` that names the location. */
export const withStorageErrors =
  (location: string) =>
  <Args extends ReadonlyArray<unknown>, A>(work: (...args: Args) => A) =>
  (...args: Args): A => {
    try {
      return work(...args)
    } catch (cause) {
      throw storageError(location)(cause)
    }
  }
