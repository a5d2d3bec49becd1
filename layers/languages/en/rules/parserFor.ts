import type { Statement } from "../../../../src/ports/Reconciler.js"
import { tableOrNone } from "./align.js"
import type { Bag } from "./bag.js"
import { type Hints, hintsOf } from "./hints.js"
import type { Lexicon } from "./lexicon.js"
import { bagOf } from "./readBag.js"
import { type Reading, read } from "./readStatement.js"

/** A parsed statement. Immutable, so that it can be cached. */
export interface ParsedStatement {
  readonly bag: Bag
  /** Its clauses, parsed on first use. */
  readonly reading: Reading
}

/** Limits of the LRU cache: statements, and characters of a statement. */
const cacheLimits = { statements: 1_000, characters: 1_000 }

interface Cache {
  readonly hints: Hints
  /** The word table that was used: the result depends on it. */
  readonly table: ReturnType<typeof tableOrNone>
  readonly statements: Map<string, ParsedStatement>
}

const byLexicon = new WeakMap<Lexicon, Cache>()

const cacheFor = (lexicon: Lexicon): Cache => {
  const table = tableOrNone()
  const cached = byLexicon.get(lexicon)
  if (cached !== undefined && cached.table === table) return cached
  const cache: Cache = { hints: cached?.hints ?? hintsOf(), table, statements: new Map() }
  byLexicon.set(lexicon, cache)
  return cache
}

/**
 * Returns a parser for statements with an LRU cache: a memory is compared again with each similar statement.
 */
export const parserFor = (lexicon: Lexicon): ((statement: Statement) => ParsedStatement) => {
  const { hints, statements } = cacheFor(lexicon)
  return (statement) => {
    const key = keyOf(statement)
    if (key.length > cacheLimits.characters) return parse(statement, lexicon, hints)
    const cached = statements.get(key)
    statements.delete(key)
    const parsed = cached ?? parse(statement, lexicon, hints)
    statements.set(key, parsed)
    if (statements.size > cacheLimits.statements) statements.delete(statements.keys().next().value!)
    return parsed
  }
}

/** All fields that the parser reads. */
const keyOf = ({ at, facts, narrative = "", title, type }: Statement): string =>
  [at, type, title, narrative, ...facts].join("\0")

const parse = (statement: Statement, lexicon: Lexicon, hints: Hints): ParsedStatement => {
  const bag = bagOf(statement, lexicon, hints)
  let reading: Reading | undefined
  return {
    bag,
    get reading() {
      reading ??= read(statement, bag, lexicon)
      return reading
    }
  }
}
