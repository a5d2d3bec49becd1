import * as Schema from "effect/Schema"

/** Somebody else wrote to the stream first. */
export class VersionConflict extends Schema.TaggedError<VersionConflict>()("VersionConflict", {
  stream: Schema.String,
  expected: Schema.Union(Schema.Number, Schema.String),
  actual: Schema.Number
}) {
  override get message() {
    return `${this.stream} is at version ${this.actual}, expected ${this.expected}`
  }
}

/** The command id was used before, for another request. */
export class CommandConflict extends Schema.TaggedError<CommandConflict>()("CommandConflict", {
  stream: Schema.String,
  commandId: Schema.String
}) {
  override get message() {
    return `command ${this.commandId} of ${this.stream} was already used for another request`
  }
}

/** The command id was used before and what it wrote has been erased since. */
export class AlreadyErased extends Schema.TaggedError<AlreadyErased>()("AlreadyErased", {
  stream: Schema.String,
  commandId: Schema.String
}) {
  override get message() {
    return `what command ${this.commandId} of ${this.stream} wrote has been erased`
  }
}

/** An event that this version cannot read. Nothing is lost: a newer version reads it. */
export class UnknownEvent extends Schema.TaggedError<UnknownEvent>()("UnknownEvent", {
  stream: Schema.String,
  version: Schema.Number,
  type: Schema.String,
  schema: Schema.Number
}) {
  override get message() {
    return `event ${this.version} of ${this.stream} is a ${this.type} of schema ${this.schema}, which this version of Daybook does not know; use a newer one`
  }
}

/** A stored payload that does not decode. Names the place in it, never what stands there. */
export class InvalidEvent extends Schema.TaggedError<InvalidEvent>()("InvalidEvent", {
  stream: Schema.String,
  version: Schema.Number,
  type: Schema.String,
  path: Schema.String
}) {
  override get message() {
    return `event ${this.version} of ${this.stream} (${this.type}) does not decode at ${this.path}`
  }
}

/** The file system or the database refused: `kind` tells what a caller can do about it. */
export class StorageError extends Schema.TaggedError<StorageError>()("StorageError", {
  kind: Schema.Literal("busy", "full", "damaged", "readonly", "unsupported", "nofolder", "failed"),
  where: Schema.String,
  code: Schema.String,
  /** The whole sentence, where the kind alone does not say what to do. */
  detail: Schema.optional(Schema.String)
}) {
  override get message() {
    if (this.detail !== undefined) return `${this.detail} (${this.code})`
    const hint = {
      busy: "another process kept it locked for too long",
      full: "no space is left; reads go on, writes resume when there is space",
      damaged: "the file is damaged",
      readonly: "it cannot be written",
      nofolder: "it is no folder, and none can be made there",
      unsupported: "a needed version or setting is missing",
      failed: "the operation failed"
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

/** The SQLite or system code of a thrown error, however deep it is wrapped. */
export const codeOf = (cause: unknown): string => {
  for (let at = cause, depth = 0; at !== null && typeof at === "object" && depth < 5; depth++) {
    if ("code" in at && typeof at.code === "string") return at.code
    at = "cause" in at ? at.cause : null
  }
  return cause instanceof Error ? cause.name : "unknown"
}

/** Turns what SQLite or the file system threw into the one error that leaves the engine. */
export const storageError = (where: string) => (cause: unknown) => {
  if (cause instanceof StorageError) return cause
  const code = codeOf(cause)
  return new StorageError({ kind: kinds.find(([pattern]) => pattern.test(code))?.[1] ?? "failed", where, code })
}
