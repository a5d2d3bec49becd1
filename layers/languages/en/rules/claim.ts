import type { Bag } from "./bag.js"
import type { Hint } from "./englishHints.js"
import { hintNames } from "./hints.js"
import type { Item } from "./tokens.js"

/** The claim of a text, beside its words. It is read before anything is compared. */
export interface Claim {
  /** The speech act. */
  readonly act: "states" | "asks" | "confirms" | "corrects" | "leaves open"
  /** The way it is meant: as a fact, a plan, a guess, somebody else's words, or a joke. */
  readonly modality: "fact" | "plan" | "hedge" | "quote" | "irony"
  /** How long it holds: for a bounded time, in the past only, from now on, or without a word about it. */
  readonly validity: "bounded" | "former" | "lasting" | "open"
  /** Whether it happens regularly, or once. */
  readonly occasion: "habit" | "single" | "open"
  /** The environments, devices, people or times for which it holds, by kind. */
  readonly scopes: ReadonlyMap<string, ReadonlySet<string>>
  /** The words of each fact and list item, the subject first. */
  readonly parts: ReadonlyArray<ReadonlySet<string>>
  /** Whether it has a phrase of this kind. */
  readonly has: (hint: Hint) => boolean
}

const hintIndexes = new Map(hintNames.map((name, index) => [name, index]))

/** Kinds of words that limit a claim to a part of the world. */
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

/** Whether the word names one occasion: tomorrow, this Friday, 5 March, next week, just this once. */
const isOccasion = (items: ReadonlyArray<Item>, index: number): boolean => {
  const { form, scalar } = items[index]!
  if (scalar?.days !== undefined) return scalar.days[1] - scalar.days[0] <= week
  return ["once", "time"].includes(form) && ["this", "next", "that"].includes(items[index - 1]?.form ?? "")
}
/** A week, in days. */
const week = 7

/** Whether a claim can end another one: it is no question, plan, guess or joke, and holds for no bounded time. */
export const mayEnd = ({ act, modality, validity }: Claim): boolean =>
  act !== "asks" && act !== "leaves open" && (modality === "fact" || modality === "quote") && validity !== "bounded"

/** Whether a claim is stated as a fact that holds from now on. */
export const isPlain = (claim: Claim): boolean =>
  mayEnd(claim) && claim.act !== "confirms" && claim.modality === "fact" && claim.validity !== "former"
