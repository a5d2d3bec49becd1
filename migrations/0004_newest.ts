import { runStatements } from "./runStatements.js"

/**
 * Selects the subjects that events change, with the versions of these events. An event whose payload is not JSON
 * changes no subject.
 */
export const changesOfSubjects = `
  WITH changing AS (
    SELECT stream, version, type, CASE WHEN json_valid(payload) THEN payload END AS payload
    FROM events WHERE type IN ('UPDATE', 'DELETE', 'COMPRESS', 'ARCHIVE', 'SCHEDULE', 'RUN'))
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

/**
 * The version of the newest event of each memory that changed (by its row number, the version that added it) and of
 * each schedule (by its id). A memory without a row in this table has no event except the event that added it. Triggers
 * update the table, so that no writer can forget to. The triggers compare types one by one, because for `IN` with a
 * list, SQLite builds a table for each event.
 */
export const statements = [
  `CREATE TABLE newest (stream TEXT NOT NULL, kind TEXT NOT NULL, subject ANY NOT NULL, version INTEGER NOT NULL,
    PRIMARY KEY (stream, kind, subject)) STRICT, WITHOUT ROWID`,
  `CREATE TRIGGER newest_of_memory AFTER INSERT ON events
    WHEN (NEW.type = 'UPDATE' OR NEW.type = 'DELETE') AND json_valid(NEW.payload)
      AND NEW.payload ->> '$.memory.born' IS NOT NULL BEGIN
      INSERT INTO newest (stream, kind, subject, version)
        VALUES (NEW.stream, 'row', NEW.payload ->> '$.memory.born', NEW.version)
        ON CONFLICT DO UPDATE SET version = excluded.version;
    END`,
  `CREATE TRIGGER newest_of_others AFTER INSERT ON events
    WHEN (NEW.type = 'COMPRESS' OR NEW.type = 'ARCHIVE' OR NEW.type = 'SCHEDULE' OR NEW.type = 'RUN')
      AND json_valid(NEW.payload) BEGIN
      INSERT INTO newest (stream, kind, subject, version)
        SELECT NEW.stream, kind, subject, NEW.version FROM (
          SELECT 'row' AS kind, NEW.payload ->> '$.memory.born' AS subject WHERE NEW.type = 'COMPRESS'
          UNION ALL SELECT 'row', value ->> '$.born' FROM json_each(NEW.payload, '$.sources') WHERE NEW.type = 'COMPRESS'
          UNION ALL SELECT 'row', value ->> '$.born' FROM json_each(NEW.payload, '$.memories') WHERE NEW.type = 'ARCHIVE'
          UNION ALL SELECT 'schedule', NEW.payload ->> '$.schedule' WHERE NEW.type = 'SCHEDULE'
          UNION ALL SELECT 'definition', NEW.payload ->> '$.schedule'
            WHERE NEW.type = 'SCHEDULE' AND NEW.payload ->> '$.definition' IS NOT NULL
          UNION ALL SELECT 'run', NEW.payload ->> '$.name' WHERE NEW.type = 'RUN' AND NEW.payload ->> '$.kind' = 'schedule'
        ) WHERE subject IS NOT NULL
        ON CONFLICT DO UPDATE SET version = excluded.version;
    END`
]

/** Fills the empty table `newest` from the events. */
export const fillNewest = `INSERT INTO newest (stream, kind, subject, version)
  SELECT stream, kind, subject, max(version) FROM (${changesOfSubjects})
  WHERE subject IS NOT NULL GROUP BY stream, kind, subject`

export default runStatements([...statements, fillNewest])
