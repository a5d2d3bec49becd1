import type { Payload } from "./catalogue.js"
import type { Problem } from "./EventLog.js"
import { type Db, sql } from "./statement.js"

/** The stream of the installation itself. An agent cannot have this name, because agent names have no spaces. */
export const installationStream = "daybook installation"

/**
 * The problems that stop a write: all problems that are not accepted. A problem without a stream is always included.
 */
export const unacceptedProblems = (db: Db, problems: ReadonlyArray<Problem>): ReadonlyArray<Problem> => {
  if (problems.length === 0) return problems
  const accepted = new Set(parseAcceptedProblems(payloadsOf(db)).map(problemKey))
  return problems.filter((problem) => !accepted.has(problemKey(problem)))
}

/** The accepted problems in the payloads of ACCEPT events. A payload that cannot be read is skipped. */
export const parseAcceptedProblems = (payloads: ReadonlyArray<string | null>): ReadonlyArray<Problem> =>
  payloads.flatMap((payload) => {
    try {
      const places: ReadonlyArray<Place> = JSON.parse(payload ?? "{}").places ?? []
      return places.map(({ stream = null, version = null, ...place }) => ({ stream, version, ...place }))
    } catch {
      return []
    }
  })

type Place = Payload<"ACCEPT">["places"][number]

/** Converts a problem to the form that an ACCEPT event stores. */
export const toAcceptedPlace = ({ stream, version, ...problem }: Problem): Place => ({
  ...(stream === null ? {} : { stream }),
  ...(version === null ? {} : { version }),
  ...problem
})

export const problemKey = ({ evidence, stream, version, what }: Problem): string =>
  JSON.stringify([stream, version, what, evidence ?? null])

export const acceptedCount = (db: Db): number => payloadsOf(db).length

const payloadsOf = (db: Db): ReadonlyArray<string | null> =>
  sql(db, "SELECT payload FROM events WHERE stream = ? AND type = 'ACCEPT' ORDER BY version")
    .all(installationStream)
    .map(({ payload }) => payload)
