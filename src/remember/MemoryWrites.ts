import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import { annotateRecord } from "../../events/tracing.js"
import type { CommandError } from "../actor/Actor.js"
import type {
  CredentialForbidden,
  InvalidInput,
  LevelTooLow,
  MemoryNotFound,
  ProjectionParked,
  SourceNotFound,
  StoreForbidden,
  TrustRequired
} from "../model/errors.js"
import type { Changes, Observation } from "../model/input.js"
import { defineMethod } from "../model/operation.js"
import { type Forgotten, forget } from "./forget.js"
import type { PersonFacts } from "./personFacts.js"
import { type RememberOptions, remember, type WriteOptions, type Writer } from "./remember.js"
import type { Remembered } from "./remembered.js"
import { type Runner, writeOptionNames } from "./runner.js"
import { type Choice, type Settled, type SettleError, settleDispute } from "./settleDispute.js"
import { type Updated, update } from "./update.js"
import { type PersonOptions, type UpdatedPerson, updatePerson } from "./updatePerson.js"
import { type Vouched, vouch } from "./vouch.js"

export type { Forgotten } from "./forget.js"
export type { PersonFacts } from "./personFacts.js"
export type { RememberOptions, WriteOptions } from "./remember.js"
export type { Remembered } from "./remembered.js"
export type { Choice, Settled } from "./settleDispute.js"
export type { Updated } from "./update.js"
export type { PersonOptions, UpdatedPerson } from "./updatePerson.js"
export type { Vouched } from "./vouch.js"

/** Errors of storing a memory. */
export type RememberError = CommandError | InvalidInput | SourceNotFound | StoreForbidden | CredentialForbidden

/** Writes of memories. */
export interface MemoryWrites {
  /**
   * Stores a memory. If the store already has a memory with the same title and facts, this counts as another mention.
   * If similar memories exist, the reconciler decides: see `Remembered` for the outcomes.
   */
  readonly remember: (observation: Observation, options?: RememberOptions) => Effect.Effect<Remembered, RememberError>
  /**
   * Stores up to 1,000 memories, in transactions of about 250 ms. Other work gets a turn at least every 50 ms. Each
   * memory gets its own answer; a refused one does not affect the others. After a failure or an interruption, stored
   * memories stay, and each other memory gets the failure as its answer.
   */
  readonly rememberAll: (
    observations: ReadonlyArray<Observation | readonly [Observation, RememberOptions]>
  ) => Effect.Effect<ReadonlyArray<Either.Either<Remembered, RememberError>>, CommandError | InvalidInput>
  /** Changes the given fields of a memory. Fails with `LevelTooLow` if a higher level wrote it; so does `forget`. */
  readonly update: (
    id: string,
    changes: Changes,
    options?: WriteOptions
  ) => Effect.Effect<
    Updated,
    CommandError | InvalidInput | LevelTooLow | StoreForbidden | MemoryNotFound | CredentialForbidden
  >
  /**
   * Sets facts about a person by name, such as a birthday; null removes one. The facts are stored on the person's card,
   * a memory that no rule changes. `people` and `search` return the card. Fails with `LevelTooLow` if a higher level
   * wrote the card.
   */
  readonly updatePerson: (
    name: string,
    facts: PersonFacts,
    options?: PersonOptions
  ) => Effect.Effect<
    UpdatedPerson,
    CommandError | InvalidInput | LevelTooLow | StoreForbidden | MemoryNotFound | CredentialForbidden | ProjectionParked
  >
  /** Raises memories to level `full`. After that, they count as written at that level. Needs full trust. */
  readonly vouch: (
    ids: ReadonlyArray<string>,
    options?: WriteOptions
  ) => Effect.Effect<Vouched, CommandError | InvalidInput | MemoryNotFound | TrustRequired>
  /**
   * Settles open disputes of a memory. `id` may name any side. `keep` keeps the older side and retires the newer one,
   * `replace` does the opposite, and `both` keeps both sides. If the memory is the newer side of some disputes and the
   * older side of others, `keep` and `replace` settle only the disputes in which it is the newer side. Undo reverts the
   * whole run.
   */
  readonly decide: (
    id: string,
    choice: Choice,
    options?: WriteOptions
  ) => Effect.Effect<Settled, CommandError | SettleError>
  /** Hides a memory from all reads. Its events stay in the log until they are erased. */
  readonly forget: (
    id: string,
    options?: WriteOptions
  ) => Effect.Effect<Forgotten, CommandError | InvalidInput | LevelTooLow | MemoryNotFound | ProjectionParked>
}

/** @internal */
export const makeMemoryWrites = ({ run, runAll }: Runner, writer: Writer): MemoryWrites => ({
  remember: defineMethod("Memory.remember")((observation, options) =>
    run(() => remember(writer, observation, options), options, rememberOptions)
  ),
  rememberAll: defineMethod("Memory.rememberAll")((observations) =>
    runAll("observations", observations, (input, options) => remember(writer, input, options), rememberOptions)
  ),
  update: defineMethod("Memory.update")((id, changes, options) =>
    Effect.zipLeft(
      run(() => update(writer, id, changes, options), options),
      annotateRecord(id)
    )
  ),
  updatePerson: defineMethod("Memory.updatePerson")((name, facts, options) =>
    run(() => updatePerson(writer, name, facts, options), options, personOptions)
  ),
  vouch: defineMethod("Memory.vouch")((ids, options) => run(() => vouch(writer, ids, options), options)),
  decide: defineMethod("Memory.decide")((id, choice, options) =>
    Effect.zipLeft(
      run(() => settleDispute(writer, id, choice, options), options),
      annotateRecord(id)
    )
  ),
  forget: defineMethod("Memory.forget")((id, options) =>
    Effect.zipLeft(
      run(() => forget(writer, id, options), options),
      annotateRecord(id)
    )
  )
})

const personOptions: ReadonlyArray<string> = [...writeOptionNames, "store"]
const rememberOptions: ReadonlyArray<string> = [...writeOptionNames, "reconcile"]
