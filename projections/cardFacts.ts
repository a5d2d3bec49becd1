/** The name of a fact on a card: lower-case words, such as `birthday` or `favourite tea`. */
export const cardFactName = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{M}\p{N} _-]*$/u

/** A fact of a card as one of the facts of its memory: "birthday: 1990-12-10". */
export const cardFact = (name: string, value: string): string => `${name}: ${value}`

/** The name in a fact of a card; undefined for a fact that has none, because somebody edited the memory. */
export const nameOfCardFact = (fact: string): string | undefined => {
  const end = fact.indexOf(": ")
  const name = fact.slice(0, Math.max(end, 0))
  return cardFactName.test(name) ? name : undefined
}

/** The facts of a card with only the last one of each name: an undo restores a value beside the one that was set since. */
export const latestCardFacts = (facts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const last = new Map(facts.map((fact, index) => [nameOfCardFact(fact) ?? index, index]))
  return facts.filter((fact, index) => last.get(nameOfCardFact(fact) ?? index) === index)
}

/** The facts of a card by name. Of several with one name, the last counts. */
export const cardFactsOf = (facts: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    facts.flatMap((fact) => {
      const name = nameOfCardFact(fact)
      return name === undefined ? [] : [[name, fact.slice(name.length + 2)]]
    })
  )
