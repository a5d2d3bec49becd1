import { schemaStatements } from "../../migrations/index.js"
import { appliedLine } from "../erasure/ledgerReference.js"
import { type EventRow, selectStored } from "../eventRows.js"
import { sql } from "../statement.js"
import type { CopyProgress, Snapshot } from "./snapshot.js"

/**
 * The lines of an export. The first line is the header, and the last line contains the counts. Each line is one JSON
 * object with one field, whose name is the kind of the line. Bytes are hexadecimal. Payloads are JSON text in a string,
 * because their hashes cover every character.
 */
export type ExportLine =
  | { readonly daybook: ExportHeader }
  | { readonly anchor: string }
  | { readonly ledger: string }
  | { readonly event: ExportedEvent }
  | { readonly timer: readonly [stream: string, due: number] }
  | { readonly vector: ExportedVector }
  | { readonly end: ExportCounts }

export interface ExportHeader {
  readonly format: 1
  /** The number of the newest migration of the log. */
  readonly schema: number
  readonly installation: string
  /** When the installation was created, milliseconds since the epoch. */
  readonly installedAt: number
  /** When the export was made, milliseconds since the epoch. */
  readonly createdAt: number
  /** The last line of the ledger of erasures that the log has applied; absent if there is none. */
  readonly erasures?: number | undefined
}

type Bytes = "salt" | "digest" | "hash" | "command_key" | "request_digest" | "names"

/** A row of `events`. */
export type ExportedEvent = Omit<EventRow, Bytes> & { readonly [Column in Bytes]: string | null }

/** A cached vector. */
export interface ExportedVector {
  readonly model: string
  readonly dimensions: number
  readonly digest: string
  readonly vector: string
  readonly checksum: string
}

export interface ExportCounts {
  readonly events: number
  readonly timers: number
  readonly vectors: number
}

/** Yields the lines of the export of a log, each with a line break. */
export const exportLines = function* (
  { anchor, db, ledger }: Snapshot,
  createdAt: number,
  onProgress: CopyProgress
): Generator<string> {
  const { id: installation, created_at: installedAt } = sql(db, "SELECT id, created_at FROM installation").get()
  const { line: applied } = appliedLine(db)
  const header = { format: 1, schema: schemaStatements.length, installation, installedAt, createdAt } as const
  yield line({ daybook: applied === 0 ? header : { ...header, erasures: applied } })
  for (const text of anchor.split("\n")) if (text !== "") yield line({ anchor: text })
  for (const text of ledger.split("\n")) if (text !== "") yield line({ ledger: text })
  const { total } = sql(db, "SELECT count(*) AS total FROM events").get()
  const counts = { events: 0, timers: 0, vectors: 0 }
  for (const row of sql(db, `${selectStored(db)} ORDER BY sequence`).iterate() as Iterable<EventRow>) {
    yield line({ event: { ...row, ...bytesOf(row) } })
    onProgress(++counts.events, total)
  }
  for (const { due, stream } of sql(
    db,
    "SELECT stream, due FROM timers ORDER BY stream"
  ).iterate() as Iterable<Timer>) {
    yield line({ timer: [stream, due] })
    counts.timers++
  }
  const vectors = sql(db, "SELECT model, dimensions, digest, vector, checksum FROM embeddings ORDER BY rowid").iterate()
  for (const { checksum, digest, dimensions, model, vector } of vectors as Iterable<VectorRow>) {
    const bytes = { digest: hex(digest)!, vector: hex(vector)!, checksum: hex(checksum)! }
    yield line({ vector: { model, dimensions, ...bytes } })
    counts.vectors++
  }
  yield line({ end: counts })
}

interface Timer {
  readonly stream: string
  readonly due: number
}

interface VectorRow {
  readonly model: string
  readonly dimensions: number
  readonly digest: Buffer
  readonly vector: Buffer
  readonly checksum: Buffer
}

const bytesOf = ({ command_key, digest, hash, names, request_digest, salt }: EventRow) => ({
  salt: hex(salt),
  digest: hex(digest),
  hash: hex(hash),
  command_key: hex(command_key),
  names: hex(names),
  request_digest: hex(request_digest)
})

const hex = (bytes: Buffer | null): string | null => (bytes === null ? null : bytes.toString("hex"))

const line = (value: ExportLine): string => `${JSON.stringify(value)}\n`
