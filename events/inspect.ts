import * as Effect from "effect/Effect"
import type { Anchor } from "./Anchor.js"
import { anchorProblem, readAnchorReference } from "./anchoring.js"
import type { AnchorState } from "./anchorLines.js"
import { fileLinkedError } from "./damage.js"
import type { Inspection, Problem } from "./EventLog.js"
import { checkLedger, countUnerasedEvents } from "./erasure/enforce.js"
import type { Ledger } from "./erasure/ledger.js"
import { remainsProblems } from "./erasure/remainsTable.js"
import { type StorageError, storageError } from "./errors.js"
import { newestSequence } from "./heads.js"
import { linkedFiles } from "./logFiles.js"
import { schemaProblems } from "./logSchema.js"
import { newestProblems } from "./newest.js"
import { runSql } from "./sqlProcess.js"
import { type Db, sql } from "./statement.js"
import { anchorDifferences } from "./streamCheck.js"
import { yieldIfDue } from "./turns.js"
import { damagedVectors } from "./vectorCache.js"

interface Options {
  readonly reader: Db
  readonly installation: string
  readonly anchor: Anchor
  readonly ledger: Ledger
  readonly stream: string | null
  readonly expect?: string | undefined
}

/** Checks the parts of the log that the chains of the streams do not cover. Changes nothing. */
export const inspect = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Inspection, StorageError> {
  const { reader } = options
  const [integrity, newestTableProblems, remainsTableProblems] = yield* Effect.all(
    [integrityProblems(reader), newestProblems(reader, options.stream), remainsProblems(reader, options.stream)],
    { concurrency: 2 }
  )
  const vectorProblems = yield* findDamagedVectors(reader)
  return yield* attempt(() => {
    const broken = [...integrity, ...schemaProblems(reader)].map((text) => wholeLogProblem(`log.db: ${text}`))
    const links = linkedFiles(reader.name).map((name) => wholeLogProblem(fileLinkedError(name).message))
    const ledgerProblems = problemsOfLedger(options).map((text) => wholeLogProblem(text))
    const compared = compareWithAnchor(
      options,
      [...links, ...broken],
      [...ledgerProblems, ...newestTableProblems, ...remainsTableProblems, ...vectorProblems]
    )
    return { ...compared, ledger: ledgerProblems, repairs: [...compared.repairs, ...ledgerRepairs(options)] }
  })
})

/** Compares the ledger of erasures with the log: the lines of the ledger, and the events that they name. */
const problemsOfLedger = ({ anchor, installation, ledger, reader, stream }: Options): ReadonlyArray<string> => {
  const problem = checkLedger({ anchor, db: reader, installation, ledger })
  const { lines } = ledger.read()
  const known = new Set(lines.flatMap(({ after, hash }) => (after === undefined ? [hash] : [hash, after])))
  const named = sql(reader, `SELECT stream, version, payload ->> '$.ledger' AS ledger FROM events WHERE type = 'ERASE'`)
    .all()
    .filter(
      (event) => (stream === null || event.stream === stream) && event.ledger !== null && !known.has(event.ledger)
    )
  const first = lines[0]?.after === undefined ? named : []
  const kept = countUnerasedEvents(reader, lines)
  return [
    ...(problem === null ? [] : [problem]),
    ...first.map(
      (event) =>
        `event ${event.version} of ${event.stream} refers to a line that is missing from the ledger of erasures`
    ),
    ...(kept === 0
      ? []
      : [`${kept} events in the ledger of erasures still have their payload: open the log again to erase them`])
  ]
}

const ledgerRepairs = ({ ledger }: Options): ReadonlyArray<string> =>
  ledger.read().problem !== null || ledger.isComplete()
    ? []
    : [
        "the ledger of erasures and its copy differ in length: the next start or the next erasure adds the missing lines"
      ]

const attempt = <A>(f: () => A) => Effect.try({ try: f, catch: storageError("log.db") })

/** Problems that SQLite's own check finds. */
const integrityProblems = (reader: Db): Effect.Effect<ReadonlyArray<string>, StorageError> =>
  Effect.flatMap(
    runSql(reader, { statements: ["PRAGMA query_only = ON"], query: "PRAGMA integrity_check(20)" }),
    (answer) =>
      "rows" in answer
        ? Effect.succeed(answer.rows.map((row) => String(row.integrity_check)).filter((text) => text !== "ok"))
        : Effect.fail(storageError("log.db")(answer))
  )

const compareWithAnchor = (
  { anchor, expect, installation, reader, stream }: Options,
  broken: ReadonlyArray<Problem>,
  others: ReadonlyArray<Problem>
): Omit<Inspection, "ledger"> => {
  let { problem, read } = readAnchor(reader, anchor, installation)
  // Another process may have replaced the anchor file after the log was read, so read both again.
  if (problem !== null) ({ problem, read } = readAnchor(reader, anchor, installation))
  if (problem !== null || read.kind !== "state") {
    return { broken, problems: [wholeLogProblem(problem!), ...others], repairs: [], restores: [], anchor: null }
  }
  const { hashes, state, unfinished } = read
  const isExpected = expect === undefined || hashes.includes(expect)
  return {
    broken,
    problems: [
      ...(isExpected
        ? []
        : [wholeLogProblem(`the anchor has no line with the hash ${expect}: the anchor was replaced or shortened`)]),
      ...streamsOf(reader, state, stream).flatMap((name) => anchorDifferences(reader, name, state)),
      ...others
    ],
    repairs: [...state.repaired, ...dueRepairs(reader, state, unfinished)],
    restores: restoresOf(state, stream),
    anchor: state.hash
  }
}

/**
 * Reads the log's reference before the anchor. The log never refers to an unwritten line, so the anchor then contains
 * the line.
 */
const readAnchor = (db: Db, anchor: Anchor, installation: string) => {
  const reference = readAnchorReference(db)
  const read = anchor.read({ repair: false })
  return { read, problem: anchorProblem(read, reference, installation) }
}

/** Streams that occur in the anchor or in the log. */
const streamsOf = (db: Db, { heads }: AnchorState, stream: string | null): ReadonlyArray<string> =>
  stream !== null
    ? [stream]
    : [
        ...new Set([
          ...heads.keys(),
          ...sql(db, "SELECT DISTINCT stream FROM events")
            .all()
            .map(({ stream }) => stream)
        ])
      ]

/** The restores of the log. If only one stream is checked, the lost events of other streams are left out. */
const restoresOf = ({ restored }: AnchorState, stream: string | null): AnchorState["restored"] =>
  stream === null
    ? restored
    : restored.map(({ lost, ...restore }) => {
        const own = lost?.filter(([name]) => name === stream) ?? []
        return own.length === 0 ? restore : { ...restore, lost: own }
      })

const dueRepairs = (db: Db, state: AnchorState, unfinished: number): ReadonlyArray<string> => {
  const behind = Math.max(0, newestSequence(db) - state.sequence)
  return [
    ...(unfinished > 0 ? ["the anchor has an unfinished last line: the next write cuts it off"] : []),
    ...(behind > 0 ? [`the anchor is ${behind} events behind the log: the next write adds them`] : [])
  ]
}

const vectorPage = 100

const findDamagedVectors = Effect.fnUntraced(function* (
  db: Db
): Effect.fn.Return<ReadonlyArray<Problem>, StorageError> {
  let count = 0
  for (let after: number | null = 0; after !== null; ) {
    const from: number = after
    const { damaged, next } = yield* attempt(() => damagedVectors(db, from, vectorPage))
    count += damaged.length
    after = next
    yield* yieldIfDue
  }
  return count === 0 ? [] : [wholeLogProblem(`log.db: ${count} cached vectors are damaged; they count as missing`)]
})

const wholeLogProblem = (what: string): Problem => ({ stream: null, version: null, what })
