import type { Statement } from "../../../../src/ports/Reconciler.js"
import { tableOrNone } from "./align.js"
import { type Bag, bagOf } from "./bag.js"
import { type Hints, hintsOf } from "./hints.js"
import type { Lexicon } from "./lexicon.js"
import { type Reading, read } from "./readStatement.js"

/** A statement that was taken apart. Nothing of it is changed afterwards: it may be looked at again. */
export interface Taken {
  readonly bag: Bag
  /** Its structure, made when it is asked for. */
  readonly reading: Reading
}

/** Statements that are kept taken apart, the ones that were looked at last, and the longest that are. */
const kept = { statements: 1_000, characters: 1_000 }

interface Kept {
  readonly hints: Hints
  /** With or without word vectors a statement reads otherwise. */
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
 * Takes statements apart. What is remembered is weighed again and again, for each statement that is like it: those that
 * were looked at last are taken from memory.
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

/** All that a statement is read by. */
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
