import type Database from "better-sqlite3"

export type Db = Database.Database

// biome-ignore lint/suspicious/noExplicitAny: a row has the columns of its SELECT, which TypeScript cannot read.
type Statement = Database.Statement<Array<any>, any>

const statements = new WeakMap<Db, Map<string, Statement>>()

/** Filters make many forms of a query: this many prepared statements are kept. */
const statementsKept = 200

/** The connection that was used last is used again, most often. */
let newest: { readonly db: Db; readonly prepared: Map<string, Statement> } | undefined

const preparedOf = (db: Db): Map<string, Statement> => {
  const prepared = statements.get(db) ?? new Map<string, Statement>()
  statements.set(db, prepared)
  newest = { db, prepared }
  return prepared
}

/** A prepared statement, kept with its connection. */
export const sql = (db: Db, text: string): Statement => {
  const prepared = newest?.db === db ? newest.prepared : preparedOf(db)
  let statement = prepared.get(text)
  if (statement === undefined) {
    if (prepared.size >= statementsKept) prepared.clear()
    statement = db.prepare(text) as Statement
    prepared.set(text, statement)
  }
  return statement
}
