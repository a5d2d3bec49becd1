import { schemaStatements } from "../migrations/index.js"
import { schemaDamagedError } from "./damage.js"
import { openDatabase } from "./driver.js"
import type { Db } from "./statement.js"

/** The migrator creates its table itself. */
const migrationsTable = [
  "table effect_sql_migrations",
  `CREATE TABLE "effect_sql_migrations" (
  migration_id integer PRIMARY KEY NOT NULL,
  created_at datetime NOT NULL DEFAULT current_timestamp,
  name VARCHAR(255) NOT NULL
)`
] as const

/** True if ANALYZE created this table. Such a table changes no result. */
const isStatistics = (key: string) => key.startsWith("table sqlite_stat")

/**
 * The differences between the schema of a log and the schema that the migrations create. They name objects, never
 * contents.
 */
export const schemaProblems = (db: Db): ReadonlyArray<string> => {
  // One transaction, because another process may migrate at the same time.
  const [rows, { count, level }] = db.transaction(() => [masterOf(db), levelOf(db)] as const)()
  // A schema of a newer Daybook release is not damage. Opening the log refuses such a schema.
  if (level > schemaStatements.length) return []
  const expected = expectedAt(level)
  const problems = rows.flatMap(({ key, text }) => {
    // The migrator creates its table before the first migration.
    if (isStatistics(key) || (level === 0 && text === migrationsTable[1])) return []
    if (!expected.has(key)) return [`the schema has an unexpected ${key}`]
    return expected.get(key) === text ? [] : [`in the schema, ${key} differs from Daybook's definition`]
  })
  // The migrator checks only the newest record.
  if (count < level) problems.push("the record of a migration is missing")
  const found = new Set(rows.map(({ key }) => key))
  return [
    ...problems,
    ...[...expected.keys()].filter((key) => !found.has(key)).map((key) => `the schema has no ${key}`)
  ]
}

/** Throws `SCHEMA_DAMAGED` if the schema differs. */
export const assertSchema = (db: Db): void => {
  const [problem] = schemaProblems(db)
  if (problem !== undefined) throw schemaDamagedError(problem)
}

const masterOf = (db: Db) =>
  (db.prepare("SELECT type, name, sql FROM sqlite_master").all() as ReadonlyArray<Record<string, string | null>>).map(
    ({ name, sql, type }) => ({ key: `${type} ${name}`, text: sql })
  )

/** The number of the newest migration, and the number of recorded migrations. */
const levelOf = (db: Db): { readonly level: number; readonly count: number } => {
  const exists = db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'effect_sql_migrations'").get()
  if (exists === undefined) return { level: 0, count: 0 }
  return db
    .prepare("SELECT coalesce(max(migration_id), 0) AS level, count(*) AS count FROM effect_sql_migrations")
    .get() as { level: number; count: number }
}

const known = new Map<number, ReadonlyMap<string, string | null>>()

/** The objects that the migrations up to a level create, with their SQL texts as SQLite stores them. */
const expectedAt = (level: number): ReadonlyMap<string, string | null> => {
  const objects = known.get(level) ?? objectsAt(level)
  known.set(level, objects)
  return objects
}

const objectsAt = (level: number): ReadonlyMap<string, string | null> => {
  if (level === 0) return new Map()
  const db = openDatabase(":memory:")
  try {
    for (const statement of [migrationsTable[1], ...schemaStatements.slice(0, level).flat()]) db.exec(statement)
    return new Map(masterOf(db).map(({ key, text }) => [key, text ?? null]))
  } finally {
    db.close()
  }
}
