import { setOf } from "../../../../text/normalise/functionWords.js"
import type { Bag } from "./bag.js"
import { type Features, flag } from "./clauseFeatures.js"
import type { Item } from "./tokens.js"

/** Words for relatives and other people in somebody's life: "Ruta's brother". */
const kinWords = setOf(
  `mother mum mom father dad parents parent sister brother sibling son daughter child children kid kids wife husband spouse partner uncle aunt cousin
  grandmother grandfather grandma grandpa grandad granny nephew niece mother-in-law father-in-law brother-in-law sister-in-law girlfriend boyfriend fiancé fiancée
  friend flatmate roommate neighbour neighbor colleague colleagues boss assistant twin grandson granddaughter stepson stepdaughter godmother godfather team
  ex widow widower bride groom dog cat landlord predecessor successor deputy`
)
const possessives = setOf("his her their my our")

/** The relatives that a text mentions after a possessive. */
const kinOf = ({ texts }: Bag): ReadonlySet<string> => {
  const relatives = new Set<string>()
  for (const { items } of texts)
    for (const [index, { form, possessive }] of items.entries())
      if (possessive === true || possessives.has(form))
        for (const next of [items[index + 1], items[index + 2]])
          if (next !== undefined && kinWords.has(next.form)) relatives.add(next.canon)
  return relatives
}

/** Vague words. */
const vagueWords = setOf(
  `some several few many various somewhere someone somebody something roughly around late early mid soon short long certain more over least under most most
  newcomer somehow sometime later big small other multiple number couple lot handful often regularly occasionally there`
)
/** The number of vague words, at most 3. */
const vaguenessOf = ({ texts }: Bag): number => {
  let count = 0
  for (const { items } of texts)
    for (const { form } of items)
      if (vagueWords.has(form) || (form.includes(" ") && form.split(" ").some((word) => vagueWords.has(word)))) count++
  return Math.min(3, count)
}

/** Words after "not" that cancel the negation: "not only", "isn't just", "isn't limited to". */
const limitingWords = setOf("only just merely solely limited")
const hasNotOnly = (items: ReadonlyArray<Item>): boolean =>
  items.some(
    ({ entry, form }, index) =>
      /^not only/.test(form) ||
      (entry?.cue === "not" &&
        items.slice(index + 1, index + 4).some(({ form, mark }) => mark === undefined && limitingWords.has(form)))
  )

/** Words that state a change at the end of a clause: "the cast is off", "the parts are here". */
const endStates = setOf("off out in on up down back here there over through done gone away ready again free open")
const endStatesOf = ({ texts }: Bag): ReadonlySet<string> => {
  const states = new Set<string>()
  for (const { items } of texts)
    for (const [index, { form }] of items.entries()) {
      const word = form.slice(form.lastIndexOf(" ") + 1)
      const next = items[index + 1]
      if (endStates.has(word) && index > 0 && (next === undefined || next.mark !== undefined)) states.add(word)
    }
  return states
}

/**
 * Features of relatives, of states at the end of a clause, of vague words, and of "not only", which is not a negation.
 */
export const nuanceFeatures = (a: Bag, b: Bag): Features => {
  const [kinA, kinB] = [kinOf(a), kinOf(b)]
  const knownStates = endStatesOf(a)
  const [vagueA, vagueB] = [vaguenessOf(a), vaguenessOf(b)]
  return {
    "kin new": Math.min(2, [...kinB].filter((word) => !kinA.has(word)).length),
    "kin unknown": flag([...kinB].some((word) => !a.words.has(word))),
    "kin gone": flag([...kinA].some((word) => !b.words.has(word))),
    "state new": flag([...endStatesOf(b)].some((word) => !knownStates.has(word))),
    "vague a": vagueA,
    "vague b": vagueB,
    "vague filled": Math.min(vagueA, b.scalars.length),
    "not only": flag(b.texts.some(({ items }) => hasNotOnly(items)))
  }
}
