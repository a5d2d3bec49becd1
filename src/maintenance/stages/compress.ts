import { hash } from "node:crypto"
import { embeddingText, type Memory, type Tier } from "../../../events/Memory.js"
import { overlap, wordSet } from "../../../text/normalise/likeness.js"
import type { DecidedEvent } from "../../actor/Command.js"
import type { LifePolicy } from "../../ports/policy/life.js"
import { ageOf, day, isKept, type Row, touchedAt } from "../facts.js"
import { standing } from "../notes.js"
import { changed, type Gathering, type Planned, type Stage, type Tools } from "../Stage.js"
import { type Draft, memoryDraft, requestAbout } from "../summarize.js"
import { daysIn, plainly, type Summary, summaryOf } from "../summary.js"

/**
 * Folds memories of one store and type that say the same over again into one: those whose titles are the same, but for
 * case, accents and punctuation, and those that are nearly the same altogether. Of what stands for itself those that
 * say the same word for word.
 */
export const compress: Stage = {
  name: "compress",
  kind: "unchanged",
  before: ({ compress }, now) => now - compress.after * day,
  gather: (policy, now): Gathering => {
    const { after, cluster: least, likeness } = policy.compress
    /** By store, tier and type: row numbers by title, and by one of the marks of their words, what may be alike. */
    const titles = new Map<string, Groups>()
    const alike = new Map<string, Groups>()
    let folding: ReturnType<typeof foldingIn> | undefined
    let planned: Planned | undefined
    // What is stale stays to be seen as such; what lets somebody in is shown nowhere else.
    const isFoldable = (row: Row): boolean =>
      row.memory.status === "active" &&
      row.memory.stale === undefined &&
      row.memory.type !== "credential" &&
      !isKept(row.memory, policy.tiers.pin) &&
      ageOf(touchedAt(row), now) >= after
    const step = (tools: Tools, rows: ReadonlyArray<Row>): boolean => {
      if (planned !== undefined) return false
      folding ??= foldingIn({ titles, alike }, policy.compress, tools, rows.filter(isFoldable))
      const next = folding.next()
      if (next.done === true) planned = next.value
      return planned === undefined
    }
    return {
      take: (rows) => {
        for (const row of rows) {
          const { memory } = row
          if (!isFoldable(row)) continue
          const kind = `${memory.store} ${memory.tier} ${memory.type}`
          if (standing.has(memory.type)) {
            // Under one title three of these may say three things: they are to say the same, word for word.
            push(titles, kind, `=${digestOf(embeddingText(memory).replace(/\s+/gu, " "))}`, memory.born)
            continue
          }
          push(titles, kind, digestOf(plainly(memory.title)), memory.born)
          // What was made by compression is not alike to anything by chance: its title alone may bring more to it.
          if (likeness >= 1 || isCompressed(memory)) continue
          for (const mark of marksOf(wordSet(textOf(memory)))) push(alike, kind, mark, memory.born)
        }
      },
      wanted: () => {
        const found = new Set<number>()
        for (const groups of [titles, alike]) {
          const several = [...severalIn(groups, least)]
          // Where there are more than one run can read, another day begins with others.
          const first = several.length === 0 ? 0 : Math.floor(now / day) % several.length
          for (const group of [...several.slice(first), ...several.slice(0, first)]) {
            for (const born of group) found.add(born)
            if (found.size > mostRead) return [...found]
          }
        }
        return [...found]
      },
      weigh: step,
      plan: (tools, rows) => {
        while (step(tools, rows)) {}
        return planned!
      }
    }
  }
}

/** Rows that are read whole in one run, and what one summary is made of at the most. */
const mostRead = 2_000
const mostSources = 50
/** Of what shares a mark, so many are compared with each other. */
const mostCompared = 60

/** Members that are looked at without a pause. */
const weighedAtOnce = 200

/** Makes the events, with a step after each so many rows. */
function* foldingIn(
  { alike, titles }: Readonly<Record<"titles" | "alike", ReadonlyMap<string, Groups>>>,
  { cluster: least, likeness, rows: most }: LifePolicy["compress"],
  { countTokens, newId }: Tools,
  rows: ReadonlyArray<Row>
): Generator<void, Planned> {
  const byBorn = new Map(rows.map((row) => [row.memory.born, row]))
  const taken = new Set<number>()
  const words = new Map<number, ReadonlySet<string>>()
  const events: Array<DecidedEvent> = []
  const drafts: Array<Draft> = []
  let touched = 0
  let compressed = 0
  let left = rows.length > mostRead
  const fold = (members: ReadonlyArray<Row>, reason: string): void => {
    const ordered = [...members].sort(
      (a, b) => a.memory.createdAt - b.memory.createdAt || a.memory.born - b.memory.born
    )
    // The bound counts what is made as well.
    const room = most - touched - 1
    if (ordered.length > room && room < Math.min(ordered.length, most - 1)) {
      left = true
      return
    }
    const sources = ordered.slice(0, Math.min(room, mostSources)).map(({ memory }) => memory)
    if (sources.length < least) return
    const summary = summaryOf(sources, countTokens)
    if (summary === null) return
    if (sources.length < ordered.length) left = true
    for (const { born } of sources) taken.add(born)
    const event = compressing(sources, summary, newId(), reason)
    const days = daysIn(summary)
    const request = requestAbout("cluster", summary.title, sources, summary.tokens - countTokens(days.join("\n")))
    if (request !== undefined) drafts.push(memoryDraft(events.length, event, request, days))
    events.push(event)
    touched += sources.length + 1
    compressed += sources.length
  }
  const rowsOf = (group: ReadonlyArray<number>): ReadonlyArray<Row> =>
    group.flatMap((born) => (taken.has(born) ? [] : (byBorn.get(born) ?? [])))
  let weighed = 0
  for (const group of severalIn(titles, least)) {
    const members = rowsOf(group)
    // One of them may have moved since the group was found.
    for (const tier of tiersOf(members)) {
      fold(
        members.filter(({ memory }) => memory.tier === tier),
        `${least} or more say the same under one title`
      )
    }
    weighed += members.length
    if (weighed < weighedAtOnce) continue
    weighed = 0
    yield
  }
  for (const group of severalIn(alike, least)) {
    const members = rowsOf(group)
    if (members.length < least) continue
    for (const like of likeGroups(members, likeness, words)) {
      if (like.length >= least) fold(like, `${least} or more are alike, ${likeness} or more`)
    }
    weighed += members.length
    if (weighed < weighedAtOnce) continue
    weighed = 0
    yield
  }
  return { events, counts: { compressed, made: events.length }, left, drafts }
}

const tiersOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Tier> => [...new Set(rows.map(({ memory }) => memory.tier))]

const compressing = (
  sources: ReadonlyArray<Memory>,
  summary: Summary,
  id: string,
  reason: string
): Extract<DecidedEvent, { type: "COMPRESS" }> => {
  const [first] = sources
  const { store, tier, type } = first!
  const memory: Memory = {
    id,
    born: 0,
    revision: 1,
    status: "active",
    type,
    source: { kind: sources.every((one) => one.source.kind.startsWith("auto")) ? "auto" : "agent", name: "compress" },
    store,
    tier,
    ...summary
  }
  return {
    type: "COMPRESS",
    payload: {
      memory,
      sources: sources.map((source) => changed(source, { status: "compressed" })),
      decision: {
        action: "COMPRESS",
        by: { kind: "rule", name: "compress" },
        reason,
        candidates: sources.map(({ id, revision }) => ({ id, revision, score: 1 }))
      }
    }
  }
}

/** Rows of one tier that are like the first of their group. `known` keeps the words of each for the groups that follow. */
const likeGroups = (
  rows: ReadonlyArray<Row>,
  likeness: number,
  known: Map<number, ReadonlySet<string>>
): ReadonlyArray<ReadonlyArray<Row>> => {
  const groups: Array<{ readonly first: Row; readonly words: ReadonlySet<string>; readonly rows: Array<Row> }> = []
  for (const row of rows.slice(0, mostCompared)) {
    const { born } = row.memory
    const words = known.get(born) ?? wordSet(textOf(row.memory))
    known.set(born, words)
    const group = groups.find(
      ({ first, words: others }) => first.memory.tier === row.memory.tier && overlap(words, others) >= likeness
    )
    if (group === undefined) groups.push({ first: row, words, rows: [row] })
    else group.rows.push(row)
  }
  return groups.map(({ rows }) => rows)
}

const isCompressed = ({ lineage = [] }: Memory): boolean => lineage.some(({ reason }) => reason === "compressed")

const textOf = ({ facts, title }: Memory): string => [title, ...facts].join("\n")

const digestOf = (text: string): string => hash("sha256", text, "base64").slice(0, 16)

/**
 * Marks by which texts that share nearly all of their words nearly always meet, and others hardly ever: pairs of the
 * words that are the least by three orders of chance (MinHash), as numbers: two that meet by chance are compared anyway.
 */
const marksOf = (words: ReadonlySet<string>): ReadonlyArray<number> => {
  if (words.size < fewest) return []
  const [a = 0, b = 0, c = 0] = seeds.map((seed) => {
    let least = Number.POSITIVE_INFINITY
    for (const word of words) least = Math.min(least, ranked(word, seed))
    return least
  })
  const mark = (pair: number, one: number, other: number) => (Math.imul(one, 0x01000193) ^ Math.imul(other, pair)) | 0
  return [mark(0x9e3779b1, a, b), mark(0x85ebca77, a, c), mark(0xc2b2ae3d, b, c)]
}

/** Texts of fewer words say too little to be alike. */
const fewest = 5
const seeds = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b]

/** FNV-1a, 32 bits. */
const ranked = (word: string, seed: number): number => {
  let rank = seed
  for (let at = 0; at < word.length; at++) rank = Math.imul(rank ^ word.charCodeAt(at), 0x01000193)
  return (rank ^ (rank >>> 15)) >>> 0
}

/** Row numbers by what they share: a single one is no list, as most stay single and there may be very many. */
type Groups = Map<string | number, number | Array<number>>

const push = (kinds: Map<string, Groups>, kind: string, key: string | number, born: number): void => {
  let groups = kinds.get(kind)
  if (groups === undefined) {
    groups = new Map()
    kinds.set(kind, groups)
  }
  const group = groups.get(key)
  if (group === undefined) groups.set(key, born)
  else if (typeof group === "number") groups.set(key, [group, born])
  else group.push(born)
}

function* severalIn(kinds: ReadonlyMap<string, Groups>, least: number): Generator<ReadonlyArray<number>> {
  for (const groups of kinds.values()) {
    for (const group of groups.values()) if (typeof group !== "number" && group.length >= least) yield group
  }
}
