import * as Effect from "effect/Effect"
import type { ReplayedEvent } from "./Chain.js"
import type { Problem, Subject } from "./EventLog.js"
import { restoreKeptContent } from "./erasure/substitute.js"
import type { StorageError } from "./errors.js"
import { replayedColumns } from "./eventRows.js"
import { runSql } from "./sqlProcess.js"
import { type Db, sql } from "./statement.js"

/** The newest event of each subject, in the order of the subjects; undefined for a subject without an event. */
export const newestEvents = (
  db: Db,
  stream: string,
  subjects: ReadonlyArray<Subject>
): ReadonlyArray<ReplayedEvent | undefined> => {
  const events = new Array<ReplayedEvent | undefined>(subjects.length).fill(undefined)
  const rows = sql(db, selectNewest).all({ stream, subjects: JSON.stringify(subjects) })
  for (const { key, ...event } of restoreKeptContent(db, stream, rows)) events[key] = event as ReplayedEvent
  return events
}

const selectNewest = `SELECT key, ${replayedColumns}
  FROM (SELECT key, value ->> '$.kind' AS kind, value ->> '$.subject' AS subject FROM json_each(:subjects)) s
  LEFT JOIN newest n ON n.stream = :stream AND n.kind = s.kind AND n.subject = s.subject
  CROSS JOIN events e ON e.stream = :stream AND e.version = coalesce(n.version, iif(s.kind = 'row', s.subject, 0))`

/**
 * Selects the subjects that events change, with the versions of these events. The content of an erased event is its
 * remains, as in all reads. `condition` selects streams. An event whose payload is not JSON changes no subject.
 */
const changesOfSubjects = (condition: string): string => `
  WITH content AS (
    SELECT stream, version, type, payload FROM events WHERE ${condition}
      AND type IN ('UPDATE', 'DELETE', 'COMPRESS', 'ARCHIVE', 'SCHEDULE', 'RUN')
    UNION ALL SELECT stream, payload ->> '$.of', payload ->> '$.type', payload -> '$.payload'
      FROM events WHERE ${condition} AND type = 'REMAINS' AND json_valid(payload)),
  changing AS (SELECT stream, version, type, CASE WHEN json_valid(payload) THEN payload END AS payload FROM content)
  SELECT stream, 'row' AS kind, payload ->> '$.memory.born' AS subject, version
    FROM changing WHERE type IN ('UPDATE', 'DELETE', 'COMPRESS')
  UNION ALL SELECT stream, 'row', value ->> '$.born', version
    FROM changing, json_each(payload, '$.sources') WHERE changing.type = 'COMPRESS'
  UNION ALL SELECT stream, 'row', value ->> '$.born', version
    FROM changing, json_each(payload, '$.memories') WHERE changing.type = 'ARCHIVE'
  UNION ALL SELECT stream, 'schedule', payload ->> '$.schedule', version FROM changing WHERE type = 'SCHEDULE'
  UNION ALL SELECT stream, 'definition', payload ->> '$.schedule', version
    FROM changing WHERE type = 'SCHEDULE' AND payload ->> '$.definition' IS NOT NULL
  UNION ALL SELECT stream, 'run', payload ->> '$.name', version
    FROM changing WHERE type = 'RUN' AND payload ->> '$.kind' = 'schedule'`

const fillNewest = (condition: string): string => `INSERT INTO newest (stream, kind, subject, version)
  SELECT stream, kind, subject, max(version) FROM (${changesOfSubjects(condition)})
  WHERE subject IS NOT NULL GROUP BY stream, kind, subject`

/** Rebuilds the table of newest events from the events. */
export const rebuildNewestTable = (db: Db): void => {
  sql(db, "DELETE FROM newest").run()
  sql(db, fillNewest("true")).run()
}

/**
 * Finds the newest event again for each subject whose newest event was erased. Returns the names of the subjects that
 * no longer have an event.
 */
export const updateNewest = (db: Db, stream: string, erased: ReadonlyArray<number>): ReadonlySet<string> => {
  const isAffected = sql(db, `SELECT 1 FROM newest WHERE stream = ? AND version IN (SELECT value FROM json_each(?))`)
  if (isAffected.get(stream, JSON.stringify(erased)) === undefined) return new Set()
  const gone = new Set(namesIn(db, stream))
  sql(db, "DELETE FROM newest WHERE stream = ?").run(stream)
  sql(db, fillNewest("stream = :stream")).run({ stream })
  for (const name of namesIn(db, stream)) gone.delete(name)
  return gone
}

/** The subjects of a stream that have names, not numbers: schedules, not memories. */
const namesIn = (db: Db, stream: string): ReadonlyArray<string> =>
  sql(db, "SELECT subject FROM newest WHERE stream = ? AND typeof(subject) = 'text'")
    .all(stream)
    .map(({ subject }) => subject)

/** Streams whose rows in the table of newest events differ from the events of the log. */
export const newestProblems = (db: Db, stream: string | null): Effect.Effect<ReadonlyArray<Problem>, StorageError> =>
  Effect.map(runSql(db, { statements: ["PRAGMA query_only = ON"], query: selectDifferences(stream) }), (answer) =>
    "rows" in answer
      ? (answer.rows as ReadonlyArray<Pick<Problem, "stream" | "version">>).map(({ stream, version }) => ({
          stream,
          version,
          what: "the table of newest events differs from the events"
        }))
      : [{ stream: null, version: null, what: `log.db: the table of newest events cannot be read (${answer.code})` }]
  )

// An erased event no longer names its subject. So the subject's row in the table is not reported as a difference.
const selectDifferences = (stream: string | null) => `
  WITH chosen AS (SELECT ${stream === null ? "NULL" : `'${stream.replaceAll("'", "''")}'`} AS name),
  given AS MATERIALIZED (
    SELECT stream, kind, subject, max(version) AS version FROM (${changesOfSubjects("true")}), chosen
    WHERE subject IS NOT NULL AND (name IS NULL OR stream = name) GROUP BY stream, kind, subject),
  stored AS (SELECT stream, kind, subject, version FROM newest, chosen WHERE name IS NULL OR stream = name),
  different AS (
    SELECT * FROM (SELECT * FROM given EXCEPT SELECT * FROM stored)
    UNION ALL SELECT * FROM (SELECT * FROM stored EXCEPT SELECT * FROM given))
  SELECT stream, min(version) AS version FROM different d
  WHERE NOT EXISTS (
    SELECT 1 FROM events e WHERE e.stream = d.stream AND e.version = d.version AND e.payload IS NULL)
  GROUP BY stream`
