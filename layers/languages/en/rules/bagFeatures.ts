import { areKindred, likeness, tableOrNone } from "./align.js"
import type { Bag, BagWord } from "./bag.js"
import type { Features } from "./clauseFeatures.js"
import { hintNames, isSeveral, matterNames } from "./hints.js"
import { relationOf } from "./scalars.js"

const flag = (value: boolean): number => (value ? 1 : 0)
const clip = (value: number, max: number): number => Math.min(value, max)

/** Features of the statement alone; they are equal for all candidates. */
export const ofStatement = (b: Bag): Features => {
  const f: Features = {
    "w question": flag(b.question),
    asked: flag(b.titleIsQuestion),
    foreign: flag(b.isForeign),
    "w quoted": flag(b.quoted),
    "w speaker": flag(b.speaker),
    "w nots b": clip(b.nots, 2),
    "w marks": clip(b.marks, 6)
  }
  for (const at of hintNames.keys()) f[hintFigures[at]!] = clip(b.hints[at]!, 2)
  return f
}

const ofScalars = (a: Bag, b: Bag): Features => {
  const f: Features = {
    "s equal": 0,
    "s differs": 0,
    "s finer": 0,
    "s coarser": 0,
    "s day": 0,
    "s clock": 0,
    "s quantity": 0,
    "s bare": 0,
    "s version": 0,
    "s new": 0
  }
  const add = (name: string) => {
    f[name] = clip((f[name] ?? 0) + 1, 2)
  }
  for (const y of b.scalars) {
    let best = ""
    let kind = ""
    for (const x of a.scalars) {
      if (x.kind !== y.kind && !(x.kind === "version" || y.kind === "version")) continue
      const how = relationOf(x, y)
      if (how === "apart") continue
      if (how === "equal") best = how
      else if (best !== "equal" && (how === "finer" || how === "coarser")) best = how
      else if (best === "") {
        best = how
        kind = y.kind === "quantity" ? (x.unit !== "" && x.unit === y.unit ? "quantity" : "bare") : y.kind
      }
    }
    if (best === "") add("s new")
    else {
      add(`s ${best}`)
      if (best === "differs") add(`s ${kind}`)
    }
  }
  let [same, other] = [0, 0]
  for (const [head, label] of b.labels)
    for (const [mine, its] of a.labels)
      if (label === its) same++
      else if (head === mine) other++
  f["label same"] = clip(same, 2)
  f["label other"] = clip(other, 2)
  f["label new"] = flag(b.labels.length > 0 && a.labels.length === 0)
  f["s of a"] = clip(a.scalars.length, 4)
  f["s of b"] = clip(b.scalars.length, 4)
  f["s contradicts"] = flag(f["s differs"]! > 0 && f["s equal"] === 0)
  return f
}

/** Words of one side that are compared with the other side. */
const maxCompared = 20
/** Feature names, made once. */
const hintFigures = hintNames.map((name) => `hint ${name}`)
const matterFigures = matterNames.map((name) => `matter ${name}`)

/** The words of a memory (`a`) and a statement (`b`) by where they occur. */
interface Split {
  /** Words of the memory alone. */
  readonly gone: ReadonlyArray<BagWord>
  /** Words of the statement alone. */
  readonly fresh: ReadonlyArray<BagWord>
  /** Words of both, as the statement has them. */
  readonly kept: ReadonlyArray<BagWord>
}

/** Features of a memory (`a`) and a statement (`b`) as bags of words. `rare`: in how many candidates each word occurs. */
export const ofBags = (a: Bag, b: Bag, rare: ReadonlyMap<string, number>): ReadonlyArray<Features> => {
  const scalars = ofScalars(a, b)
  const split: Split = {
    gone: [...a.words.values()].filter(({ canon }) => !b.words.has(canon)),
    fresh: [...b.words.values()].filter(({ canon }) => !a.words.has(canon)),
    kept: [...b.words.values()].filter(({ canon }) => a.words.has(canon))
  }
  const [matters, talked] = ofMatters(a, b, split)
  const features = {
    ...ofCoverage(a, b, split),
    ...ofEnds(a, b),
    ...ofSwaps(split),
    ...ofNeighbours(a, b, split),
    ...ofTitles(a, b),
    ...matters,
    ...ofTone(a, b),
    ...ofFormer(a, b, split, scalars),
    ...ofRarity(a, b, split, rare)
  }
  return [features, scalars, talked]
}

const sum = (words: Iterable<BagWord>): number => {
  let weights = 0
  for (const { weight } of words) weights += weight
  return weights
}

/** How much each side contains of the other, by words and by words of similar meaning. */
const ofCoverage = (a: Bag, b: Bag, { fresh, gone, kept }: Split): Features => {
  const table = tableOrNone()
  const near = gone.slice(0, maxCompared)
  const nearest = (word: BagWord): number => {
    let max = 0
    for (const other of near) {
      const cosine = areKindred(word.form, other.form) ? 0.95 : likeness(table, word.row, other.row)
      if (cosine > max) max = cosine
    }
    return max
  }
  const keptWeight = sum(kept)
  const covered =
    keptWeight +
    fresh.slice(0, maxCompared).reduce((total, word) => {
      const max = nearest(word)
      return total + word.weight * (max > 0.9 ? 1 : max > 0.6 ? max : 0)
    }, 0)
  return {
    "w covered": covered / (b.weight + 0.3),
    "w kept": sum([...a.words.values()].filter(({ canon }) => b.words.has(canon))) / (a.weight + 0.3),
    "w both": clip(keptWeight, 5),
    "w fresh": clip(b.weight - covered, 6),
    "w gone": clip(sum(gone), 6),
    "w kept names": clip(kept.filter(({ name }) => name).length, 3),
    "w fresh names": clip(fresh.filter(({ name }) => name).length, 3),
    "w gone names": clip(gone.filter(({ name }) => name).length, 3)
  }
}

/** The first, the last and the heaviest words. */
const ofEnds = (a: Bag, b: Bag): Features => {
  const heaviest = ({ words }: Bag): string => {
    let best: BagWord | undefined
    for (const word of words.values()) if (best === undefined || word.weight > best.weight) best = word
    return best?.canon ?? ""
  }
  return {
    "w first kept": flag(a.words.has(b.first)),
    "w first told": flag(b.words.has(a.first)),
    "w first same": flag(a.first === b.first),
    "w first name a": flag(a.words.get(a.first)?.name === true),
    "w last kept": flag(a.words.has(b.last)),
    "w last told": flag(b.words.has(a.last)),
    "w heaviest told": flag(b.words.has(heaviest(a))),
    "w heaviest known": flag(a.words.has(heaviest(b))),
    "fresh last": flag(!a.words.has(b.last)),
    "gone last": flag(!b.words.has(a.last))
  }
}

/** Words that replaced each other: they have the same neighbour. */
const ofSwaps = ({ fresh, gone }: Split): Features => {
  const table = tableOrNone()
  let [swapBefore, swapAfter, swapNames, swapKey, looks, swapLike, swapKinds] = [0, 0, 0, 0, 0, 0, 0]
  for (const y of fresh.slice(0, maxCompared))
    for (const x of gone.slice(0, maxCompared)) {
      const before = y.before !== "" && y.before === x.before
      const after = y.after !== "" && y.after === x.after
      if (before) swapAfter++
      if (after) swapBefore++
      if ((before || after) && x.name && y.name) swapNames++
      if (x.inKey && y.inKey) swapKey++
      if (before || after) swapLike = Math.max(swapLike, likeness(table, x.row, y.row))
      if (x.name && y.name && x.form.slice(0, 3) === y.form.slice(0, 3)) looks++
      if (x.entry?.kinds?.some((kind) => y.entry?.kinds?.includes(kind))) swapKinds++
    }
  return {
    "swap before": clip(swapBefore, 2),
    "swap after": clip(swapAfter, 2),
    "swap names": clip(swapNames, 2),
    "swap key": clip(swapKey, 2),
    "swap like": swapLike,
    "swap kinds": clip(swapKinds, 2),
    lookalike: clip(looks, 2)
  }
}

/** Fresh and gone words beside kept ones. Fresh words before a kept word suggest another subject. */
const ofNeighbours = (a: Bag, b: Bag, { fresh, gone }: Split): Features => ({
  "fresh before kept": clip(sum(fresh.filter(({ after }) => a.words.has(after))), 3),
  "fresh after kept": clip(sum(fresh.filter(({ before }) => a.words.has(before))), 3),
  "gone before kept": clip(sum(gone.filter(({ after }) => b.words.has(after))), 3),
  "gone after kept": clip(sum(gone.filter(({ before }) => b.words.has(before))), 3)
})

/** Titles and keys. */
const ofTitles = (a: Bag, b: Bag): Features => {
  const shared = [...b.title].filter((canon) => a.title.has(canon)).length
  let [keysSame, keysApart] = [0, 0]
  for (const y of b.keys)
    for (const x of a.keys) {
      const both = [...y].filter((canon) => x.has(canon)).length
      if (both === Math.max(x.size, y.size)) keysSame++
      else if (both > 0) keysApart++
    }
  return {
    "title same": shared / Math.max(1, b.title.size, a.title.size),
    "title told": [...a.title].filter((canon) => b.words.has(canon)).length / Math.max(1, a.title.size),
    "title known": [...b.title].filter((canon) => a.words.has(canon)).length / Math.max(1, b.title.size),
    "keys same": clip(keysSame, 2),
    "keys apart": clip(keysApart, 2),
    "keys a": clip(a.keys.length, 2),
    "keys b": clip(b.keys.length, 2)
  }
}

/** Counts of matters, and each matter by itself together with the hints of the memory. */
const ofMatters = (a: Bag, b: Bag, { fresh, gone, kept }: Split): readonly [Features, Features] => {
  const talked: Features = {}
  let [shared, single, multi, swapped, swappedOne, swappedMany] = [0, 0, 0, 0, 0, 0]
  const matters = (words: ReadonlyArray<BagWord>) => new Set(words.flatMap(({ matters }) => matters))
  const [ofFresh, ofGone, ofKept] = [matters(fresh), matters(gone), matters(kept)]
  for (let at = 0; at < matterNames.length; at++) {
    const isShared = a.matters[at]! > 0 && b.matters[at]! > 0
    if (isShared) {
      shared++
      if (isSeveral[at]) multi++
      else single++
    }
    const isSwapped = ofFresh.has(at) && ofGone.has(at)
    if (isSwapped) {
      swapped++
      if (isSeveral[at]) swappedMany++
      else swappedOne++
    }
    talked[matterFigures[at]!] = isSwapped ? 2 : ofKept.has(at) || isShared ? 1 : 0
  }
  for (const [at, name] of hintNames.entries())
    if (name === "over" || name === "unreal" || name === "earlier" || name === "since" || name === "asked")
      talked[`had ${name}`] = flag(a.hints[at]! > 0)
  const counts = {
    "m shared": clip(shared, 4),
    "m single": clip(single, 4),
    "m multi": clip(multi, 4),
    "m swapped": clip(swapped, 4),
    "m swapped one": clip(swappedOne, 3),
    "m swapped many": clip(swappedMany, 3)
  }
  return [counts, talked]
}

/** Tone and negation. */
const ofTone = (a: Bag, b: Bag): Features => ({
  "tone a": Math.max(-2, Math.min(2, a.tone)),
  "tone b": Math.max(-2, Math.min(2, b.tone)),
  "tone turned": flag(a.tone * b.tone < 0),
  "w nots a": clip(a.nots, 2),
  "w nots differ": flag(a.nots % 2 !== b.nots % 2)
})

/** Whether the statement has the former value beside the current one. */
const ofFormer = (a: Bag, b: Bag, { fresh, kept }: Split, scalars: Features): Features => {
  const formerNames = kept.filter(({ canon, name }) => name && canon !== a.first && canon !== b.first).length
  return {
    "was and is": clip(formerNames * fresh.filter(({ name }) => name).length, 2),
    "was number": flag(scalars["s equal"]! > 0 && scalars["s new"]! + scalars["s differs"]! > 0)
  }
}

/** Words that no other candidate has show which candidate is meant. */
const ofRarity = (a: Bag, b: Bag, { fresh }: Split, rare: ReadonlyMap<string, number>): Features => {
  let [own, ownKept] = [0, 0]
  for (const word of a.words.values())
    if ((rare.get(word.canon) ?? 1) <= 1) {
      own += word.weight
      if (b.words.has(word.canon)) ownKept += word.weight
    }
  return {
    "own kept": clip(ownKept, 3),
    "own share": ownKept / (own + 0.3),
    "others know": clip(sum(fresh.filter(({ canon }) => rare.has(canon))), 3)
  }
}
