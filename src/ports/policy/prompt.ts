import * as Schema from "effect/Schema"
import { exactOptional, fraction, positiveInteger, section, withDefault } from "./fields.js"

/** The guaranteed share of the token budget for each part of a context, 0…1. The sum is at most 1. */
const Shares = Schema.Struct({
  user: withDefault(fraction, 0.03),
  profile: withDefault(fraction, 0.13),
  sessions: withDefault(fraction, 0.04),
  tasks: withDefault(fraction, 0.05),
  mid: withDefault(fraction, 0.07),
  recent: withDefault(fraction, 0.1),
  recalled: withDefault(fraction, 0.2),
  quoted: withDefault(fraction, 0.04),
  summary: withDefault(fraction, 0.06),
  turns: withDefault(fraction, 0.28)
}).pipe(
  Schema.filter(
    (shares) => Object.values(shares).reduce((sum, one) => sum + one, 0) <= 1.000001 || "must not exceed 1 in total"
  )
)

/** Blocks for prompts: the profile, the summaries of sessions, and the context of a turn. */
export const Prompt = Schema.Struct({
  /**
   * The lowest trust level whose text appears directly in a prompt block. For a reader with a lower level, it is the
   * reader's own level. Text from lower levels appears in a separate, quoted section with its origin.
   */
  writers: withDefault(Schema.Literal("full", "inner", "familiar"), "inner"),
  /** Default token budget of a context. */
  tokens: withDefault(positiveInteger, 8_000),
  /** Maximum turns of a session in a context. */
  turns: withDefault(Schema.Int.pipe(Schema.between(1, 1_000)), 100),
  /** Milliseconds after which a context leaves out a part that has no answer yet. */
  timeout: withDefault(positiveInteger, 5_000),
  shares: section(Shares)
})

/** The rows of memories in a context: those of the last days, the recalled ones, and those with the best scores. */
export const PromptIndex = Schema.Struct({
  /** Whether contexts contain these rows. */
  enabled: withDefault(Schema.Boolean, true),
  /**
   * "full": 3 days, 30 rows, 3,000 tokens, with the facts, score, mentions and origin of each memory. "compact": 2 days,
   * 30 rows, 500 tokens, titles only.
   */
  preset: withDefault(Schema.Literal("full", "compact"), "full"),
  /**
   * Minimum evidence of the closest memories that are shown if no memory is near the message (`search.nearEvidence`).
   * They are marked as the closest ones.
   */
  evidence: withDefault(fraction, 0.3),
  /** Days whose memories are guaranteed to appear; default: the preset's. */
  recent_days: exactOptional(Schema.Int.pipe(Schema.between(1, 30))),
  /** Maximum rows of a part; default: the preset's. */
  limit: exactOptional(Schema.Int.pipe(Schema.between(1, 1_000))),
  /** Maximum tokens of all rows; default: the preset's. */
  max_tokens: exactOptional(positiveInteger)
})

/** The settings of the index with the values of its preset. */
export const indexSettings = ({ limit, max_tokens, preset, recent_days }: typeof PromptIndex.Type) => {
  const values = presets[preset]
  return {
    preset,
    recentDays: recent_days ?? values.recentDays,
    limit: limit ?? values.limit,
    maxTokens: max_tokens ?? values.maxTokens
  }
}
export type IndexSettings = ReturnType<typeof indexSettings>

const presets = {
  full: { recentDays: 3, limit: 30, maxTokens: 3_000 },
  compact: { recentDays: 2, limit: 30, maxTokens: 500 }
} as const
