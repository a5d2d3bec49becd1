import * as Effect from "effect/Effect"
import type { Problem } from "../EventLog.js"
import type { StorageError } from "../errors.js"
import { runSql } from "../sqlProcess.js"
import { type Db, sql } from "../statement.js"

/**
 * Streams whose rows in the table of remains differ from their newest REMAINS events. An edited row would make reads
 * return other content.
 */
export const remainsProblems = (db: Db, stream: string | null): Effect.Effect<ReadonlyArray<Problem>, StorageError> =>
  Effect.map(runSql(db, { statements: ["PRAGMA query_only = ON"], query: selectDifferences(stream) }), (answer) =>
    "rows" in answer
      ? (answer.rows as ReadonlyArray<Pick<Problem, "stream" | "version">>).map(({ stream, version }) => ({
          ...{ stream, version },
          what: "the table of remains differs from the REMAINS events"
        }))
      : [{ stream: null, version: null, what: `log.db: the table of remains cannot be read (${answer.code})` }]
  )

/**
 * The newest REMAINS event of each erased event. A REMAINS event that was itself erased has no payload, so it has no
 * row.
 */
const selectNewest = (condition: string): string => `
  SELECT stream, payload ->> '$.of' AS of, max(version) AS version FROM events
    WHERE type = 'REMAINS' AND json_valid(payload) AND ${condition} GROUP BY stream, payload ->> '$.of'`

/** Rebuilds the table of remains from the events. */
export const rebuildRemainsTable = (db: Db): void => {
  sql(db, "DELETE FROM remains").run()
  sql(db, `INSERT INTO remains (stream, of, version) ${selectNewest("true")}`).run()
}

const selectDifferences = (stream: string | null) => {
  const condition = stream === null ? "true" : `stream = '${stream.replaceAll("'", "''")}'`
  return `WITH given AS MATERIALIZED (${selectNewest(condition)}),
    stored AS (SELECT stream, of, version FROM remains WHERE ${condition})
    SELECT stream, min(of) AS version FROM (
      SELECT * FROM (SELECT * FROM given EXCEPT SELECT * FROM stored)
      UNION ALL SELECT * FROM (SELECT * FROM stored EXCEPT SELECT * FROM given))
    GROUP BY stream`
}
