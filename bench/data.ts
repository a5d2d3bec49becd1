import type { Memory } from "../events/Memory.js"
import type { Store } from "../events/Trust.js"
import { hashVector } from "../layers/HashEmbedder.js"
import type { TurnInput } from "../src/conversation/turnInput.js"
import type { Observation } from "../src/model/input.js"

/** An observation with all fields that the benchmarks fill. */
export interface GeneratedMemory extends Observation {
  readonly type: string
  readonly narrative: string
  readonly facts: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  readonly people: ReadonlyArray<string>
  readonly store: Store
}

/** The after-image of a memory, in the field order of its schema. */
export const imageOf = (memory: GeneratedMemory, id: string, born: number, now: number): Memory => ({
  id,
  born,
  revision: 1,
  status: "active",
  type: memory.type,
  title: memory.title,
  narrative: memory.narrative,
  facts: memory.facts,
  tags: memory.tags,
  people: memory.people,
  files: [],
  source: { kind: "agent" },
  store: memory.store,
  level: "full",
  tier: "long",
  importance: 0,
  tokens: 48,
  mentions: 1,
  lastMentionedAt: now,
  createdAt: now,
  updatedAt: now
})

/**
 * Generates `count` memories, the same on every machine. Each has a title of about 8 words, a narrative of about 40,
 * two facts of about 8, two tags and one of 200 people. Four of five are private. Words are as frequent as in natural
 * text (Zipf and Mandelbrot: the frequency of the word with rank r is proportional to 1 / (r + 2.7)).
 */
export const makeMemories = (count: number, seed = 1): Array<GeneratedMemory> => {
  const random = randomGenerator(seed)
  const pick = <A>(values: ReadonlyArray<A>): A => values[Math.floor(random() * values.length)]!
  const sentence = (about: number) => {
    const words = Array.from({ length: about - 2 + Math.floor(random() * 5) }, () => wordAt(random()))
    return words.join(" ").replace(/^./, (first) => first.toUpperCase())
  }
  return Array.from({ length: count }, () => ({
    type: pick(types),
    title: sentence(8),
    narrative: Array.from({ length: 4 }, () => `${sentence(10)}.`).join(" "),
    facts: [sentence(8), sentence(8)],
    tags: [pick(tags), pick(tags)].filter((tag, index, all) => all.indexOf(tag) === index),
    people: [pick(people)],
    store: pick(stores)
  }))
}

/**
 * Generates `count` conversation turns of one agent, the same on every machine: two alternating speakers, 3 to 40 words
 * per turn, 50 turns per session, one session per day. One turn in a hundred is a tool output of about 500 words.
 */
export const makeTurns = (count: number, seed = 4): Array<TurnInput & { readonly text: string }> => {
  const random = randomGenerator(seed)
  const words = (minimum: number, maximum: number) =>
    Array.from({ length: minimum + Math.floor(random() * (maximum - minimum + 1)) }, () => wordAt(random())).join(" ")
  return Array.from({ length: count }, (_, index) => {
    const session = Math.floor(index / 50)
    const at = Date.UTC(2023, 0, 1) + session * 86_400_000 + (index % 50) * 60_000
    if (random() < 0.01) return { session: `session ${session}`, role: "tool", text: words(400, 600), at }
    return {
      session: `session ${session}`,
      ...(index % 2 === 0
        ? { role: "user" as const, speaker: "Ada Abel" }
        : { role: "assistant" as const, speaker: "Ben" }),
      text: words(3, 40),
      at
    }
  })
}

/**
 * Queries of 2 to 6 words, like a partial recollection: all words of a query come from one memory. Rare, medium and
 * common words have equal shares.
 */
export const makeQueries = (
  memories: ReadonlyArray<Pick<GeneratedMemory, "title" | "narrative">>,
  count: number,
  seed = 2
): ReadonlyArray<string> => {
  const random = randomGenerator(seed)
  const queries: Array<string> = []
  while (queries.length < count) {
    const { narrative, title } = memories[Math.floor(random() * memories.length)]!
    const words = [...new Set(`${title} ${narrative}`.toLowerCase().match(/\w+/g))]
    const wanted = 2 + (queries.length % 5)
    const chosen = new Set<string>()
    for (let tries = 0; chosen.size < wanted && tries < 100; tries++) {
      const [from, to] = bands[Math.floor(random() * bands.length)]!
      const band = words.filter((word) => rankOf.get(word)! >= from && rankOf.get(word)! < to)
      if (band.length > 0) chosen.add(band[Math.floor(random() * band.length)]!)
    }
    if (chosen.size === wanted) queries.push([...chosen].join(" "))
  }
  return queries
}

/** The unit-length vector of a text by the hash embedder, as Daybook stores it. */
export const vectorOf = (text: string): Float32Array => {
  const vector = hashVector(text)
  let squares = 0
  for (const value of vector) squares += value * value
  const length = Math.sqrt(squares)
  return vector.map((value) => value / length)
}

/** A generator of random numbers from 0 to 1 (mulberry32). */
export const randomGenerator = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

const commonest =
  `the of and to a in is that it was for on with as at by from they we this had not are but or have an one were all
  there when can said use each which do how if will up about out many then them some so would make like has time more
  go see no way could people than first been call who its now find down day did get come made may part over new take
  only work know place year back give most very after our just name good man think say great where help before line`
    .trim()
    .split(/\s+/)

/** 20,000 words by rank: common English words first, then invented words of two to four syllables. */
const vocabulary: ReadonlyArray<string> = (() => {
  const random = randomGenerator(3)
  const [starts, middles, ends] = [
    "b br c ch d dr f fl g gr h j k l m n p pl r s st t tr v w",
    "a e i o u ai ea ou",
    " l m n r s t nd rk st"
  ].map((sounds) => sounds.split(" ")) as [Array<string>, Array<string>, Array<string>]
  const pick = (values: ReadonlyArray<string>) => values[Math.floor(random() * values.length)]!
  const words = new Set(commonest)
  while (words.size < 20_000) {
    const syllables = 2 + Math.floor(random() * 3)
    let word = ""
    for (let at = 0; at < syllables; at++)
      word += pick(starts) + pick(middles) + (at === syllables - 1 ? pick(ends) : "")
    words.add(word)
  }
  return [...words]
})()

const rankOf = new Map(vocabulary.map((word, rank) => [word, rank]))

/** Ranks of common, medium and rare words. */
const bands = [
  [0, 100],
  [100, 2_000],
  [2_000, vocabulary.length]
] as const

/** Cumulative frequency of the words up to each rank. */
const shares = (() => {
  const sums = new Float64Array(vocabulary.length)
  let sum = 0
  for (let rank = 0; rank < sums.length; rank++) sums[rank] = sum += 1 / (rank + 1 + 2.7)
  return sums.map((value) => value / sum)
})()

const wordAt = (share: number): string => {
  let [low, high] = [0, shares.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (shares[middle]! < share) low = middle + 1
    else high = middle
  }
  return vocabulary[low]!
}

const types = ["discovery", "discovery", "decision", "preference", "event", "technical", "task", "solution"]
const tags = Array.from({ length: 100 }, (_, index) => vocabulary[200 + 7 * index]!)
const people = [
  "Ada",
  "Ben",
  "Clara",
  "David",
  "Eva",
  "Felix",
  "Grace",
  "Hugo",
  "Ida",
  "Jonas",
  "Karin",
  "Leo",
  "Mia",
  "Noah",
  "Olga",
  "Paul",
  "Rosa",
  "Sam",
  "Tilda",
  "Viktor"
].flatMap((first) =>
  ["Abel", "Brandt", "Costa", "Dahl", "Egger", "Fischer", "Grant", "Huber", "Ito", "Jansen"].map(
    (last) => `${first} ${last}`
  )
)
const stores: ReadonlyArray<Store> = [...Array<Store>(16).fill("private"), "shared", "shared", "shared", "social"]
