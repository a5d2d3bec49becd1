/** Matches the name of a fact on a card: lower-case words, such as `birthday` or `favourite tea`. */
export const cardFactNamePattern = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{M}\p{N} _-]*$/u

/** A card's fact in the form in which the memory stores it: "birthday: 1990-12-10". */
export const cardFactText = (name: string, value: string): string => `${name}: ${value}`

/** The name in a card's fact. Undefined if the fact has no name, because somebody edited the memory. */
export const nameOfCardFact = (fact: string): string | undefined => {
  const end = fact.indexOf(": ")
  const name = fact.slice(0, Math.max(end, 0))
  return cardFactNamePattern.test(name) ? name : undefined
}

/**
 * The facts of a card, with only the last fact of each name. An undo can restore an old value while a newer value with
 * the same name exists.
 */
export const latestCardFacts = (facts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const last = new Map(facts.map((fact, index) => [nameOfCardFact(fact) ?? index, index]))
  return facts.filter((fact, index) => last.get(nameOfCardFact(fact) ?? index) === index)
}

/** The facts of a card by name. If several facts have the same name, the last one counts. */
export const cardFactsOf = (facts: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    facts.flatMap((fact) => {
      const name = nameOfCardFact(fact)
      return name === undefined ? [] : [[name, fact.slice(name.length + 2)]]
    })
  )
