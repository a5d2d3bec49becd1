import * as Schema from "effect/Schema"
import { exactOptional, nonNegativeNumber, positiveInteger, withDefault } from "./fields.js"

/** Capture extracts memories that are worth keeping from turns, and stores them. */
export const Capture = Schema.Struct({
  /** Whether `sessions.append` and `add-turn` capture memories. `appendAll`, imports and files never do. */
  enabled: withDefault(Schema.Boolean, true),
  /** Finds what to keep: rules, a model, hybrid (rules and a model; without `[model]` the rules alone), or none. */
  extractor: withDefault(Schema.Literal("hybrid", "rules", "model", "none"), "hybrid"),
  /**
   * When turns are extracted. "turn": immediately after each turn with the role user, by the rules. "after": in the
   * background when `minTurnMessages` turns wait. "buffer": in the background after a pause, at a token limit, or on
   * the next day. Default: "turn"; "after" if a model extracts.
   */
  mode: exactOptional(Schema.Literal("turn", "after", "buffer")),
  /** Number of waiting turns at which mode "after" extracts. */
  minTurnMessages: withDefault(positiveInteger, 4),
  /** Mode "buffer" extracts after `quiet` minutes without a turn, or when the waiting turns have this many tokens. */
  quiet: withDefault(nonNegativeNumber, 5),
  tokens: withDefault(positiveInteger, 2_000),
  /** Maximum turns of one extraction. */
  turns: withDefault(Schema.Int.pipe(Schema.between(1, 100)), 40),
  /** Whether statements with a credential are kept, as private credentials. Otherwise they are left out. */
  credentials: withDefault(Schema.Boolean, false),
  /** Milliseconds for one answer of a model, including retries. After that, the rules extract. */
  timeout: withDefault(positiveInteger, 30_000)
})
