import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { schemaStatements } from "../../migrations/index.js"
import { type AnchorState, applyLine } from "../anchorLines.js"
import { isSqliteError } from "../driver.js"
import { parseLedger } from "../erasure/ledger.js"
import { setAppliedLine } from "../erasure/ledgerReference.js"
import { type StorageError, storageError } from "../errors.js"
import { type EventRow, fromRow, insertEvent, toParams } from "../eventRows.js"
import { openLogDatabase } from "../sqlite.js"
import { type Db, sql } from "../statement.js"
import { yieldIfDue } from "../turns.js"
import type { ExportHeader } from "./exportLines.js"
import { writeLedger } from "./snapshot.js"

/** A line of an export cannot be imported. `line` counts from 1. */
export class InvalidExport extends Schema.TaggedError<InvalidExport>()("InvalidExport", {
  line: Schema.Number,
  problem: Schema.String
}) {
  override get message() {
    return `line ${this.line} of the export ${this.problem}; nothing was imported`
  }
}

const Hex = Schema.String.pipe(Schema.pattern(/^([0-9a-f]{2})*$/))
const WholeNumber = Schema.Number.pipe(Schema.int())

const Line = Schema.Union(
  Schema.Struct({
    daybook: Schema.Struct({
      format: Schema.Literal(1),
      schema: WholeNumber,
      installation: Schema.String,
      installedAt: WholeNumber,
      createdAt: WholeNumber,
      erasures: Schema.optional(WholeNumber)
    })
  }),
  Schema.Struct({ anchor: Schema.String }),
  Schema.Struct({ ledger: Schema.String }),
  Schema.Struct({
    event: Schema.Struct({
      // Exports of earlier releases have events of chain version 1 only, without these fields.
      chain: Schema.optionalWith(WholeNumber, { default: () => 1 }),
      command_key: Schema.optionalWith(Schema.NullOr(Hex), { default: () => null }),
      names: Schema.optionalWith(Schema.NullOr(Hex), { default: () => null }),
      sequence: WholeNumber,
      stream: Schema.String,
      version: WholeNumber,
      type: Schema.String,
      schema: WholeNumber,
      payload: Schema.NullOr(Schema.String),
      salt: Schema.NullOr(Hex),
      digest: Hex,
      hash: Hex,
      command_id: Schema.NullOr(Schema.String),
      ordinal: WholeNumber,
      request_digest: Schema.NullOr(Hex),
      actor: Schema.String,
      cause: Schema.NullOr(Schema.String),
      occurred_at: WholeNumber,
      recorded_at: WholeNumber,
      erased_at: Schema.NullOr(WholeNumber)
    })
  }),
  Schema.Struct({ timer: Schema.Tuple(Schema.String, WholeNumber) }),
  Schema.Struct({
    vector: Schema.Struct({
      model: Schema.String,
      dimensions: WholeNumber,
      digest: Hex,
      vector: Hex,
      checksum: Hex
    })
  }),
  Schema.Struct({ end: Schema.Struct({ events: WholeNumber, timers: WholeNumber, vectors: WholeNumber }) })
)
const decodeLine = Schema.decodeUnknownOption(Schema.parseJson(Line), { onExcessProperty: "error" })

/**
 * Builds a log in an empty folder from the lines of an export, in one transaction. Checks the format of each line; the
 * caller verifies the log afterwards.
 */
export const importLines = (
  folder: string,
  lines: AsyncIterable<string>,
  onProgress: (events: number) => void
): Effect.Effect<ExportHeader, StorageError | InvalidExport> =>
  Effect.gen(function* () {
    const { writer } = yield* openLogDatabase(join(folder, "log.db"))
    const state = yield* Effect.acquireRelease(
      Effect.sync(() => {
        writer.exec("BEGIN IMMEDIATE")
        return emptyState()
      }),
      () => Effect.sync(() => void (writer.inTransaction && writer.exec("ROLLBACK")))
    )
    const iterator = yield* Effect.acquireRelease(
      Effect.sync(() => lines[Symbol.asyncIterator]()),
      // Closes the file. An error when closing cannot change the outcome.
      (opened) => Effect.ignore(Effect.tryPromise(async () => opened.return?.()))
    )
    for (let number = 1; ; number++) {
      const { done, value: text } = yield* Effect.tryPromise({
        try: () => iterator.next(),
        catch: (cause) => (cause instanceof InvalidExport ? cause : storageError("the export")(cause))
      })
      if (done === true) break
      const problem = yield* Effect.try({ try: () => store(writer, state, text), catch: storageError("log.db") })
      if (problem !== null) return yield* new InvalidExport({ line: number, problem })
      onProgress(state.counts.events)
      yield* yieldIfDue
    }
    if (state.header === undefined || !state.hasEnded)
      return yield* new InvalidExport({ line: state.lines + 1, problem: "is missing, because the export was cut off" })
    yield* Effect.try({
      try: () => {
        const { hash = "0".repeat(64), line = 0 } = state.anchor ?? {}
        sql(writer, "UPDATE anchor_reference SET line = ?, hash = ?").run(line, Buffer.from(hash, "hex"))
        writeFileSync(join(folder, "anchor.log"), state.anchorLines.map((text) => `${text}\n`).join(""), {
          mode: 0o600
        })
        const ledger = state.ledgerLines.map((text) => `${text}\n`).join("")
        const applied = parseLedger(ledger).lines.find((entry) => entry.line === state.header?.erasures)
        if (applied !== undefined) setAppliedLine(writer, applied)
        writeLedger(folder, ledger)
        writer.exec("COMMIT")
      },
      catch: storageError("log.db")
    })
    return state.header
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

interface State {
  lines: number
  header: ExportHeader | undefined
  anchor: AnchorState | undefined
  readonly anchorLines: Array<string>
  readonly ledgerLines: Array<string>
  readonly counts: { events: number; timers: number; vectors: number }
  hasEnded: boolean
}

const emptyState = (): State => ({
  lines: 0,
  header: undefined,
  anchor: undefined,
  anchorLines: [],
  ledgerLines: [],
  counts: { events: 0, timers: 0, vectors: 0 },
  hasEnded: false
})

const store = (db: Db, state: State, text: string): string | null => {
  try {
    return addLine(db, state, text)
  } catch (cause) {
    if (isSqliteError(cause) && cause.code.startsWith("SQLITE_CONSTRAINT")) return "repeats another line"
    throw cause
  }
}

/** Stores a line. Returns the problem if the line cannot be stored; the problem never contains a value of the line. */
const addLine = (db: Db, state: State, text: string): string | null => {
  const decoded = decodeLine(text)
  if (decoded._tag === "None") return "is not a line of a Daybook export"
  const line = decoded.value
  state.lines++
  if (state.hasEnded) return "comes after the end line"
  if ("daybook" in line) {
    if (state.header !== undefined) return "is a second header"
    if (line.daybook.schema > schemaStatements.length)
      return "was written by a newer release of Daybook (update Daybook)"
    state.header = line.daybook
    sql(db, "DELETE FROM installation").run()
    sql(db, "INSERT INTO installation (id, created_at) VALUES (?, ?)").run(
      line.daybook.installation,
      line.daybook.installedAt
    )
    return null
  }
  if (state.header === undefined) return "comes before the header"
  if ("anchor" in line) {
    const next = applyLine(state.anchor, line.anchor)
    if (next === null) return "is an anchor line that was changed"
    state.anchor = next
    state.anchorLines.push(line.anchor)
    return null
  }
  if ("ledger" in line) {
    state.ledgerLines.push(line.ledger)
    return null
  }
  if ("end" in line) {
    state.hasEnded = true
    const { events, timers, vectors } = state.counts
    const isWhole = line.end.events === events && line.end.timers === timers && line.end.vectors === vectors
    return isWhole ? null : "has counts that do not match the lines of the export"
  }
  return addRow(db, state, line)
}

type Rows = Extract<typeof Line.Type, { event: unknown } | { timer: unknown } | { vector: unknown }>

const addRow = (db: Db, { counts }: State, line: Rows): string | null => {
  if ("event" in line) {
    const { command_key, digest, hash, names, request_digest, salt, ...event } = line.event
    const row: EventRow = {
      ...event,
      salt: bytes(salt),
      digest: Buffer.from(digest, "hex"),
      hash: Buffer.from(hash, "hex"),
      command_key: bytes(command_key),
      names: bytes(names),
      request_digest: bytes(request_digest)
    }
    sql(db, insertEvent).run(...toParams(fromRow(row)))
    counts.events++
  } else if ("timer" in line) {
    sql(db, "INSERT INTO timers (stream, due) VALUES (?, ?)").run(...line.timer)
    counts.timers++
  } else {
    const { checksum, digest, dimensions, model, vector } = line.vector
    sql(db, "INSERT INTO embeddings (model, dimensions, digest, vector, checksum) VALUES (?, ?, ?, ?, ?)").run(
      ...[model, dimensions, bytes(digest), bytes(vector), bytes(checksum)]
    )
    counts.vectors++
  }
  return null
}

const bytes = (hex: string | null): Buffer | null => (hex === null ? null : Buffer.from(hex, "hex"))
