import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { DueLine } from "./anchoring.js"
import type { Erased, EraseRequest, Head } from "./EventLog.js"
import { deleteStream, deleteVectors, eraseStream, planStream, type StreamPlan } from "./eraseRows.js"
import { type StorageError, VersionConflict } from "./errors.js"
import type { Db } from "./statement.js"
import { type Added, type HeadCache, headOf } from "./store.js"
import type { StreamGuard } from "./streamGuard.js"
import type { Steps } from "./turns.js"

interface Options {
  readonly writer: Db
  readonly guard: StreamGuard
  readonly transact: <A extends Added>(
    streams: ReadonlyArray<string>,
    work: (cache: HeadCache) => Steps<A>
  ) => Effect.Effect<A & { readonly line: DueLine }, StorageError>
  readonly anchorCommitted: (line: DueLine) => void
}

/** Makes the erasure of a log: see `EventLog.erase`. */
export const makeErase =
  ({ anchorCommitted, guard, transact, writer }: Options) =>
  (request: EraseRequest): Effect.Effect<Erased, VersionConflict | StorageError> =>
    Effect.gen(function* () {
      const streams = [...request.streams.map(({ stream }) => stream), ...request.wholeStreams]
      yield* guard.check(streams) ?? Effect.void
      for (const stream of streams) {
        const refusal = guard.refused.get(stream)
        if (refusal !== undefined) return yield* refusal
      }
      const { line, result } = yield* transact(streams, (cache) => eraseAll(writer, request, cache))
      if (Either.isLeft(result)) return yield* result.left
      anchorCommitted(line)
      return result.right
    }).pipe(Effect.uninterruptible)

interface Stored extends Added {
  readonly result: Either.Either<Erased, VersionConflict>
}

const eraseAll = function* (db: Db, request: EraseRequest, cache: HeadCache): Steps<Stored> {
  let { sequence } = cache
  const heads: Array<Head> = []
  const plans: Array<StreamPlan> = []
  for (const erasure of request.streams) {
    const { due, readAt, stream } = erasure
    const { version } = headOf(db, stream)
    if (version !== readAt) {
      const conflict = new VersionConflict({ stream, expected: readAt, actual: version })
      return { heads, sequence, appended: 0, result: Either.left(conflict) }
    }
    const plan = planStream(db, erasure)
    if (plan.versions.length > 0) plans.push({ ...plan, stream, due })
  }
  const counts = { erased: 0, remains: 0 }
  for (const plan of plans) {
    heads.push(yield* eraseStream(db, plan, { request, ledger: "", nextSequence: () => ++sequence }))
    counts.erased += plan.versions.length
    counts.remains += plan.remains.length
  }
  for (const stream of request.wholeStreams) {
    counts.erased += yield* deleteStream(db, stream)
    cache.heads.delete(stream)
  }
  yield* deleteVectors(db, request.vectors)
  return {
    heads,
    sequence,
    appended: sequence - cache.sequence,
    result: Either.right({ ...counts, cleaning: "waits" })
  }
}
