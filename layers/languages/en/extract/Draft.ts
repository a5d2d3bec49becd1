import type { ExtractedFact, ExtractTurn } from "../../../../src/ports/Extractor.js"
import type { Mention } from "./people.js"
import type { WorthSign } from "./points.js"
import type { Reading } from "./reading.js"
import type { Speaker } from "./titles.js"

/** A statement in a turn, before it becomes a fact. */
export interface Draft {
  readonly reading: Reading
  readonly signs: ReadonlySet<WorthSign>
  /** The words of the statement's piece, and of the pieces that continue it. */
  readonly text: string
  /** The people to whom a pronoun in the text may refer. */
  readonly mentions: ReadonlyArray<Mention>
  /** The index of its turn in the request. */
  readonly turn: number
  /** Statements about the same person or thing, which begin with a pronoun. */
  readonly further?: ReadonlyArray<Draft>
  /** The text is already a title. */
  readonly isWritten?: boolean
  /** The former state that this statement replaces. */
  readonly former?: Draft
  /**
   * The question that the title quotes, because the answer alone is a fragment: "Which card is it?" for "a GTX 660".
   */
  readonly keptQuestion?: string | undefined
  /** The title of the earlier statement that this statement repeats with another value. */
  readonly corrected?: string
  /** The statement repeats an earlier one with another value. */
  readonly isCorrecting?: boolean
}

/** The conversation before a turn. */
export interface PriorConversation {
  readonly speaker: Speaker
  readonly mentions: ReadonlyArray<Mention>
  /** The assistant's turn directly before this turn. */
  readonly answered: ExtractTurn | undefined
  /** The texts of this turn and of the two before it. */
  readonly around: string
  /** The texts of the user's earlier turns. */
  readonly userText: string
  /** The facts from earlier turns. */
  readonly earlier: () => ReadonlyArray<ExtractedFact>
}
