import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

/** The words of a text in lower case, without accents and endings, and without words that carry no meaning. */
export interface Statement {
  readonly words: ReadonlySet<string>
  /** Those of `words` that negate or limit the statement: "not", "before", "was". */
  readonly turning: ReadonlySet<string>
  /** The statement's distinct numbers, dates and names, in order. */
  readonly telling: ReadonlyArray<string>
}

/** The functions of a `StatementReader`. */
export interface StatementReaderService {
  readonly statementOf: (text: string) => Statement
  /** Splits a text at punctuation and conjunctions. Returns the text itself if it cannot be split. */
  readonly piecesOf: (text: string) => ReadonlyArray<string>
  /** Whether a sentence says that something was decided. */
  readonly statesDecision: (sentence: string) => boolean
  /** Whether a sentence says that something is still to do. */
  readonly statesOpenItem: (sentence: string) => boolean
}

/**
 * Reads statements in a natural language. The engine uses it to check that a summarizer neither invents nor drops
 * content, and to find the decisions and open items of a session. Pure functions. Optional: without a reader, the
 * engine calls no summarizer, and a session's summary has only a request and an outcome.
 */
export class StatementReader extends Context.Tag("daybook/StatementReader")<
  StatementReader,
  StatementReaderService | null
>() {
  /** No statement reader: summaries cannot be checked, so no summarizer is used. */
  static readonly layerNone: Layer.Layer<StatementReader> = Layer.succeed(this, null)
}
