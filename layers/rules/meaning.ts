import { dimensions } from "../wordTable.js"
import { likeness, tableOrNone, vectorAt } from "./align.js"
import type { Features } from "./features.js"
import type { Flat, FlatWord } from "./flat.js"
import { relatedness } from "./relations.js"
import type { Item } from "./tokens.js"

const flag = (value: boolean): number => (value ? 1 : 0)

/** Words of one side that are held against those of the other. */
const looked = 16

/** The mean of the vectors of words, by what they count for. */
const sumOf = (words: Iterable<FlatWord>): Float64Array => {
  const sum = new Float64Array(dimensions)
  const table = tableOrNone()
  for (const { row, weight } of words) {
    if (row === -1 || table === undefined) continue
    const { length, vector } = vectorAt(table, row)
    for (let at = 0; at < dimensions; at++) sum[at]! += (weight * vector[at]!) / length
  }
  return sum
}

const cosine = (a: Float64Array, b: Float64Array): number => {
  let [both, x, y] = [0, 0, 0]
  for (let at = 0; at < dimensions; at++) {
    both += a[at]! * b[at]!
    x += a[at]! * a[at]!
    y += b[at]! * b[at]!
  }
  return x === 0 || y === 0 ? 0 : both / Math.sqrt(x * y)
}

/** Somebody of the family or around somebody: Ruta's brother. */
const kin = new Set(
  `mother mum mom father dad parents parent sister brother sibling son daughter child children kid kids wife husband spouse partner uncle aunt cousin
  grandmother grandfather grandma grandpa grandad granny nephew niece mother-in-law father-in-law brother-in-law sister-in-law girlfriend boyfriend fiancé fiancée
  friend flatmate roommate neighbour neighbor colleague colleagues boss assistant twin grandson granddaughter stepson stepdaughter godmother godfather team
  ex widow widower bride groom dog cat landlord predecessor successor deputy`.split(/\s+/)
)
const owning = new Set(["his", "her", "their", "my", "our"])

/** Who is told of by somebody else's name: by possessor and kin. */
const kinOf = ({ texts }: Flat): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const { items } of texts)
    for (const [at, { form, possessive }] of items.entries())
      if (possessive === true || owning.has(form))
        for (const next of [items[at + 1], items[at + 2]])
          if (next !== undefined && kin.has(next.form)) found.add(next.canon)
  return found
}

const vague = new Set(
  `some several few many various somewhere someone somebody something roughly around late early mid soon short long certain more over least under most most
  newcomer somehow sometime later big small other multiple number couple lot handful often regularly occasionally there`.split(/\s+/)
)
const vaguenessOf = ({ texts }: Flat): number => {
  let count = 0
  for (const { items } of texts)
    for (const { form } of items)
      if (vague.has(form) || (form.includes(" ") && form.split(" ").some((word) => vague.has(word)))) count++
  return count
}

/** "not only", "isn't just", "isn't the only", "isn't limited to": no denial. */
const merely = new Set(["only", "just", "merely", "solely", "limited"])
const notOnly = (items: ReadonlyArray<Item>): boolean =>
  items.some(
    ({ entry, form }, at) =>
      /^not only/.test(form) ||
      (entry?.cue === "not" &&
        items.slice(at + 1, at + 4).some(({ form, mark }) => mark === undefined && merely.has(form)))
  )

/** What words of both mean to each other, and the two as wholes. */
export const ofMeaning = (a: Flat, b: Flat): Features => {
  const table = tableOrNone()
  const gone = [...a.words.values()].filter(({ canon }) => !b.words.has(canon)).slice(0, looked)
  const fresh = [...b.words.values()].filter(({ canon }) => !a.words.has(canon)).slice(0, looked)
  const kept = [...b.words.values()].filter(({ canon }) => a.words.has(canon)).slice(0, looked)
  const f: Features = {
    "r same": 0,
    "r opposite": 0,
    "r narrower": 0,
    "r broader": 0,
    "r sibling": 0,
    "r none": 0,
    "r left": 0,
    "r opposite kept": 0,
    "r sibling kept": 0,
    "r place same": 0,
    "r place opposite": 0,
    "r place narrower": 0,
    "r place broader": 0,
    "r place sibling": 0,
    "r place none": 0,
    "r place name": 0,
    "r first none": 0
  }
  const add = (name: string, weight: number) => {
    f[name] = Math.min(3, (f[name] ?? 0) + weight)
  }
  const mated = new Set<FlatWord>()
  for (const word of fresh) {
    let best: { readonly how: string; readonly rank: number; readonly mate: FlatWord } | undefined
    for (const other of gone) {
      const related = relatedness(other.row, word.row)
      const near = related === undefined && likeness(table, other.row, word.row) > 0.6
      if (related === undefined && !near) continue
      const how = related ?? "sibling"
      const rank = near ? 0 : ranks[how]
      if (best === undefined || rank > best.rank) best = { how, rank, mate: other }
    }
    for (const other of gone) {
      const inPlace = (word.before !== "" && word.before === other.before) || (word.after !== "" && word.after === other.after)
      if (!inPlace) continue
      if (word.name || other.name) add("r place name", 1)
      else add(`r place ${relatedness(other.row, word.row) ?? "none"}`, Math.min(word.weight, other.weight))
    }
    if (best === undefined) {
      if (!word.name) add("r none", word.weight)
    } else {
      add(`r ${best.how}`, word.weight)
      mated.add(best.mate)
    }
    for (const other of kept) {
      const related = relatedness(other.row, word.row)
      if (related === "opposite" || related === "sibling") add(`r ${related} kept`, word.weight)
    }
  }
  for (const word of gone) if (!word.name && !mated.has(word)) add("r left", word.weight)
  const [allA, allB, ofGone, ofFresh, ofKept] = [a.words.values(), b.words.values(), gone, fresh, kept].map(sumOf) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array
  ]
  f["e all"] = cosine(allA, allB)
  f["e swap"] = cosine(ofGone, ofFresh)
  f["e fresh"] = cosine(ofFresh, allA)
  f["e gone"] = cosine(ofGone, allB)
  f["e fresh kept"] = cosine(ofFresh, ofKept)
  f["e gone kept"] = cosine(ofGone, ofKept)
  const [kinA, kinB] = [kinOf(a), kinOf(b)]
  f["kin new"] = [...kinB].filter((one) => !kinA.has(one)).length
  f["kin unknown"] = flag([...kinB].some((one) => !a.words.has(one)))
  f["kin gone"] = flag([...kinA].some((one) => !b.words.has(one)))
  f["vague a"] = Math.min(3, vaguenessOf(a))
  f["vague b"] = Math.min(3, vaguenessOf(b))
  f["vague filled"] = Math.min(f["vague a"], b.scalars.length)
  f["not only"] = flag(b.texts.some(({ items }) => notOnly(items)))
  return f
}
const ranks: Readonly<Record<string, number>> = { same: 5, opposite: 4, narrower: 3, broader: 2, sibling: 1 }
