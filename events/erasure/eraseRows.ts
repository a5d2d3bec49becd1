import type { StoredEvent } from "../Chain.js"
import type { EraseRequest, Head, NameErasure, StreamErasure } from "../EventLog.js"
import { type EventRow, fromRow, insertEvent, selectEvents, toParams } from "../eventRows.js"
import { headAfter, linkEvents } from "../link.js"
import { type EventNames, removeNames } from "../names.js"
import { updateNewest } from "../newest.js"
import { type Db, sql } from "../statement.js"
import { headOf, setTimer } from "../store.js"
import { isYieldDue, itemsPerCheck, type Steps } from "../turns.js"
import { type ErasePlan, eraseCommand, planErasure } from "./erasePlan.js"

// Functions that erase inside a transaction. The caller holds the write lock.

/** Reads the rows of a stream and decides which of them an erasure changes. */
export const planStream = (
  db: Db,
  erasure: Pick<StreamErasure, "stream" | "versions" | "remains" | "names">
): ErasePlan => {
  const { names = [], stream } = erasure
  const versions = [...erasure.versions, ...names.map(({ version }) => version)]
  const rows = sql(db, `${selectEvents} WHERE stream = ? AND version IN (SELECT value FROM json_each(?))`)
  const remains = sql(db, "SELECT version FROM remains WHERE stream = ? AND of = ?")
  return planErasure(
    erasure,
    rows.all(stream, JSON.stringify(versions)).map((row: EventRow) => fromRow(row)),
    (version) => remains.get(stream, version)?.version
  )
}

export interface StreamPlan extends ErasePlan {
  readonly stream: string
  readonly due?: number | null | undefined
}

/** Called with each removed value; undefined stands for a value that is not known. */
type NoteRemoved = (value: unknown) => void

export interface EraseContext {
  readonly request: Pick<EraseRequest, "actor" | "now" | "reason" | "selector">
  /** Hash of the ledger's line. */
  readonly ledger: string
  readonly nextSequence: () => number
  readonly noteRemoved?: NoteRemoved
}

/** Stores the ERASE and REMAINS events, and removes the content of the erased events. Returns the stream's new head. */
export const eraseStream = function* (
  db: Db,
  { due, stream, ...plan }: StreamPlan,
  { ledger, nextSequence, noteRemoved = () => {}, request }: EraseContext
): Steps<Head> {
  const head = headOf(db, stream)
  const rows: Array<StoredEvent> = []
  const linking = { now: request.now, nextSequence, commandKey: null }
  for (const row of linkEvents(head, eraseCommand(request, plan, ledger), linking)) {
    sql(db, insertEvent).run(toParams(row))
    rows.push(row)
    if (rows.length % itemsPerCheck === 0 && isYieldDue()) yield
  }
  const clear = sql(
    db,
    "UPDATE events SET payload = NULL, salt = NULL, request_digest = NULL, erased_at = ? WHERE stream = ? AND version = ?"
  )
  const content = sql(db, "SELECT payload, salt, request_digest FROM events WHERE stream = ? AND version = ?")
  for (const [index, version] of plan.versions.entries()) {
    for (const value of Object.values(content.get(stream, version))) noteRemoved(value)
    clear.run(rows[0]!.recordedAt, stream, version)
    if (index % itemsPerCheck === 0 && isYieldDue()) yield
  }
  for (const [index, erasure] of plan.names.entries()) {
    eraseNames(db, stream, erasure, noteRemoved)
    if (index % itemsPerCheck === 0 && isYieldDue()) yield
  }
  const dropped = "DELETE FROM remains WHERE stream = ? AND version IN (SELECT value FROM json_each(?))"
  sql(db, dropped).run(stream, JSON.stringify(plan.versions))
  const names = updateNewest(db, stream, [...plan.versions, ...plan.remains.map(({ of }) => of)])
  for (const name of names) noteRemoved(name)
  if (due !== undefined) setTimer(db, stream, due)
  return headAfter(head, rows)
}

const eraseNames = (db: Db, stream: string, { columns, version }: NameErasure, noteRemoved: NoteRemoved): void => {
  const select = "SELECT actor, cause, command_id AS commandId, names FROM events WHERE stream = ? AND version = ?"
  const { names: salts, ...old } = sql(db, select).get(stream, version) as EventNames & { readonly names: Uint8Array }
  for (const value of [salts, ...columns.map((column) => old[column])]) noteRemoved(value)
  const { actor, cause, commandId, names } = removeNames(old, salts, columns)
  const update = "UPDATE events SET actor = ?, cause = ?, command_id = ?, names = ? WHERE stream = ? AND version = ?"
  sql(db, update).run(actor, cause, commandId, names, stream, version)
}

/** Rows deleted in one statement, which takes some milliseconds. */
const rowsInStep = 500

/**
 * Deletes every row of a stream: its events, and its rows in `newest`, `remains` and `timers`. Returns the number of
 * events.
 */
export const deleteStream = function* (db: Db, stream: string): Steps<number> {
  let deleted = 0
  for (let changes = rowsInStep; changes === rowsInStep; deleted += changes) {
    ;({ changes } = sql(
      db,
      `DELETE FROM events WHERE sequence IN (SELECT sequence FROM events WHERE stream = ? LIMIT ${rowsInStep})`
    ).run(stream))
    if (isYieldDue()) yield
  }
  for (const table of ["newest", "remains", "timers"]) sql(db, `DELETE FROM ${table} WHERE stream = ?`).run(stream)
  return deleted
}

/** Deletes cached vectors, selected by the digests of their texts. */
export const deleteVectors = function* (
  db: Db,
  digests: ReadonlyArray<string>,
  noteRemoved: NoteRemoved = () => {}
): Steps<void> {
  const statement = sql(db, "DELETE FROM embeddings WHERE digest = ? RETURNING digest, vector, checksum")
  for (const [index, digest] of digests.entries()) {
    const rows = statement.all(Buffer.from(digest, "hex"))
    // The row was removed earlier, for example because it was damaged. A copy of its bytes may still be in the file.
    if (rows.length === 0) noteRemoved(undefined)
    for (const value of rows.flatMap(Object.values)) noteRemoved(value)
    if (index % itemsPerCheck === 0 && isYieldDue()) yield
  }
}
