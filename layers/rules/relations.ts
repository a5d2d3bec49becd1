import { existsSync, readFileSync } from "node:fs"

/** How a word stands to another: they mean the same, the opposite, one is a kind of the other, both are of one kind. */
export type Related = "same" | "opposite" | "narrower" | "broader" | "sibling"

/** `assets/relations.bin`, as `scripts/wordRelations.mjs` writes it. */
interface Table {
  /** What each meaning is a kind of; itself at the top. */
  readonly above: Uint16Array
  readonly opposites: ReadonlyMap<number, ReadonlyArray<number>>
  /** Where the senses of each row of the table of words begin. */
  readonly starts: Uint16Array
  readonly senses: Uint16Array
}

/** Where the file lies beside the built package, its bundle, and its sources. */
const places = ["../assets/relations.bin", "../../assets/relations.bin", "../../../assets/relations.bin"]

const load = (): Table | undefined => {
  const file = places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url))
  if (file === undefined) return undefined
  const bytes = readFileSync(file)
  const all = Uint16Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readUInt16LE(2 * at))
  const [words, meanings, pairs] = all as unknown as readonly [number, number, number]
  let at = 4
  const take = (length: number) => all.subarray(at, (at += length))
  const above = take(meanings)
  const opposites = new Map<number, Array<number>>()
  const paired = take(2 * pairs)
  for (let pair = 0; pair < paired.length; pair += 2)
    for (const [x, y] of [
      [paired[pair]!, paired[pair + 1]!],
      [paired[pair + 1]!, paired[pair]!]
    ] as const)
      opposites.set(x, [...(opposites.get(x) ?? []), y])
  return { above, opposites, starts: take(words + 1), senses: all.subarray(at) }
}

let table: Table | undefined | "unread" = "unread"

/** Each sense of a word and all that it is a kind of, the nearest first. */
type Chains = ReadonlyArray<ReadonlyArray<number>>
const nothing: Chains = []

/** The chains of the rows that were met. */
const met = new Map<number, Chains>()
const mostMet = 4_000

const chainsOf = (row: number, { above, senses, starts }: Table): Chains => {
  if (row < 0 || row >= starts.length - 1) return nothing
  const known = met.get(row)
  if (known !== undefined) return known
  const chains: Array<ReadonlyArray<number>> = []
  for (let at = starts[row]!; at < starts[row + 1]!; at++) {
    const chain = [senses[at]!]
    for (let next = above[chain[0]!]!; next !== chain.at(-1) && chain.length < 20; next = above[next]!) chain.push(next)
    chains.push(chain)
  }
  if (met.size >= mostMet) met.clear()
  met.set(row, chains)
  return chains
}

/** Steps up to what both are a kind of, and how far below the top that must be to mean something. */
const most = { apart: 3, both: 5 }
const leastDepth = 4

/** How word `b` stands to word `a`, both by their rows in the table of words; undefined where nothing is known. */
export const relatedness = (a: number, b: number): Related | undefined => {
  if (table === "unread") table = load()
  if (table === undefined) return undefined
  const [mine, theirs] = [chainsOf(a, table), chainsOf(b, table)]
  let found: Related | undefined
  for (const x of mine)
    for (const y of theirs) {
      if (x[0] === y[0]) return "same"
      if (table.opposites.get(x[0]!)?.includes(y[0]!) === true) return "opposite"
      const how = kinship(x, y)
      if (how !== undefined && (found === undefined || found === "sibling")) found = how
    }
  return found
}

const kinship = (x: ReadonlyArray<number>, y: ReadonlyArray<number>): Related | undefined => {
  for (let up = 0; up <= most.apart && up < x.length; up++) {
    const down = y.indexOf(x[up]!)
    if (down === -1) continue
    if (down > most.apart || up + down > most.both) return undefined
    if (up === 0) return "narrower"
    if (down === 0) return "broader"
    // Verbs and adjectives have few above them, nouns up to twenty.
    return x.length - up > leastDepth || up + down <= 2 ? "sibling" : undefined
  }
  return undefined
}
