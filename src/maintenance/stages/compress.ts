import { hash } from "node:crypto"
import { embeddingText, type Memory } from "../../../events/Memory.js"
import { levelOf } from "../../../events/Trust.js"
import { wordSet, wordSetSimilarity } from "../../../text/normalise/similarity.js"
import type { DecidedEvent } from "../../actor/Command.js"
import { nextRevision } from "../../model/nextRevision.js"
import type { MaintenancePolicy } from "../../ports/policy/maintenance.js"
import { type Draft, memoriesRequest, memoryDraft } from "../applySummarizer.js"
import { comparisonKey, dayFactsOf, type MergedContent, mergeContents } from "../mergeContents.js"
import { standaloneTypes } from "../notes.js"
import type { Stage, StagePlan, StagePlanner, StageTools } from "../Stage.js"
import { ageInDays, dayMillis, isProtected, lastTouchedAt, type Row } from "../stageRow.js"

/**
 * Merges memories of one store, level, tier and type that repeat each other: their titles are equal except for case,
 * accents and punctuation, or nearly all of their words are equal. Memories of standalone types are merged only if they
 * are equal word for word.
 */
export const compress: Stage = {
  name: "compress",
  kind: "unchanged",
  before: ({ compress }, now) => now - compress.after * dayMillis,
  gather: (policy, now, { sides }): StagePlanner => {
    const { after, cluster: minSources, likeness } = policy.compress
    /** Row numbers, grouped by kind (store, level, tier and type), then by title or by a MinHash band of the words. */
    const titles = new Map<string, Groups>()
    const similar = new Map<string, Groups>()
    let folding: ReturnType<typeof foldInSteps> | undefined
    let planned: StagePlan | undefined
    // A stale memory must remain visible as stale, and a disputed one as disputed. A credential must not be copied.
    const isFoldable = (row: Row): boolean =>
      row.memory.status === "active" &&
      row.memory.stale === undefined &&
      sides?.has(row.memory.id) !== true &&
      row.memory.type !== "credential" &&
      !isProtected(row.memory, policy.tiers.pin) &&
      ageInDays(lastTouchedAt(row), now) >= after
    const step = (tools: StageTools, rows: ReadonlyArray<Row>): boolean => {
      if (planned !== undefined) return false
      folding ??= foldInSteps({ titles, similar }, policy.compress, tools, rows.filter(isFoldable))
      const next = folding.next()
      if (next.done === true) planned = next.value
      return planned === undefined
    }
    return {
      addRows: (rows) => {
        for (const row of rows) {
          const { memory } = row
          if (!isFoldable(row)) continue
          const kind = `${memory.store} ${levelOf(memory)} ${memory.tier} ${memory.type}`
          if (standaloneTypes.has(memory.type)) {
            // Three decisions may share a title and still differ, so the whole text must be equal.
            push(titles, kind, `=${digestOf(embeddingText(memory).replace(/\s+/gu, " "))}`, memory.born)
            continue
          }
          push(titles, kind, digestOf(comparisonKey(memory.title)), memory.born)
          // A merged memory is compared only by title, because its words come from several memories.
          if (likeness >= 1 || isCompressed(memory)) continue
          for (const band of bandsOf(wordSet(textOf(memory)))) push(similar, kind, band, memory.born)
        }
      },
      neededRows: () => {
        const neededRows = new Set<number>()
        for (const groups of [titles, similar]) {
          const candidates = [...groupsOf(groups, minSources)]
          // One run may not reach all groups, so the first group changes daily.
          const first = candidates.length === 0 ? 0 : Math.floor(now / dayMillis) % candidates.length
          for (const group of [...candidates.slice(first), ...candidates.slice(0, first)]) {
            for (const born of group) neededRows.add(born)
            if (neededRows.size > maxRowsRead) return [...neededRows]
          }
        }
        return [...neededRows]
      },
      planStep: step,
      plan: (tools, rows) => {
        while (step(tools, rows)) {}
        return planned!
      }
    }
  }
}

/** Maximum rows that one run reads in full. */
const maxRowsRead = 2_000
/** Maximum memories in one summary. */
const maxSources = 50
/** Maximum members of a group that are compared with each other. */
const maxCompared = 60

/** Rows that are processed before each pause. */
const rowsPerStep = 200

/** Plans the events; yields after about `rowsPerStep` rows, so that the caller can pause. */
function* foldInSteps(
  { similar, titles }: Readonly<Record<"titles" | "similar", ReadonlyMap<string, Groups>>>,
  policy: MaintenancePolicy["compress"],
  tools: StageTools,
  rows: ReadonlyArray<Row>
): Generator<void, StagePlan> {
  const { cluster: minSources, likeness } = policy
  const byBorn = new Map(rows.map((row) => [row.memory.born, row]))
  const words = new Map<number, ReadonlySet<string>>()
  const merger = makeMerger(policy, tools)
  const rowsOf = (group: ReadonlyArray<number>): ReadonlyArray<Row> =>
    group.flatMap((born) => (merger.taken.has(born) ? [] : (byBorn.get(born) ?? [])))
  let processed = 0
  for (const group of groupsOf(titles, minSources)) {
    const members = rowsOf(group)
    // A member's tier or level may have changed since the group was formed.
    for (const group of Map.groupBy(members, mergeKeyOf).values()) {
      merger.fold(group, `${minSources} or more say the same under one title`)
    }
    processed += members.length
    if (processed < rowsPerStep) continue
    processed = 0
    yield
  }
  for (const group of groupsOf(similar, minSources)) {
    const members = rowsOf(group)
    if (members.length < minSources) continue
    for (const cluster of clustersOf(members, likeness, words)) {
      if (cluster.length >= minSources) merger.fold(cluster, similarReason(minSources, likeness))
    }
    processed += members.length
    if (processed < rowsPerStep) continue
    processed = 0
    yield
  }
  const planned = merger.planned()
  return { ...planned, left: planned.left || rows.length > maxRowsRead }
}

const similarReason = (minSources: number, likeness: number): string =>
  `${minSources} or more have a similarity of ${likeness} or more`

/** Collects the events of merged memories, within the limit of a run. */
const makeMerger = (
  { cluster: minSources, rows: maxRows }: MaintenancePolicy["compress"],
  { countTokens, newId }: StageTools
) => {
  /** Row numbers of the merged memories. */
  const usedRows = new Set<number>()
  const events: Array<DecidedEvent> = []
  const drafts: Array<Draft> = []
  let changedCount = 0
  let left = false
  const fold = (members: ReadonlyArray<Row>, reason: string): void => {
    const ordered = [...members].sort(
      (a, b) => a.memory.createdAt - b.memory.createdAt || a.memory.born - b.memory.born
    )
    // The limit counts the new memory as well.
    const remainingRows = maxRows - changedCount - 1
    if (ordered.length > remainingRows && remainingRows < Math.min(ordered.length, maxRows - 1)) {
      left = true
      return
    }
    const sources = ordered.slice(0, Math.min(remainingRows, maxSources)).map(({ memory }) => memory)
    if (sources.length < minSources) return
    const summary = mergeContents(sources, countTokens)
    if (summary === null) return
    if (sources.length < ordered.length) left = true
    for (const { born } of sources) usedRows.add(born)
    const event = compressEvent(sources, summary, newId(), reason)
    const days = dayFactsOf(summary)
    const request = memoriesRequest("cluster", summary.title, sources, summary.tokens - countTokens(days.join("\n")))
    if (request !== undefined) drafts.push(memoryDraft(events.length, event, request, days))
    events.push(event)
    changedCount += sources.length + 1
  }
  const planned = (): StagePlan => ({
    events,
    counts: { compressed: changedCount - events.length, made: events.length },
    left,
    drafts
  })
  return { fold, planned, taken: usedRows as ReadonlySet<number> }
}

/** Only memories with the same key are merged. */
const mergeKeyOf = ({ memory }: Row): string => `${memory.tier} ${levelOf(memory)}`

const compressEvent = (
  sources: ReadonlyArray<Memory>,
  summary: MergedContent,
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
    source: {
      kind: sources.every(({ source }) => source.kind.startsWith("auto")) ? "auto" : "agent",
      name: "compress"
    },
    store,
    tier,
    ...summary
  }
  return {
    type: "COMPRESS",
    payload: {
      memory,
      sources: sources.map((source) => nextRevision(source, { status: "compressed" })),
      decision: {
        action: "COMPRESS",
        by: { kind: "rule", name: "compress" },
        reason,
        candidates: sources.map(({ id, revision }) => ({ id, revision, score: 1 }))
      }
    }
  }
}

/**
 * Clusters rows of one tier and level by their similarity to the first row of each cluster. `wordsByBorn` caches the
 * words of each row.
 */
const clustersOf = (
  rows: ReadonlyArray<Row>,
  likeness: number,
  wordsByBorn: Map<number, ReadonlySet<string>>
): ReadonlyArray<ReadonlyArray<Row>> => {
  const clusters: Array<{ readonly first: Row; readonly words: ReadonlySet<string>; readonly rows: Array<Row> }> = []
  for (const row of rows.slice(0, maxCompared)) {
    const { born } = row.memory
    const words = wordsByBorn.get(born) ?? wordSet(textOf(row.memory))
    wordsByBorn.set(born, words)
    const cluster = clusters.find(
      ({ first, words: others }) =>
        mergeKeyOf(first) === mergeKeyOf(row) && wordSetSimilarity(words, others) >= likeness
    )
    if (cluster === undefined) clusters.push({ first: row, words, rows: [row] })
    else cluster.rows.push(row)
  }
  return clusters.map(({ rows }) => rows)
}

const isCompressed = ({ lineage = [] }: Memory): boolean => lineage.some(({ reason }) => reason === "compressed")

const textOf = ({ facts, title }: Memory): string => [title, ...facts].join("\n")

const digestOf = (text: string): string => hash("sha256", text, "base64").slice(0, 16)

/**
 * MinHash bands. Texts that share nearly all words nearly always share a band; other texts rarely do. There are three
 * hashes, each the smallest hash of a word under its own seed. A band combines two of them. An accidental match costs
 * only a comparison.
 */
const bandsOf = (words: ReadonlySet<string>): ReadonlyArray<number> => {
  if (words.size < minWords) return []
  const [a = 0, b = 0, c = 0] = seeds.map((seed) => {
    let minValue = Number.POSITIVE_INFINITY
    for (const word of words) minValue = Math.min(minValue, hashOf(word, seed))
    return minValue
  })
  const band = (pair: number, first: number, second: number) =>
    (Math.imul(first, 0x01000193) ^ Math.imul(second, pair)) | 0
  return [band(0x9e3779b1, a, b), band(0x85ebca77, a, c), band(0xc2b2ae3d, b, c)]
}

/** Minimum words of a text for a comparison by words. */
const minWords = 5
const seeds = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b]

/** FNV-1a, 32 bits, with a final mix. */
const hashOf = (word: string, seed: number): number => {
  let value = seed
  for (let index = 0; index < word.length; index++) value = Math.imul(value ^ word.charCodeAt(index), 0x01000193)
  return (value ^ (value >>> 15)) >>> 0
}

/** Row numbers by shared key. Most keys have only one row, which is stored without an array to save memory. */
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

/** The groups with at least `minSize` rows. */
function* groupsOf(kinds: ReadonlyMap<string, Groups>, minSize: number): Generator<ReadonlyArray<number>> {
  for (const groups of kinds.values()) {
    for (const group of groups.values()) if (typeof group !== "number" && group.length >= minSize) yield group
  }
}
