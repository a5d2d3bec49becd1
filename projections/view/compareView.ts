import { isDeepStrictEqual } from "node:util"
import * as Effect from "effect/Effect"
import { runInTurns, type Steps } from "../../events/turns.js"
import { type Db, type Projection, sql } from "../Projection.js"
import { build, type Progress, type ViewError } from "./buildViewFile.js"
import { openReader } from "./openView.js"
import { attempt, type View, type ViewContext } from "./View.js"
import * as ViewFile from "./ViewFile.js"
import { computeDigests } from "./viewChecks.js"

/** The differences between a view and a view that was just built from the log. */
export interface ViewComparison {
  readonly agent: string
  /** The version of the last event in both views. */
  readonly version: number
  readonly equal: boolean
  /** The projections whose rows differ. `schema`: tables, indexes or triggers differ. */
  readonly differences: ReadonlyArray<string>
}

/** Builds a temporary view from the log and compares a view with it. Changes neither the view nor the log. */
export const compareView = Effect.fnUntraced(function* (
  { codec, config, log }: ViewContext,
  { agent, file, generations }: View,
  names: ReadonlyArray<string> | null,
  onProgress?: (progress: Progress) => void
): Effect.fn.Return<ViewComparison, ViewError> {
  const projections = config.projections.filter(({ name }) => names === null || names.includes(name))
  const digestsOf = (path: string) =>
    Effect.acquireUseRelease(
      openReader({ config }, path),
      ({ db }) => readDigests(db, projections),
      ({ db }) => Effect.sync(() => db.close())
    )
  const stored = yield* digestsOf(file)
  const { position: version } = stored
  const built = yield* Effect.acquireUseRelease(
    attempt(generations.newFile),
    (path) =>
      Effect.zipRight(
        build({ ...config, log, codec, agent, file: path, to: version, ...(onProgress && { onProgress }) }),
        digestsOf(path)
      ),
    (path) => Effect.sync(() => generations.remove(path))
  )
  const differences = [...built.digests].flatMap(([name, digest]) =>
    isDeepStrictEqual(stored.digests.get(name), digest) ? [] : [name]
  )
  return { agent, version, equal: differences.length === 0, differences }
})

/**
 * The state of each projection in one snapshot. If a state cannot be read, it counts as different from every other
 * state.
 */
const readDigests = Effect.fnUntraced(function* (db: Db, projections: ReadonlyArray<Projection>) {
  yield* attempt(() => db.exec("BEGIN"))
  const { position } = yield* attempt(() => ViewFile.checkpointOf(db))
  const digests = new Map<string, unknown>()
  const read = (name: string, steps: () => Steps<unknown>) =>
    Effect.map(
      Effect.orElseSucceed(
        Effect.suspend(() => runInTurns(steps(), attempt)),
        () => Symbol(name)
      ),
      (state) => digests.set(name, state)
    )
  yield* read("schema", () => schemaOf(db))
  for (const projection of projections) yield* read(projection.name, () => stateOf(db, projection))
  return { position, digests }
})

const schemaOf = function* (db: Db): Steps<unknown> {
  yield
  return sql(db, "SELECT type, name, sql FROM sqlite_master ORDER BY type, name").all()
}

const stateOf = function* (db: Db, projection: Projection): Steps<unknown> {
  const { whole } = yield* computeDigests(db, [projection], "digest")
  return [sql(db, "SELECT version, parked_at, reason FROM projections WHERE name = ?").get(projection.name), whole]
}
