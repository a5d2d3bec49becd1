import BetterSqlite3 from "better-sqlite3"
import * as Effect from "effect/Effect"
import { realPause } from "../../events/turns.js"

/**
 * Edits the file of a view as another program would. An engine of this process commits its writes after some milliseconds:
 * it cannot do so while this thread waits for the lock, so the edit tries again.
 */
export const editView = <A>(file: string, use: (db: BetterSqlite3.Database) => A): Effect.Effect<A> => {
  const db = new BetterSqlite3(file, { timeout: 0 })
  const begin = (left: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      try {
        db.exec("BEGIN IMMEDIATE")
        return Effect.void
      } catch (cause) {
        if (left === 0) throw cause
        return Effect.zipRight(realPause(5), begin(left - 1))
      }
    })
  const edit = () => {
    const result = use(db)
    db.exec("COMMIT")
    return result
  }
  return Effect.ensuring(
    Effect.zipRight(begin(400), Effect.sync(edit)),
    Effect.sync(() => db.close())
  )
}
