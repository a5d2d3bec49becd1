import type { Statement } from "../../../../src/ports/Reconciler.js"
import { wordTableIfPresent } from "./align.js"
import type { Bag } from "./bag.js"
import { type Claim, claimOf } from "./claim.js"
import { bagOf } from "./readBag.js"
import { type Reading, readStatement } from "./readStatement.js"

/** A parsed statement. Immutable, so that it can be cached. */
interface ParsedStatement {
  readonly bag: Bag
  readonly claim: Claim
  /** Its clauses, parsed on first use. */
  readonly reading: Reading
}

/** Limits of the LRU cache: statements, and characters of a statement. */
const cacheLimits = { statements: 1_000, characters: 1_000 }
const statements = new Map<string, ParsedStatement>()
/** The word table in use. The cache is valid only for one table. */
let table: ReturnType<typeof wordTableIfPresent>

/** Parses a statement, with an LRU cache, because a memory is compared with each similar statement. */
export const parseStatement = (statement: Statement): ParsedStatement => {
  const { at, facts, narrative = "", title, type } = statement
  if (title.length + narrative.length + facts.reduce((sum, fact) => sum + fact.length, 0) > cacheLimits.characters)
    return parsedOf(statement)
  const key = [at, type, title, narrative, ...facts].join("\0")
  if (table !== wordTableIfPresent()) statements.clear()
  table = wordTableIfPresent()
  const parsed = statements.get(key) ?? parsedOf(statement)
  statements.delete(key)
  statements.set(key, parsed)
  if (statements.size > cacheLimits.statements) statements.delete(statements.keys().next().value!)
  return parsed
}

const parsedOf = (statement: Statement): ParsedStatement => {
  const bag = bagOf(statement)
  let reading: Reading | undefined
  return {
    bag,
    claim: claimOf(bag, statement.type),
    get reading() {
      reading ??= readStatement(statement, bag)
      return reading
    }
  }
}
