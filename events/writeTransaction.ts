import { commitTransaction } from "./checkpoint.js"
import { StorageError } from "./errors.js"
import { type Db, sql } from "./statement.js"
import { runAllSteps, type Steps } from "./turns.js"

/**
 * Runs transactions on the connection that writes the log. Each transaction holds the write lock. A failure rolls it
 * back.
 */
export interface WriteTransactions {
  /** Runs work that may yield to the event loop. `eventsOf` returns how many events the work stored. */
  readonly lockedInSteps: <A>(work: () => Steps<A>, eventsOf?: (result: A) => number) => Steps<A>
  readonly locked: <A>(work: () => A) => A
}

export const make = (writer: Db): WriteTransactions => {
  const lockedInSteps: WriteTransactions["lockedInSteps"] = function* (work, eventsOf = () => 0) {
    // A long transaction yields to the event loop. Other writes of this process then wait and retry, as other processes
    // do.
    if (writer.inTransaction) throw new StorageError({ kind: "busy", where: "log.db", code: "IN_TRANSACTION" })
    sql(writer, "BEGIN IMMEDIATE").run()
    try {
      const result = yield* work()
      commitTransaction(writer, eventsOf(result))
      return result
    } finally {
      if (writer.inTransaction) sql(writer, "ROLLBACK").run()
    }
  }
  return {
    lockedInSteps,
    locked: (work) => runAllSteps(lockedInSteps(() => oneStep(work)))
  }
}

const oneStep = function* <A>(work: () => A): Steps<A> {
  return work()
}
