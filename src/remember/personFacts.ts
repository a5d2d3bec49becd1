import * as Either from "effect/Either"
import { cardFactNamePattern, cardFactsOf, cardFactText, nameOfCardFact } from "../../projections/cardFacts.js"
import { toInstant } from "../../text/when/dates.js"
import { InvalidInput } from "../model/errors.js"
import { decodeWith, textField } from "../model/input.js"
import { limits } from "../model/limits.js"

/**
 * Facts about a person by name: at most 64. A name is lower-case words of at most 64 characters; a value has at most 500
 * characters. Null removes a fact.
 */
export interface PersonFacts {
  /** A day, with or without the year: `1990-12-10` or `12-10`. */
  readonly birthday?: string | null | undefined
  /** The person's relation to the user, such as `colleague`. */
  readonly relationship?: string | null | undefined
  readonly [name: string]: string | null | undefined
}

/** The changes of a card, by the name of the fact; null removes the fact. */
export type CardChanges = ReadonlyMap<string, string | null>

export const decodePersonFacts = (facts: PersonFacts): Either.Either<CardChanges, InvalidInput> =>
  Either.gen(function* () {
    if (typeof facts !== "object" || facts === null || Array.isArray(facts)) {
      return yield* refuse("facts", "must be an object with the names of facts as keys")
    }
    const entries = Object.entries(facts).filter(([, value]) => value !== undefined)
    if (entries.length === 0) return yield* refuse("facts", "must have at least one fact to set or remove")
    if (entries.length > limits.cardFacts) return yield* refuse("facts", tooMany)
    for (const [index, [name, value]] of entries.entries()) {
      if (name.length > limits.cardFactName || !cardFactNamePattern.test(name) || name !== name.trim()) {
        const rule = `lower-case words of letters, digits, spaces, - and _, at most ${limits.cardFactName} characters`
        return yield* refuse("facts", `name ${index + 1} of ${entries.length} is not allowed: use ${rule}`)
      }
      if (value === null) continue
      if (value === "") return yield* refuse(name, "is empty: use `null` to remove the fact")
      yield* Either.mapLeft(decodeValue(value), ({ problem }) => new InvalidInput({ field: name, problem }))
      if (name === "birthday" && !isDay(value!)) {
        return yield* refuse(name, "is not a day: use 1990-12-10, or 12-10 without the year")
      }
    }
    return new Map(entries as ReadonlyArray<[string, string | null]>)
  })

/**
 * The facts of a card after changes. Facts that the changes set come last, so that they win over a restored older
 * value.
 */
export const changedCard = (
  before: ReadonlyArray<string>,
  changes: CardChanges
): Either.Either<ReadonlyArray<string>, InvalidInput> => {
  const present = cardFactsOf(before)
  const differing = new Map([...changes].filter(([name, value]) => (present[name] ?? null) !== value))
  const after = [
    ...before.filter((fact) => !differing.has(nameOfCardFact(fact) ?? "")),
    ...[...differing].flatMap(([name, value]) => (value === null ? [] : [cardFactText(name, value)]))
  ]
  return after.length > limits.cardFacts ? refuse("facts", tooMany) : Either.right(after)
}

const tooMany = `has more than ${limits.cardFacts} facts about one person: set some facts to \`null\` to remove them`

const decodeValue = decodeWith(textField(limits.cardFact))

/** Returns true if a text is a calendar day. Without the year, 29 February is valid. */
const isDay = (value: string): boolean =>
  /^(?:\d{4}-)?\d{2}-\d{2}$/.test(value) && toInstant(value.length === 5 ? `2000-${value}` : value) !== undefined

const refuse = (field: string, problem: string): Either.Either<never, InvalidInput> =>
  Either.left(new InvalidInput({ field, problem }))
