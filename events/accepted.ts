import type { Payload } from "./catalogue.js"
import type { Problem } from "./EventLog.js"
import { type Db, sql } from "./statement.js"

/** The stream of the installation itself. Agents cannot use this name, because names of agents have no spaces. */
export const installationStream = "daybook installation"

/** The problems that still stop a write: all except accepted ones. Problems without a stream always count. */
export const withoutAccepted = (db: Db, problems: ReadonlyArray<Problem>): ReadonlyArray<Problem> => {
  if (problems.length === 0) return problems
  const accepted = new Set(acceptedIn(payloadsOf(db)).map(keyOf))
  return problems.filter((problem) => !accepted.has(keyOf(problem)))
}

/** The places that ACCEPT events name. An event that cannot be read names none. */
export const acceptedIn = (payloads: ReadonlyArray<string | null>): ReadonlyArray<Problem> =>
  payloads.flatMap((payload) => {
    try {
      const places: ReadonlyArray<Place> = JSON.parse(payload ?? "{}").places ?? []
      return places.map(({ stream = null, version = null, ...place }) => ({ stream, version, ...place }))
    } catch {
      return []
    }
  })

type Place = Payload<"ACCEPT">["places"][number]

/** The form in which an ACCEPT event stores a problem. */
export const placeOf = ({ stream, version, ...problem }: Problem): Place => ({
  ...(stream === null ? {} : { stream }),
  ...(version === null ? {} : { version }),
  ...problem
})

export const keyOf = ({ evidence, stream, version, what }: Problem): string =>
  JSON.stringify([stream, version, what, evidence ?? null])

export const acceptedCount = (db: Db): number => payloadsOf(db).length

const payloadsOf = (db: Db): ReadonlyArray<string | null> =>
  sql(db, "SELECT payload FROM events WHERE stream = ? AND type = 'ACCEPT' ORDER BY version")
    .all(installationStream)
    .map(({ payload }) => payload)
