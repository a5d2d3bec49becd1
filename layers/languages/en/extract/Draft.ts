import type { ExtractedFact, ExtractTurn } from "../../../../src/ports/Extractor.js"
import type { Mention } from "./people.js"
import type { Sign } from "./points.js"
import type { Reading } from "./reading.js"
import type { Speaker } from "./titles.js"

/** A statement that a turn makes, before it becomes a fact. */
export interface Draft {
  readonly reading: Reading
  readonly signs: ReadonlySet<Sign>
  /** Its own words, and those of the pieces that continue it. */
  readonly text: string
  /** The people for whom a pronoun in it may stand. */
  readonly mentions: ReadonlyArray<Mention>
  /** The index of its turn in the request. */
  readonly turn: number
  /** Statements about the same person or thing, which begin with a pronoun. */
  readonly further?: ReadonlyArray<Draft>
  /** Its text is a title already. */
  readonly isWritten?: boolean
  /** The former state, which this one replaces. */
  readonly former?: Draft
  /** The question that is kept with a fragment: "Which card is it?" for "a GTX 660". */
  readonly keptQuestion?: string | undefined
  /** The title of the earlier statement of which it is a version with another value. */
  readonly corrected?: string
  /** It gives an earlier statement another value. */
  readonly isCorrecting?: boolean
}

/** The conversation before a turn. */
export interface Background {
  readonly speaker: Speaker
  readonly mentions: ReadonlyArray<Mention>
  /** The turn of the assistant directly before it. */
  readonly answered: ExtractTurn | undefined
  /** The texts of this turn and of the two before it. */
  readonly around: string
  /** The statements of the user in the turns before. */
  readonly userText: string
  /** The facts of the turns before. */
  readonly earlier: () => ReadonlyArray<ExtractedFact>
}
