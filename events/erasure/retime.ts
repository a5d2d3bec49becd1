import type { Codec } from "../Codec.js"
import { type EventRow, fromRow, selectEvents } from "../eventRows.js"
import { type Db, sql } from "../statement.js"
import { setTimer } from "../store.js"
import { isYieldDue, type Steps } from "../turns.js"
import type { TimerFold } from "../verify.js"
import { restoreKeptContent } from "./substitute.js"

/** The functions that compute from a stream's events when the stream is due. */
export interface TimerContext {
  readonly codec: Codec
  readonly timers: () => TimerFold
}

const page = 250

/** Sets the timer of a stream from the events that remain after an erasure. */
export const recomputeTimer = function* (db: Db, stream: string, { codec, timers }: TimerContext): Steps<void> {
  const fold = timers()
  const select = sql(
    db,
    `${selectEvents} WHERE stream = ? AND version > ? AND type IN ('SCHEDULE', 'RUN') ORDER BY version LIMIT ${page}`
  )
  for (let after = 0; ; ) {
    const rows: Array<EventRow> = select.all(stream, after)
    const last = rows.at(-1)?.version
    for (const row of restoreKeptContent(db, stream, rows)) {
      const decoded = codec.decode(fromRow(row))
      if (decoded._tag === "Right") fold.apply(decoded.right)
    }
    if (last === undefined || rows.length < page) break
    after = last
    if (isYieldDue()) yield
  }
  setTimer(db, stream, fold.due())
}
