import { runStatements } from "./runStatements.js"

/** Selects the subjects that a payload names, with their kinds. `$` is the path of the payload within the column. */
const subjectsIn = (column: string, $: string, type: string): string => `
  SELECT 'row' AS kind, ${column} ->> '${$}.memory.born' AS subject WHERE ${type} IN ('UPDATE', 'DELETE', 'COMPRESS')
  UNION ALL SELECT 'row', value ->> '$.born' FROM json_each(${column}, '${$}.sources') WHERE ${type} = 'COMPRESS'
  UNION ALL SELECT 'row', value ->> '$.born' FROM json_each(${column}, '${$}.memories') WHERE ${type} = 'ARCHIVE'
  UNION ALL SELECT 'schedule', ${column} ->> '${$}.schedule' WHERE ${type} = 'SCHEDULE'
  UNION ALL SELECT 'definition', ${column} ->> '${$}.schedule'
    WHERE ${type} = 'SCHEDULE' AND ${column} ->> '${$}.definition' IS NOT NULL
  UNION ALL SELECT 'run', ${column} ->> '${$}.name'
    WHERE ${type} = 'RUN' AND ${column} ->> '${$}.kind' = 'schedule'`

/**
 * The tables for erasure. `remains` has the version of the newest REMAINS event of each erased event; `of` is the
 * version of the erased event. The index finds the newest ERASE event of a stream. `ledger_reference` is the last line
 * of the ledger of erasures that this log has applied. `cleanings` has the streams whose views may still contain erased
 * text; an empty name stands for the pages of this file.
 */
export const statements = [
  `CREATE TABLE remains (stream TEXT NOT NULL, of INTEGER NOT NULL, version INTEGER NOT NULL,
    PRIMARY KEY (stream, of)) STRICT, WITHOUT ROWID`,
  `CREATE TRIGGER remains_added AFTER INSERT ON events WHEN NEW.type = 'REMAINS' AND json_valid(NEW.payload) BEGIN
      INSERT INTO remains (stream, of, version) VALUES (NEW.stream, NEW.payload ->> '$.of', NEW.version)
        ON CONFLICT DO UPDATE SET version = max(version, excluded.version);
      INSERT INTO newest (stream, kind, subject, version)
        SELECT NEW.stream, kind, subject, NEW.payload ->> '$.of' FROM (${subjectsIn("NEW.payload", "$.payload", "NEW.payload ->> '$.type'")}
        ) WHERE subject IS NOT NULL
        ON CONFLICT DO UPDATE SET version = max(version, excluded.version);
    END`,
  `CREATE INDEX events_erase ON events (stream, version) WHERE type = 'ERASE'`,
  `CREATE TABLE ledger_reference (line INTEGER NOT NULL, hash BLOB NOT NULL)`,
  `CREATE TABLE cleanings (stream TEXT PRIMARY KEY) WITHOUT ROWID`
]

export default runStatements([...statements, "INSERT INTO ledger_reference (line, hash) VALUES (0, zeroblob(32))"])
