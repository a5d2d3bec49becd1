import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { Wording } from "../../projections/wordings.js"
import type { Row } from "../model/MemoryRow.js"

/** Facts about memories that their text does not show. */
export interface Evidence {
  /** The memories that this one superseded earlier. */
  readonly predecessors: (row: Row) => ReadonlyArray<Row>
  /** Other wordings in which the memory was repeated, newest first. */
  readonly wordings: (row: Row) => ReadonlyArray<Wording>
  /** Returns true if the reconciler judges that the newer memory certainly contradicts the older one. */
  readonly contradicts: (newer: Row, older: Row) => boolean
}

/** The settler's decisions on a set of memories. */
export interface Settlement {
  /** Maps each memory that is no longer true to the newer memory that supersedes it. */
  readonly superseded: ReadonlyMap<Row, Row>
  /**
   * The superseded memories without certain proof. They are not retired. If the reconciler also sees a contradiction,
   * they become disputed.
   */
  readonly unsure?: ReadonlySet<Row> | undefined
  /** Maps each memory that states a current value to a key. Memories with the same key state the same value. */
  readonly subjects: ReadonlyMap<Row, string>
}

/** The functions of a `Settler`. */
export interface SettlerService {
  /** Name and version. */
  readonly name: string
  /** Compares all rows with each other. Yields after each small step, so that the caller can bound its time slices. */
  readonly settle: (rows: ReadonlyArray<Row>, evidence: Evidence) => Generator<void, Settlement>
  /** Returns a function that compares two of these rows. It returns true if the title of `row` only repeats `other`. */
  readonly repeats: (rows: ReadonlyArray<Row>) => (row: Row, other: Row) => boolean
}

/**
 * Reads what memories say in a natural language. Maintenance retires memories that later statements supersede; the
 * profile shows each subject once. All methods are synchronous, pure functions of their arguments: no clock, no network,
 * no randomness. Optional: without a settler maintenance supersedes nothing, and the profile keeps reworded repeats.
 */
export class Settler extends Context.Tag("daybook/Settler")<Settler, SettlerService | null>() {
  /** No settler: maintenance never retires a memory because a newer one replaces it. */
  static readonly layerNone: Layer.Layer<Settler> = Layer.succeed(this, null)
}
