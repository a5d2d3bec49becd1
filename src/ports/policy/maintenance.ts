import * as Schema from "effect/Schema"
import type { ShortTerm, SummaryPolicy } from "./conversation.js"
import { fastDecays, slowDecays } from "./decays.js"
import {
  clockTime,
  dayCount,
  fraction,
  nonNegativeNumber,
  positiveInteger,
  positiveNumber,
  timeZoneName,
  withDefault
} from "./fields.js"
import type { Prompt } from "./prompt.js"

/** A type of memory, as `remember` accepts it. */
const typeName = Schema.String.pipe(
  Schema.pattern(/^[a-z][a-z0-9_-]{0,63}$/, { message: () => "must be a lower-case word" })
)

/**
 * Maximum memories per store that one run of a stage changes. Each store has its own limit, so that the work in one
 * store reveals nothing about another.
 */
const rows = withDefault(Schema.Int.pipe(Schema.between(1, 10_000)), 200)

/**
 * score = frequencyWeight × ln(1 + hits) + recencyWeight × exp(−decay × days) + importanceWeight × importance. Hits are
 * the mentions after the first one, plus the number of times that the memory was shown. Days are whole UTC days since
 * the memory was last added, mentioned or shown.
 */
export const Tiers = Schema.Struct({
  frequencyWeight: withDefault(nonNegativeNumber, 1),
  recencyWeight: withDefault(nonNegativeNumber, 1),
  importanceWeight: withDefault(nonNegativeNumber, 2),
  /** λ per day. The half-life is ln 2 / λ, 14 days by default. */
  decay: withDefault(nonNegativeNumber, 0.05),
  /** Replaces `decay` for memories of a type, known or not: people and decisions stay relevant, experiments fade. */
  decays: withDefault(Schema.Record({ key: typeName, value: nonNegativeNumber }), {
    ...slowDecays,
    event: 0.1,
    ...fastDecays
  }),
  /** Memories with this tag are never removed, archived, compressed or shortened. */
  pin: withDefault(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(64)), "pinned")
})

/** Promotion, demotion and removal. Only mid and daily memories are removed, never people or pinned memories. */
export const Gc = Schema.Struct({
  /** A mid memory becomes long if it has `promoteHits` hits and the last hit is at most `promoteWithin` days old. */
  promoteHits: withDefault(positiveInteger, 3),
  promoteWithin: withDefault(dayCount, 7),
  /** Days after which a promoted memory that was neither shown nor changed becomes mid again. */
  demoteAfter: withDefault(dayCount, 30),
  /**
   * A mid or daily memory is removed when its score is below removeBelow, or when it was neither shown nor changed for
   * more than removeAfter days.
   */
  removeBelow: withDefault(nonNegativeNumber, 0.5),
  removeAfter: withDefault(dayCount, 30),
  /** Maximum mid memories per store of an agent. If there are more, those with the lowest scores are removed. */
  capacity: withDefault(positiveInteger, 500),
  /** How memories are removed: "archive" allows restoring them; "expire" keeps them in history only. */
  removal: withDefault(Schema.Literal("archive", "expire"), "archive"),
  rows
})

/** Compression: replaces memories that repeat each other by one memory with all their content. */
export const Compress = Schema.Struct({
  /** Compresses only memories that were neither shown nor changed for this many days. */
  after: withDefault(dayCount, 14),
  /**
   * Minimum size of a cluster of memories with the same store, type and title, ignoring case, accents and punctuation.
   */
  cluster: withDefault(Schema.Int.pipe(Schema.between(2, 100)), 3),
  /**
   * Minimum similarity of title and facts for memories with different titles, 0…1. With 1, memories with different
   * titles are never compressed.
   */
  likeness: withDefault(fraction, 0.9),
  rows
})

/** Shortens narratives by age. Titles and facts stay; people and pinned memories are not changed. */
export const Retention = Schema.Struct({
  /** Whether `daybook serve` and `daybook mcp` run the maintenance jobs at their times. */
  enabled: withDefault(Schema.Boolean, true),
  /** Days after which a narrative is cut to its most informative sentences, up to `narrative` characters. */
  shortenAfter: withDefault(dayCount, 7),
  narrative: withDefault(Schema.Int.pipe(Schema.between(40, 10_000)), 280),
  /** Days after which the narrative is deleted. */
  dropAfter: withDefault(dayCount, 90),
  rows
}).pipe(
  Schema.filter(({ dropAfter, shortenAfter }) =>
    dropAfter >= shortenAfter
      ? undefined
      : { path: ["dropAfter"], message: "must be at least `retention.shortenAfter`" }
  )
)

/** The archive keeps unused memories. Only explicit archive reads return them. */
export const Archive = Schema.Struct({
  /**
   * Days after which mid and daily memories that were neither shown nor changed are archived. Expired memories are
   * archived too.
   */
  after: withDefault(dayCount, 30),
  /** Days after which a memory leaves the archive. Its events stay in the log. */
  deleteAfter: withDefault(dayCount, 365),
  rows
})

/** Session summaries. */
export const Sessions = Schema.Struct({
  /** Minutes without a turn before a session is summarised. */
  quiet: withDefault(nonNegativeNumber, 30),
  /** Whether a session is also summarised shortly after each turn of the assistant. */
  after_turn: withDefault(Schema.Boolean, true),
  rows
})

/** Runs of tools, as `observeTool` stores them. */
export const Tools = Schema.Struct({
  /** Number of characters that are kept from the beginning and from the end of an output. */
  head: withDefault(Schema.Int.pipe(Schema.between(100, 30_000)), 2_000),
  tail: withDefault(Schema.Int.pipe(Schema.between(0, 30_000)), 2_000),
  /** Hours after which a short-lived result expires, such as that of a build, a test or a listing. */
  expireAfter: withDefault(positiveNumber, 48),
  /** Minutes without a run before the runs of a session are compressed. */
  quiet: withDefault(nonNegativeNumber, 30),
  /** The importance, 0…1, of an error with its solution. */
  solutionImportance: withDefault(fraction, 0.4),
  rows
})

/** The schedule of the engine's own jobs. */
export const Maintenance = Schema.Struct({
  /** Time of day to compress the past day; weekday and time of day to compress the past week. */
  daily: withDefault(clockTime, "03:00"),
  weekday: withDefault(
    Schema.Literal("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    "monday"
  ),
  weekly: withDefault(clockTime, "04:00"),
  /** Time of day to demote and archive unused memories. */
  gc: withDefault(clockTime, "03:30"),
  /** The time zone of these times, an IANA name. */
  zone: withDefault(timeZoneName, "UTC"),
  /**
   * `temp` and `debug` memories in `decayedTiers` are removed when their recency, exp(−decay × days), is at most
   * `decayed`.
   */
  decayed: withDefault(positiveNumber, 0.001),
  decayedTiers: withDefault(Schema.Array(Schema.Literal("long", "mid", "daily")), ["mid", "daily"]),
  /** Token limit of the profile, the core block of a system prompt. */
  profileTokens: withDefault(positiveInteger, 500),
  /**
   * Minimum mentions for a memory of another type to be in the profile, if identities, preferences and decisions leave
   * room.
   */
  profileMentions: withDefault(positiveInteger, 3),
  rows
})

/** The minimum confidence, 0…1, at which a contradiction retires a memory. */
export interface ReconcileSettings {
  readonly certain: number
}

export type MaintenancePolicy = {
  readonly short_term: typeof ShortTerm.Type
  readonly summary: SummaryPolicy
  readonly prompt: Pick<typeof Prompt.Type, "writers">
  readonly tiers: typeof Tiers.Type
  readonly gc: typeof Gc.Type
  readonly compress: typeof Compress.Type
  readonly retention: typeof Retention.Type
  readonly archive: typeof Archive.Type
  readonly sessions: typeof Sessions.Type
  readonly tools: typeof Tools.Type
  readonly maintenance: typeof Maintenance.Type
  readonly reconcile: ReconcileSettings
}
