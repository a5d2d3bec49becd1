import { kindred, likeness, tableOrNone } from "./align.js"
import type { Bag, BagWord } from "./bag.js"
import type { Features } from "./clauseFeatures.js"
import { hintNames, isSeveral, matterNames } from "./hints.js"
import { standing } from "./scalars.js"

const flag = (value: boolean): number => (value ? 1 : 0)
const clip = (value: number, most: number): number => Math.min(value, most)

/** Of hints and what is talked of in the statement alone: the same for each candidate. */
export const ofStatement = (b: Bag): Features => {
  const f: Features = {
    "w question": flag(b.question),
    asked: flag(b.asked),
    foreign: flag(b.foreign),
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
      const how = standing(x, y)
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

/** Words of one side that are held against those of the other. */
const looked = 20
/** Names of figures, made once. */
const hintFigures = hintNames.map((name) => `hint ${name}`)
const matterFigures = matterNames.map((name) => `matter ${name}`)

/** Holds all that two statements say against each other, whatever its structure. `rare`: how many candidates have a word. */
export const ofBags = (a: Bag, b: Bag, rare: ReadonlyMap<string, number>): ReadonlyArray<Features> => {
  const table = tableOrNone()
  const f: Features = {}
  const scalars = ofScalars(a, b)
  const talked: Features = {}
  const gone: Array<BagWord> = []
  const fresh: Array<BagWord> = []
  const kept: Array<BagWord> = []
  for (const word of a.words.values()) if (!b.words.has(word.canon)) gone.push(word)
  for (const word of b.words.values()) (a.words.has(word.canon) ? kept : fresh).push(word)
  // Words that mean the same, near the same, or swap.
  const [near, far] = [gone.slice(0, looked), fresh.slice(0, looked)]
  const bestOfFresh = far.map((word) => {
    let [most, mate] = [0, undefined as BagWord | undefined]
    for (const other of near) {
      const how = kindred(word.form, other.form) ? 0.95 : likeness(table, word.row, other.row)
      if (how > most) [most, mate] = [how, other]
    }
    return { word, most, mate }
  })
  const sum = (words: Iterable<BagWord>) => {
    let all = 0
    for (const { weight } of words) all += weight
    return all
  }
  const keptWeight = sum(kept)
  const softB =
    keptWeight +
    bestOfFresh.reduce((all, { most, word }) => all + word.weight * (most > 0.9 ? 1 : most > 0.6 ? most : 0), 0)
  f["w covered"] = softB / (b.weight + 0.3)
  f["w kept"] = sum([...a.words.values()].filter(({ canon }) => b.words.has(canon))) / (a.weight + 0.3)
  f["w both"] = clip(keptWeight, 5)
  f["w fresh"] = clip(b.weight - softB, 6)
  f["w gone"] = clip(sum(gone), 6)
  f["w kept names"] = clip(kept.filter(({ name }) => name).length, 3)
  const freshNames = fresh.filter(({ name }) => name)
  const goneNames = gone.filter(({ name }) => name)
  f["w fresh names"] = clip(freshNames.length, 3)
  f["w gone names"] = clip(goneNames.length, 3)
  f["w first kept"] = flag(a.words.has(b.first))
  f["w first told"] = flag(b.words.has(a.first))
  f["w first same"] = flag(a.first === b.first)
  f["w first name a"] = flag(a.words.get(a.first)?.name === true)
  f["w last kept"] = flag(a.words.has(b.last))
  f["w last told"] = flag(b.words.has(a.last))
  const heavy = (words: Iterable<BagWord>) => {
    let best: BagWord | undefined
    for (const word of words) if (best === undefined || word.weight > best.weight) best = word
    return best
  }
  f["w heaviest told"] = flag(b.words.has(heavy(a.words.values())?.canon ?? ""))
  f["w heaviest known"] = flag(a.words.has(heavy(b.words.values())?.canon ?? ""))
  // Swapped in place: the same word beside them.
  let [swapBefore, swapAfter, swapNames, swapKey, looks, swapLike, swapKinds] = [0, 0, 0, 0, 0, 0, 0]
  for (const y of far)
    for (const x of near) {
      const before = y.before !== "" && y.before === x.before
      const after = y.after !== "" && y.after === x.after
      if (before) swapAfter++
      if (after) swapBefore++
      if ((before || after) && x.name && y.name) swapNames++
      if (x.key && y.key) swapKey++
      if (before || after) swapLike = Math.max(swapLike, likeness(table, x.row, y.row))
      if (x.name && y.name && x.form.slice(0, 3) === y.form.slice(0, 3)) looks++
      if (x.entry?.kinds?.some((kind) => y.entry?.kinds?.includes(kind))) swapKinds++
    }
  f["swap before"] = clip(swapBefore, 2)
  f["swap after"] = clip(swapAfter, 2)
  f["swap names"] = clip(swapNames, 2)
  f["swap key"] = clip(swapKey, 2)
  f["swap like"] = swapLike
  f["swap kinds"] = clip(swapKinds, 2)
  f.lookalike = clip(looks, 2)
  // Fresh words before a kept one: told of another.
  f["fresh before kept"] = clip(sum(fresh.filter(({ after }) => a.words.has(after))), 3)
  f["fresh after kept"] = clip(sum(fresh.filter(({ before }) => a.words.has(before))), 3)
  f["gone before kept"] = clip(sum(gone.filter(({ after }) => b.words.has(after))), 3)
  f["gone after kept"] = clip(sum(gone.filter(({ before }) => b.words.has(before))), 3)
  // Titles and keys.
  const titleKept = [...b.title].filter((canon) => a.title.has(canon)).length
  f["title same"] = titleKept / Math.max(1, b.title.size, a.title.size)
  f["title told"] = [...a.title].filter((canon) => b.words.has(canon)).length / Math.max(1, a.title.size)
  f["title known"] = [...b.title].filter((canon) => a.words.has(canon)).length / Math.max(1, b.title.size)
  let [keysSame, keysApart] = [0, 0]
  for (const y of b.keys)
    for (const x of a.keys) {
      const both = [...y].filter((canon) => x.has(canon)).length
      if (both === Math.max(x.size, y.size)) keysSame++
      else if (both > 0) keysApart++
    }
  f["keys same"] = clip(keysSame, 2)
  f["keys apart"] = clip(keysApart, 2)
  f["keys a"] = clip(a.keys.length, 2)
  f["keys b"] = clip(b.keys.length, 2)
  // What is talked of.
  let [shared, single, multi, swapped, swappedOne, swappedMany] = [0, 0, 0, 0, 0, 0]
  const of = (words: ReadonlyArray<BagWord>) => new Set(words.flatMap(({ matters }) => matters))
  const [ofFresh, ofGone, ofKept] = [of(fresh), of(gone), of(kept)]
  for (let at = 0; at < matterNames.length; at++) {
    if (a.matters[at]! > 0 && b.matters[at]! > 0) {
      shared++
      if (isSeveral[at]) multi++
      else single++
    }
    const swap = ofFresh.has(at) && ofGone.has(at)
    if (swap) {
      swapped++
      if (isSeveral[at]) swappedMany++
      else swappedOne++
    }
    talked[matterFigures[at]!] = swap ? 2 : ofKept.has(at) ? 1 : a.matters[at]! > 0 && b.matters[at]! > 0 ? 1 : 0
  }
  Object.assign(f, {
    "m shared": clip(shared, 4),
    "m single": clip(single, 4),
    "m multi": clip(multi, 4),
    "m swapped": clip(swapped, 4),
    "m swapped one": clip(swappedOne, 3),
    "m swapped many": clip(swappedMany, 3)
  })
  // Tone and sign.
  f["tone a"] = Math.max(-2, Math.min(2, a.tone))
  f["tone b"] = Math.max(-2, Math.min(2, b.tone))
  f["tone turned"] = flag(a.tone * b.tone < 0)
  f["w nots a"] = clip(a.nots, 2)
  f["w nots differ"] = flag(a.nots % 2 !== b.nots % 2)
  for (const [at, name] of hintNames.entries())
    if (name === "over" || name === "unreal" || name === "earlier" || name === "since" || name === "asked")
      talked[`had ${name}`] = flag(a.hints[at]! > 0)
  // What was, told beside what is.
  const wasNames = kept.filter(({ canon, name }) => name && canon !== a.first && canon !== b.first).length
  f["was and is"] = clip(wasNames * freshNames.length, 2)
  f["was number"] = flag(scalars["s equal"]! > 0 && scalars["s new"]! + scalars["s differs"]! > 0)
  f["fresh last"] = flag(!a.words.has(b.last))
  f["gone last"] = flag(!b.words.has(a.last))
  // Which of the candidates is meant: words that no other one has.
  let [own, ownKept] = [0, 0]
  for (const word of a.words.values())
    if ((rare.get(word.canon) ?? 1) <= 1) {
      own += word.weight
      if (b.words.has(word.canon)) ownKept += word.weight
    }
  f["own kept"] = clip(ownKept, 3)
  f["own share"] = ownKept / (own + 0.3)
  f["others know"] = clip(sum(fresh.filter(({ canon }) => rare.has(canon))), 3)
  return [f, scalars, talked]
}
