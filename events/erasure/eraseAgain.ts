import { type Db, sql } from "../statement.js"
import { type HeadCache, headOf, type TransactionChanges } from "../store.js"
import type { Steps } from "../turns.js"
import type { LedgerErasureResult } from "./EraseRequest.js"
import { applyLines, countUnerasedEvents, pendingLines } from "./enforce.js"
import type { Ledger, LedgerEntry, LedgerLine } from "./ledger.js"
import { appliedLine } from "./ledgerReference.js"
import type { TimerContext } from "./retime.js"

interface Work {
  readonly db: Db
  readonly ledger: Ledger
  readonly timing: TimerContext | undefined
  readonly cache: HeadCache
  readonly lines: ReadonlyArray<LedgerLine>
  readonly now: number
}

/**
 * Adds the lines of another ledger to the log's own ledger, then erases the events that they name. A line has a
 * different hash in each ledger, so lines are compared by their content. Runs inside a transaction.
 */
export const applyOtherLedger = function* ({
  cache,
  db,
  ledger,
  lines,
  now,
  timing
}: Work): Steps<
  TransactionChanges & { readonly result: LedgerErasureResult; readonly deleted: ReadonlyArray<string> }
> {
  let { sequence } = cache
  const context = { now, timing, nextSequence: () => ++sequence }
  // A process wrote these lines and was killed before it erased the events.
  const pending = pendingLines(db, ledger.read())
  const heads = [...(yield* applyLines(db, pending, context))]
  const known = new Set(ledger.read().lines.map(contentOf))
  const added: Array<LedgerLine> = []
  let last = appliedLine(db)
  for (const line of lines) {
    // A line without a reason records the loss of a ledger. It names no event.
    if (line.reason === undefined || known.has(contentOf(line))) continue
    const entry = entryOf(line)
    last = ledger.append(last, entry)
    added.push({ ...entry, ...last })
  }
  const result = { erasures: added.length, events: countUnerasedEvents(db, added) }
  const streams: ReadonlyArray<string> = sql(db, "SELECT DISTINCT stream FROM events")
    .all()
    .map(({ stream }) => stream)
  heads.push(...(yield* applyLines(db, added, context)))
  const deleted = streams.filter((stream) => headOf(db, stream).version === 0)
  for (const stream of deleted) cache.heads.delete(stream)
  return { heads, sequence, appended: sequence - cache.sequence, result, deleted }
}

const entryOf = ({ at, events, kept, log, names, reason, selector, streams }: LedgerLine): LedgerEntry => ({
  ...{ log, at },
  ...(reason === undefined ? {} : { reason }),
  ...(selector === undefined ? {} : { selector }),
  ...{ events, kept, ...(names === undefined ? {} : { names }), streams }
})

const contentOf = (line: LedgerLine): string => JSON.stringify(entryOf(line))
