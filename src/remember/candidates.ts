import { embeddingText, isKeptAsWritten, isRawToolRun, type Memory } from "../../events/Memory.js"
import { isAtLeast, levelOf, opennessOf, readingLevels } from "../../events/Trust.js"
import { countRows, noRequiredWords, type QueryVector } from "../../projections/hybridSearch.js"
import { type Candidate, findCandidates, memoryCorpus, readMemories } from "../../projections/observationSearch.js"
import type { Db } from "../../projections/Projection.js"
import { findParkedProjections } from "../../projections/view/ViewFile.js"
import { isStopWord } from "../../text/normalise/functionWords.js"
import { ftsExpression } from "../../text/normalise/indexText.js"
import { wordSet, wordSetSimilarity as wordSimilarity } from "../../text/normalise/similarity.js"
import type { WeighedStatement } from "../actor/Advice.js"
import { limits } from "../model/limits.js"
import type { PolicyValues } from "../ports/Policy.js"

/** A memory that a statement may concern, and how similar it is. */
export interface SimilarMemory {
  readonly memory: Memory
  /** Similarity from 0 to 1: the greater of the two `parts`. */
  readonly score: number
  readonly parts: { readonly words: number; readonly meaning: number }
}

export interface CandidatePolicy extends Pick<PolicyValues["reconcile"], "candidates" | "threshold"> {
  readonly commonShare: number
  /** Whether credentials may be candidates. */
  readonly credentials: boolean
}

/**
 * Finds the memories of one store that a statement may concern, most similar first. These are the full-text and vector
 * hits above the threshold, and the best full-text hits above the square of the threshold. The search covers only the
 * statement's store, with the index of the lowest level that can read that store. So neither the candidates nor their
 * scores reveal stricter stores.
 *
 * Memories of lower levels are candidates only if no memory of the statement's level or above is a candidate. So text
 * of a lower level cannot displace the memory that the statement concerns.
 *
 * The score is absolute, so that one threshold fits all statements. It is the greater of the word overlap and the
 * vector similarity. The similarity is scaled so that the embedder's floor becomes 0 and 1 stays 1.
 */
export const findSimilar = (
  db: Db,
  statement: Pick<WeighedStatement, "title" | "narrative" | "facts" | "store" | "level">,
  { now, vector }: { readonly vector: QueryVector | null; readonly now: number },
  { candidates, commonShare, credentials, threshold }: CandidatePolicy
): ReadonlyArray<SimilarMemory> => {
  const level = readingLevels[opennessOf(statement.store)]!
  const parked = new Set(findParkedProjections(db).map(({ projection }) => projection))
  const text = embeddingText(statement)
  const words = parked.has("fulltext") ? [] : wordsOf([statement.title, ...statement.facts].join("\n"))
  const maxRows = Math.max(alwaysRareRows, Math.floor(memoryCorpus.text.count(db, level) * commonShare))
  const rareWords = words.filter((word) => countRows(db, memoryCorpus, level, word, maxRows) <= maxRows)
  const match = (rareWords.length === 0 ? words : rareWords).join(" OR ")
  const query = {
    match: match === "" ? null : match,
    ...noRequiredWords,
    level,
    now,
    vector: parked.has("vectors") ? null : vector,
    pool: candidates
  }
  const stores = [statement.store]
  const statementWords = wordSet(text)
  const read = (hits: ReadonlyArray<Candidate>) => {
    const byBorn = readMemories(
      db,
      hits.map(({ born }) => born)
    )
    const similar = similarTo(statementWords, hits, byBorn, { candidates, credentials, threshold, vector })
    return { memories: [...byBorn.values()], similar }
  }
  const all = read(findCandidates(db, { ...query, filters: { stores }, openness: opennessOf(statement.store) }))
  const { level: writer } = statement
  // If no hit has a lower level, a search without lower levels finds the same hits.
  if (writer === undefined || all.memories.every((memory) => isAtLeast(levelOf(memory), writer))) return all.similar
  const peers = read(findCandidates(db, { ...query, filters: { stores, writers: writer } }))
  return peers.similar.length > 0 ? peers.similar : all.similar
}

/** The hits above the threshold, and those that share the rarest words, most similar first. */
const similarTo = (
  statementWords: ReadonlySet<string>,
  hits: ReadonlyArray<Candidate>,
  byBorn: ReadonlyMap<number, Memory>,
  {
    candidates,
    credentials,
    threshold,
    vector
  }: Omit<CandidatePolicy, "commonShare"> & { readonly vector: QueryVector | null }
): ReadonlyArray<SimilarMemory> => {
  const floor = vector?.floor ?? 0
  const scored = hits.flatMap(({ born, similarity, text }) => {
    const memory = byBorn.get(born)
    if (memory === undefined || (memory.type === "credential" && !credentials)) return []
    // A note states several things. Replacing it for one of them would lose the others.
    if (isNote(memory) || isKeptAsWritten(memory.id) || isRawToolRun(memory)) return []
    const parts = {
      words: rounded(wordSimilarity(statementWords, wordSet(embeddingText(memory)))),
      meaning: similarity === null ? 0 : rounded(Math.max(0, (similarity - floor) / (1 - floor)))
    }
    return [{ text, similar: { memory, score: Math.max(parts.words, parts.meaning), parts } }]
  })
  const byRareWords = scored
    .filter(({ similar, text }) => text !== null && similar.score > threshold * threshold)
    .sort((a, b) => b.text! - a.text! || b.similar.memory.born - a.similar.memory.born)
    .slice(0, Math.min(maxByRareWords, candidates))
  const others = scored
    .filter((hit) => hit.similar.score > threshold && !byRareWords.includes(hit))
    .sort(byScore)
    .slice(0, candidates - byRareWords.length)
  return [...byRareWords, ...others].sort(byScore).map(({ similar }) => similar)
}

/**
 * Maximum candidates from the best full-text hits. Two long texts about one rare name share few of their words, so
 * these candidates only need a score above the square of the threshold.
 */
const maxByRareWords = 3

const byScore = (a: { readonly similar: SimilarMemory }, b: { readonly similar: SimilarMemory }): number =>
  b.similar.score - a.similar.score || b.similar.memory.born - a.similar.memory.born

/** Rounds a score to four decimal places, because events store scores. */
const rounded = (score: number): number => Math.round(score * 10_000) / 10_000

/** Maximum words to search for. Each costs a query, and the first words name the topic. */
const maxWords = 12
/** A word in this many rows or fewer counts as rare, even if its share of the rows is large. */
const alwaysRareRows = 200

/** The first distinct words of a text that are not stop words, as FTS5 expressions. */
const wordsOf = (text: string): ReadonlyArray<string> => {
  const words = new Map<string, string>()
  for (const [word] of text.slice(0, limits.queryBytes).matchAll(/\S+/gu)) {
    const fts = ftsExpression(word)
    const key = word.toLowerCase()
    if (fts === null || words.has(key) || isStopWord(word)) continue
    words.set(key, fts)
    if (words.size === maxWords) break
  }
  return [...words.values()]
}

/** Whether maintenance made a memory by joining several others. */
export const isNote = ({ lineage = [], source }: Memory): boolean =>
  noteSources.has(source.name ?? "") && lineage.some(({ reason }) => reason === "compressed")

const noteSources: ReadonlySet<string> = new Set(["daily", "weekly", "compress"])
