import * as Schema from "effect/Schema"
import { clockTime, count, days, nonNegative, positive, share, withDefault, zone } from "./fields.js"

/** A type of memory, as `remember` takes it. */
const typeName = Schema.String.pipe(
  Schema.pattern(/^[a-z][a-z0-9_-]{0,63}$/, { message: () => "is to be a lower-case word" })
)

/**
 * At most so many memories of each store are touched by one run of a stage. Each store has its own share, so that how
 * much there is to do in one tells nothing of another.
 */
const rows = withDefault(Schema.Int.pipe(Schema.between(1, 10_000)), 200)

/**
 * score = frequencyWeight × ln(1 + hits) + recencyWeight × exp(−decay × days) + importanceWeight × importance.
 * Hits are the mentions after the first one and the times that it was shown; days are whole UTC days since it was
 * added, mentioned or shown.
 */
export const Tiers = Schema.Struct({
  frequencyWeight: withDefault(nonNegative, 1),
  recencyWeight: withDefault(nonNegative, 1),
  importanceWeight: withDefault(nonNegative, 2),
  /** λ, a day: half is gone after ln 2 / λ, which is 14 days. */
  decay: withDefault(nonNegative, 0.05),
  /** In place of `decay` for memories of a type, known or not: what people are and decide stays, what is tried passes. */
  decays: withDefault(Schema.Record({ key: typeName, value: nonNegative }), {
    identity: 0.002,
    person: 0.005,
    credential: 0.005,
    preference: 0.01,
    decision: 0.01,
    config: 0.01,
    solution: 0.01,
    technical: 0.02,
    discovery: 0.02,
    event: 0.1,
    conversation: 0.1,
    temp: 0.5,
    debug: 0.5
  }),
  /** What has this tag is never removed, archived, compressed or shortened. */
  pin: withDefault(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(64)), "pinned")
})

/** Promotion, demotion and removal. Only mid and daily memories are removed, never people, and nothing that is pinned. */
export const Gc = Schema.Struct({
  /** A mid memory with so many hits, the last of them within so many days, becomes long. */
  promoteHits: withDefault(count, 3),
  promoteWithin: withDefault(days, 7),
  /** A memory that was promoted and was neither seen nor changed for so many days becomes mid again. */
  demoteAfter: withDefault(days, 30),
  /** A mid or daily memory goes when its score is below this, or when it was neither seen nor changed for more than so many days. */
  removeBelow: withDefault(nonNegative, 0.5),
  removeAfter: withDefault(days, 30),
  /** Mid memories of a store of an agent; of more than these the ones with the lowest scores go. */
  capacity: withDefault(count, 500),
  /** What goes: into the archive, from which it can be restored; or it expires and is in its history alone. */
  removal: withDefault(Schema.Literal("archive", "expire"), "archive"),
  rows
})

/** Memories that say the same over again become one that says all of it. */
export const Compress = Schema.Struct({
  /** Only what was neither seen nor changed for so many days. */
  after: withDefault(days, 14),
  /** Memories of one store, type and title, but for case, accents and punctuation: at least so many. */
  cluster: withDefault(Schema.Int.pipe(Schema.between(2, 100)), 3),
  /** How like title and facts of memories with other titles must be, 0…1; 1 leaves them alone. */
  likeness: withDefault(share, 0.9),
  rows
})

/** What narratives come to by age; titles and facts stay, and so do people and what is pinned. */
export const Retention = Schema.Struct({
  /** After so many days a narrative keeps its most telling sentences, up to `narrative` characters. */
  shortenAfter: withDefault(days, 7),
  narrative: withDefault(Schema.Int.pipe(Schema.between(40, 10_000)), 280),
  /** After so many days it is gone. */
  dropAfter: withDefault(days, 90),
  rows
}).pipe(
  Schema.filter(({ dropAfter, shortenAfter }) =>
    dropAfter >= shortenAfter
      ? undefined
      : { path: ["dropAfter"], message: "is to be no less than retention.shortenAfter" }
  )
)

/** The archive takes what is out of use; it is read only where it is asked for. */
export const Archive = Schema.Struct({
  /** Mid and daily memories that were neither seen nor changed for more than so many days, and whatever has expired. */
  after: withDefault(days, 30),
  /** After so many days in the archive a memory leaves it; its events stay in the log. */
  deleteAfter: withDefault(days, 365),
  rows
})

/** What conversations came to. */
export const Sessions = Schema.Struct({
  /** Minutes without a turn after which a session is summed up. */
  quiet: withDefault(nonNegative, 30),
  rows
})

/** The engine's own jobs. */
export const Maintenance = Schema.Struct({
  /** When the day that ended is compressed, and on which weekday, at which time, the week is. */
  daily: withDefault(clockTime, "03:00"),
  weekday: withDefault(
    Schema.Literal("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    "monday"
  ),
  weekly: withDefault(clockTime, "04:00"),
  /** When, each day, what is out of use is demoted and archived. */
  gc: withDefault(clockTime, "03:30"),
  /** The time zone of all of them, by its IANA name. */
  zone: withDefault(zone, "UTC"),
  /** Temporary and debugging memories of these tiers go where their recency, exp(−decay × days), is no more than this. */
  decayed: withDefault(positive, 0.001),
  decayedTiers: withDefault(Schema.Array(Schema.Literal("long", "mid", "daily")), ["mid", "daily"]),
  /** Tokens of the profile, the core block of a system prompt. */
  profileTokens: withDefault(count, 500),
  rows
})

export type LifePolicy = {
  readonly tiers: typeof Tiers.Type
  readonly gc: typeof Gc.Type
  readonly compress: typeof Compress.Type
  readonly retention: typeof Retention.Type
  readonly archive: typeof Archive.Type
  readonly sessions: typeof Sessions.Type
  readonly maintenance: typeof Maintenance.Type
}
