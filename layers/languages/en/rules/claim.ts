import type { Bag } from "./bag.js"
import type { Hint } from "./englishHints.js"
import { hintNames } from "./hints.js"
import type { Item } from "./tokens.js"

/** The claim of a text: how its words are meant. The claim is read before texts are compared. */
export interface Claim {
  /** The speech act. */
  readonly act: "states" | "asks" | "confirms" | "corrects" | "leaves open"
  /** How the text is meant: as a fact, a plan, a guess, somebody else's words, or a joke. */
  readonly modality: "fact" | "plan" | "hedge" | "quote" | "irony"
  /** How long the claim is valid: for a limited time, only in the past, from now on, or not stated ("open"). */
  readonly validity: "bounded" | "former" | "lasting" | "open"
  /** It happens regularly, or once, or the text does not say ("open"). */
  readonly occasion: "habit" | "single" | "open"
  /** The environments, devices, people or times to which the claim applies, by kind. */
  readonly scopes: ReadonlyMap<string, ReadonlySet<string>>
  /** The words of each fact and list item. The first entry contains the subject. */
  readonly parts: ReadonlyArray<ReadonlySet<string>>
  /** True if the text has a phrase of this kind. */
  readonly has: (hint: Hint) => boolean
}

const hintIndexes = new Map(hintNames.map((name, index) => [name, index]))

/** Kinds of words that limit the scope of a claim. */
const scopeKinds = new Set(
  "environment audience device system flow rank family daytime season continent side".split(" ")
)
const habitWords = new Set("every each daily weekly monthly nightly always usually never whenever yearly".split(" "))
const habitTypes = new Set(["routine", "config", "preference"])
const weekdays = /^(?:mon|tues|wednes|thurs|fri|satur|sun)days$/
const separator = /[,;:.()|\n-]/
const maxParts = 14

/** Reads the claim of a text. `type`: the type of its memory. */
export const claimOf = (bag: Bag, type: string): Claim => {
  const has = (hint: Hint): boolean => bag.hints[hintIndexes.get(hint)!]! > 0
  const scopes = new Map<string, Set<string>>()
  const parts: Array<Set<string>> = []
  let [isHabit, isSingle] = [habitTypes.has(type), false]
  for (const { items, part } of bag.texts) {
    let words = new Set<string>()
    const close = () => {
      if (words.size > 0 && part !== "narrative" && parts.length < maxParts) parts.push(words)
      words = new Set()
    }
    for (const [index, item] of items.entries()) {
      if (item.mark !== undefined && separator.test(item.mark)) close()
      if (isContent(item)) words.add(item.canon)
      for (const kind of item.entry?.kinds ?? [])
        if (scopeKinds.has(kind)) scopes.set(kind, (scopes.get(kind) ?? new Set()).add(item.canon))
      isHabit ||= habitWords.has(item.form) || weekdays.test(item.form)
      isSingle ||= isOccasion(items, index)
    }
    close()
  }
  const isPast = has("former") && !has("lasting")
  return {
    act: bag.titleIsQuestion
      ? "asks"
      : has("undecided")
        ? "leaves open"
        : has("corrects")
          ? "corrects"
          : has("confirms")
            ? "confirms"
            : "states",
    modality: has("hedged")
      ? "hedge"
      : has("planned")
        ? "plan"
        : bag.quoted || has("reported")
          ? "quote"
          : has("ironic")
            ? "irony"
            : "fact",
    validity: has("bounded") ? "bounded" : isPast ? "former" : has("lasting") ? "lasting" : "open",
    occasion: isSingle ? "single" : isHabit ? "habit" : "open",
    scopes,
    parts,
    has
  }
}

const isContent = ({ canon, entry, mark, name, scalar }: Item): boolean =>
  mark === undefined &&
  (scalar !== undefined ||
    name === true ||
    (canon.length > 1 &&
      !(entry?.empty || entry?.auxiliary || entry?.pronoun || entry?.speaker) &&
      (entry?.slot === undefined || entry.kinds !== undefined)))

/** True if the word names one occasion: tomorrow, this Friday, 5 March, next week, just this once. */
const isOccasion = (items: ReadonlyArray<Item>, index: number): boolean => {
  const { form, scalar } = items[index]!
  if (scalar?.days !== undefined) return scalar.days[1] - scalar.days[0] <= week
  return ["once", "time"].includes(form) && ["this", "next", "that"].includes(items[index - 1]?.form ?? "")
}
/** A week, in days. */
const week = 7

/**
 * True if a claim can end another one: it is not a question, plan, guess or joke, and is not limited to a certain time.
 */
export const canEndAnother = ({ act, modality, validity }: Claim): boolean =>
  act !== "asks" && act !== "leaves open" && (modality === "fact" || modality === "quote") && validity !== "bounded"

/** True if a claim is stated as a fact that is valid from now on. */
export const isPlainFact = (claim: Claim): boolean =>
  canEndAnother(claim) && claim.act !== "confirms" && claim.modality === "fact" && claim.validity !== "former"
