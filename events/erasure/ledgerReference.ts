import { type Db, sql } from "../statement.js"

/** The last line of the ledger that the log has applied. */
export const appliedLine = (db: Db): Reference => {
  const row = sql(db, "SELECT line, hash FROM ledger_reference").get()
  // A damaged reference counts as no reference. The log then applies all lines again, which changes nothing.
  const isIntact = Number.isInteger(row?.line) && row.hash instanceof Uint8Array
  return isIntact ? { line: row.line, hash: Buffer.from(row.hash).toString("hex") } : { line: 0, hash: "0".repeat(64) }
}

export const setAppliedLine = (db: Db, { hash, line }: Reference): void => {
  sql(db, "DELETE FROM ledger_reference").run()
  sql(db, "INSERT INTO ledger_reference (line, hash) VALUES (?, ?)").run(line, Buffer.from(hash, "hex"))
}

interface Reference {
  readonly line: number
  readonly hash: string
}
