import type { Anchor } from "../Anchor.js"
import type { Head, NameErasure, Remains } from "../EventLog.js"
import { type EventRow, selectEvents } from "../eventRows.js"
import { sha256Hex } from "../sha256.js"
import { type Db, sql } from "../statement.js"
import type { Steps } from "../turns.js"
import { isEmptyPlan } from "./erasePlan.js"
import { deleteStream, deleteVectors, eraseStream, planStream } from "./eraseRows.js"
import { rebuildKeptContent } from "./keptParts.js"
import { type EventKey, emptyLedger, type Ledger, type LedgerHead, type LedgerLine } from "./ledger.js"
import { appliedLine, setAppliedLine } from "./ledgerReference.js"
import { recomputeTimer, type TimerContext } from "./retime.js"
import { restoreKeptContent } from "./substitute.js"

// Erases the events that the ledger names. Functions that write run inside a transaction; the caller holds the write
// lock.

/**
 * Checks that a ledger contains the lines that the log and the anchor refer to. Returns the problem; null if there is
 * none.
 */
export const ledgerProblem = (
  { lines, problem }: ReturnType<Ledger["read"]>,
  heads: ReadonlyArray<LedgerHead>,
  installation: string
): string | null => {
  if (problem !== null) return problem
  if (lines.some(({ log }) => log !== installation)) return "the ledger of erasures does not belong to this log"
  const last = lines.at(-1)?.line ?? 0
  const before = lines[0]?.after === undefined ? emptyLedger : { line: lines[0].line - 1, hash: lines[0].after }
  for (const { hash, line } of heads) {
    if (line === 0 || (line === before.line && hash === before.hash)) continue
    if (line > last)
      return `the ledger of erasures ends with line ${last}, but the log or the anchor refers to line ${line}`
    // Lines from before an accepted loss no longer exist.
    const found = lines.find((entry) => entry.line === line)
    if (line > before.line && found?.hash !== hash) return `line ${line} of the ledger of erasures was changed`
  }
  return null
}

/** The lines of the ledger that the log and the anchor refer to. */
export const ledgerHeads = (db: Db, anchor: Anchor): ReadonlyArray<LedgerHead> => {
  const read = anchor.read({ repair: false })
  return [appliedLine(db), ...(read.kind === "state" && read.state.ledger !== undefined ? [read.state.ledger] : [])]
}

/** The problem of a log's ledger; null if there is none. */
export const checkLedger = ({
  anchor,
  db,
  installation,
  ledger
}: {
  readonly db: Db
  readonly anchor: Anchor
  readonly ledger: Ledger
  readonly installation: string
}): string | null => ledgerProblem(ledger.read(), ledgerHeads(db, anchor), installation)

/**
 * The lines that the log has not applied yet, because of a crash or because the log was restored from an older copy.
 */
export const pendingLines = (db: Db, { lines }: ReturnType<Ledger["read"]>): ReadonlyArray<LedgerLine> => {
  const { line } = appliedLine(db)
  return lines.filter((entry) => entry.line > line)
}

/** Erases the events that the lines name. Returns the new heads of the changed streams. */
export const applyLines = function* (
  db: Db,
  lines: ReadonlyArray<LedgerLine>,
  context: { readonly now: number; readonly nextSequence: () => number; readonly timing: TimerContext | undefined }
): Steps<ReadonlyArray<Head>> {
  const heads = new Map<string, Head>()
  const digests = new Set<string>()
  for (const line of lines) {
    const { hash: ledger, reason = "request", selector = "memory" } = line
    for (const [stream, found] of erasuresIn(db, line)) {
      const plan = planStream(db, { stream, ...found })
      if (isEmptyPlan(plan)) continue
      for (const digest of digestsIn(db, stream, plan.versions)) digests.add(digest)
      const request = { actor: "ledger", now: context.now, reason, selector }
      const head = yield* eraseStream(db, { ...plan, stream }, { request, ledger, nextSequence: context.nextSequence })
      heads.set(stream, head)
      requestCleaning(db, stream)
    }
    for (const stream of deletedStreams(db, line)) {
      for (const digest of digestsOf(db, stream)) digests.add(digest)
      yield* deleteStream(db, stream)
      heads.delete(stream)
      requestCleaning(db, stream)
    }
    setAppliedLine(db, line)
  }
  yield* deleteVectors(db, unusedDigests(db, digests))
  // A restored copy still has the timers from when it was made.
  if (context.timing !== undefined) for (const stream of heads.keys()) yield* recomputeTimer(db, stream, context.timing)
  return [...heads.values()]
}

/** Records that the views of a stream and the pages of this file may contain erased text. */
export const requestCleaning = (db: Db, stream: string): void =>
  void sql(db, "INSERT OR IGNORE INTO cleanings (stream) VALUES (?), ('')").run(stream)

/** The number of events that still have their payload although a line names them. */
export const countUnerasedEvents = (db: Db, lines: ReadonlyArray<LedgerLine>): number => {
  const select = sql(db, "SELECT hash FROM events WHERE sequence = ? AND payload IS NOT NULL")
  const isKept = ([sequence, hash]: EventKey) => {
    const row = select.get(sequence)
    return row?.hash instanceof Uint8Array && Buffer.from(row.hash).toString("hex") === hash
  }
  return lines.reduce((count, { events }) => count + events.filter(isKept).length, 0)
}

interface Found {
  readonly versions: Array<number>
  readonly remains: Array<Remains>
  readonly names: Array<NameErasure>
}

/** The events of this log that a line names, by stream. An event counts only if both its number and its hash match. */
const erasuresIn = (db: Db, { events, kept, names = [] }: LedgerLine): ReadonlyMap<string, Found> => {
  const found = new Map<string, Found>()
  const rowOf = (sequence: number, hash: string): EventRow | undefined => {
    const row: EventRow | undefined = sql(db, `${selectEvents} WHERE sequence = ?`).get(sequence)
    return row !== undefined && Buffer.from(row.hash).toString("hex") === hash ? row : undefined
  }
  const foundIn = (stream: string): Found => {
    const entry = found.get(stream) ?? { versions: [], remains: [], names: [] }
    found.set(stream, entry)
    return entry
  }
  for (const [sequence, hash] of events) {
    const row = rowOf(sequence, hash)
    if (row !== undefined) foundIn(row.stream).versions.push(row.version)
  }
  for (const [sequence, hash, type, schema, parts] of kept) {
    const row = rowOf(sequence, hash)
    if (row === undefined) continue
    const entry = foundIn(row.stream)
    if (!entry.versions.includes(row.version)) entry.versions.push(row.version)
    const [{ payload }] = restoreKeptContent(db, row.stream, [row]) as [EventRow]
    const rebuilt = payload === null ? undefined : rebuildKeptContent(JSON.parse(payload), parts)
    if (rebuilt !== undefined) entry.remains.push({ of: row.version, type, schema, payload: JSON.stringify(rebuilt) })
  }
  for (const [sequence, hash, columns] of names) {
    const row = rowOf(sequence, hash)
    if (row !== undefined) foundIn(row.stream).names.push({ version: row.version, columns })
  }
  return found
}

const deletedStreams = (db: Db, { streams }: LedgerLine): ReadonlyArray<string> =>
  streams.length === 0
    ? []
    : sql(db, "SELECT stream, min(sequence) AS first FROM events GROUP BY stream")
        .all()
        .filter(({ first, stream }) =>
          streams.some(([salt, digest, newest]) => first <= newest && streamDigest(salt, stream) === digest)
        )
        .map(({ stream }) => stream)

/**
 * The form in which the ledger stores the name of a deleted stream. It can confirm a guessed name, but the name cannot
 * be read from it.
 */
export const streamDigest = (salt: string, stream: string): string => sha256Hex(salt + stream)

const digestsIn = (db: Db, stream: string, versions: ReadonlyArray<number>): ReadonlyArray<string> =>
  sql(
    db,
    `SELECT payload FROM events WHERE stream = ? AND version IN (SELECT value FROM json_each(?)) AND ${hasVectors}`
  )
    .all(stream, JSON.stringify(versions))
    .flatMap(({ payload }: { readonly payload: string | null }) => payload?.match(digestPattern) ?? [])

/** The digests that events of a stream name. */
const digestsOf = function* (db: Db, stream: string): Iterable<string> {
  for (const { payload } of sql(db, `SELECT payload FROM events WHERE stream = ? AND ${hasVectors}`).iterate(stream))
    yield* (payload as string | null)?.match(digestPattern) ?? []
}

/** Selects the types of events whose payloads name cached vectors. */
const hasVectors = "type IN ('EMBED', 'RECALL', 'REMAINS')"
const digestPattern = /\b[0-9a-f]{64}\b/g

/** The digests that no remaining event names. */
const unusedDigests = (db: Db, digests: ReadonlySet<string>): ReadonlyArray<string> => {
  const unused = new Set(digests)
  if (unused.size === 0) return []
  for (const { payload } of sql(db, `SELECT payload FROM events WHERE ${hasVectors}`).iterate()) {
    for (const digest of (payload as string | null)?.match(digestPattern) ?? []) unused.delete(digest)
  }
  return [...unused]
}
