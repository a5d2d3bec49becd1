import type { Statement } from "../../../../src/ports/Reconciler.js"
import { tableOrNone } from "./align.js"
import type { Bag } from "./bag.js"
import { type Hints, hintsOf } from "./hints.js"
import type { Lexicon } from "./lexicon.js"
import { bagOf } from "./readBag.js"
import { type Reading, read } from "./readStatement.js"

/** A parsed statement. Immutable, so that it can be cached. */
export interface Taken {
  readonly bag: Bag
  /** Its clauses, parsed on first use. */
  readonly reading: Reading
}

/** Limits of the LRU cache: statements, and characters of a statement. */
const kept = { statements: 1_000, characters: 1_000 }

interface Kept {
  readonly hints: Hints
  /** The word table that was used: the result depends on it. */
  readonly table: ReturnType<typeof tableOrNone>
  readonly statements: Map<string, Taken>
}

const byLexicon = new WeakMap<Lexicon, Kept>()

const keptFor = (lexicon: Lexicon): Kept => {
  const table = tableOrNone()
  const known = byLexicon.get(lexicon)
  if (known !== undefined && known.table === table) return known
  const made: Kept = { hints: known?.hints ?? hintsOf(lexicon), table, statements: new Map() }
  byLexicon.set(lexicon, made)
  return made
}

/**
 * Returns a parser for statements with an LRU cache: a memory is compared again with each similar statement.
 */
export const taking = (lexicon: Lexicon): ((statement: Statement) => Taken) => {
  const { hints, statements } = keptFor(lexicon)
  return (statement) => {
    const key = keyOf(statement)
    if (key.length > kept.characters) return take(statement, lexicon, hints)
    const known = statements.get(key)
    statements.delete(key)
    const taken = known ?? take(statement, lexicon, hints)
    statements.set(key, taken)
    if (statements.size > kept.statements) statements.delete(statements.keys().next().value!)
    return taken
  }
}

/** All fields that the parser reads. */
const keyOf = ({ at, facts, narrative = "", title, type }: Statement): string =>
  [at, type, title, narrative, ...facts].join("\0")

const take = (statement: Statement, lexicon: Lexicon, hints: Hints): Taken => {
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
