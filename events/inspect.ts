import type { Anchor } from "./Anchor.js"
import { anchorProblem, newestSequence, referenceIn } from "./anchoring.js"
import type { AnchorState } from "./anchorLines.js"
import type { Inspection, Problem } from "./EventLog.js"
import { schemaProblems } from "./logSchema.js"
import { type Db, sql } from "./statement.js"
import { anchorDifferences } from "./streamCheck.js"
import { damagedVectors } from "./vectorCache.js"

interface Options {
  readonly reader: Db
  readonly installation: string
  readonly anchor: Anchor
  readonly stream: string | null
  readonly expect?: string | undefined
}

/** Checks the parts of the log that the chains of the streams do not cover. Changes nothing. */
export const inspect = ({ anchor, expect, installation, reader, stream }: Options): Inspection => {
  const integrity = (reader.pragma("integrity_check(20)") as Array<{ integrity_check: string }>)
    .map(({ integrity_check }) => integrity_check)
    .filter((text) => text !== "ok")
  const broken = [...integrity, ...schemaProblems(reader)].map((text) => wide(`log.db: ${text}`))
  const ofVectors = countDamagedVectors(reader)
  let { problem, read } = readAnchor(reader, anchor, installation)
  // Another process may have replaced the file between the reads of log and anchor, so read both again.
  if (problem !== null) ({ problem, read } = readAnchor(reader, anchor, installation))
  if (problem !== null || read.kind !== "state") {
    return { broken, problems: [wide(problem!), ...ofVectors], repairs: [], anchor: null }
  }
  const { hashes, state, unfinished } = read
  const isExpected = expect === undefined || hashes.includes(expect)
  return {
    broken,
    problems: [
      ...(isExpected ? [] : [wide(`the anchor has no line ${expect}: it was replaced, or shortened since`)]),
      ...streamsOf(reader, state, stream).flatMap((name) => anchorDifferences(reader, name, state)),
      ...ofVectors
    ],
    repairs: [...state.repaired, ...dueRepairs(reader, state, unfinished)],
    anchor: state.hash
  }
}

/** Reads the reference first. The log never refers to an unwritten line, so the anchor read after it has the line. */
const readAnchor = (db: Db, anchor: Anchor, installation: string) => {
  const reference = referenceIn(db)
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

const dueRepairs = (db: Db, state: AnchorState, unfinished: number): ReadonlyArray<string> => {
  const behind = Math.max(0, newestSequence(db) - state.sequence)
  return [
    ...(unfinished > 0 ? ["the anchor has an unfinished last line: the next write cuts it off"] : []),
    ...(behind > 0 ? [`the anchor is ${behind} events behind the log: the next write adds them`] : [])
  ]
}

const vectorPage = 1_000

const countDamagedVectors = (db: Db): ReadonlyArray<Problem> => {
  let count = 0
  for (let after: number | null = 0; after !== null; ) {
    const { damaged, next } = damagedVectors(db, after, vectorPage)
    count += damaged.length
    after = next
  }
  return count === 0 ? [] : [wide(`log.db: ${count} cached vectors are damaged; they count as missing`)]
}

const wide = (what: string): Problem => ({ stream: null, version: null, what })
