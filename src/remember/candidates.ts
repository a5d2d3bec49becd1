import { embeddingText, type Memory } from "../../events/Memory.js"
import { opennessOf, readingLevels } from "../../events/Trust.js"
import { countRows, nothingRequired, type QueryVector } from "../../projections/hits.js"
import type { Db } from "../../projections/Projection.js"
import { findCandidates, memories, memoriesAt } from "../../projections/search.js"
import { parkedOf } from "../../projections/view/ViewFile.js"
import { overlap, wordSet } from "../../text/normalise/likeness.js"
import { isStopWord } from "../../text/normalise/stopWords.js"
import { expression } from "../../text/normalise/text.js"
import type { Weighed } from "../actor/Told.js"
import { limits } from "../model/limits.js"
import type { PolicyValues } from "../ports/Policy.js"

/** A memory that a statement may concern, and how like it is. */
export interface Likely {
  readonly memory: Memory
  /** 0…1: the greater of the parts. */
  readonly score: number
  readonly parts: { readonly words: number; readonly meaning: number }
}

export interface CandidatePolicy extends Pick<PolicyValues["reconcile"], "candidates" | "threshold"> {
  readonly commonShare: number
  /** Whether memories that let somebody in are weighed too. */
  readonly credentials: boolean
}

/**
 * The memories of one store that a statement may concern, the likest first:
 * what full text and vectors find, above the threshold. Of the store alone, by
 * the index of the lowest level that reads it: neither what comes up nor its
 * score can tell of anything that is less open.
 *
 * The score is absolute, so that a threshold means something: the overlap of
 * words, or how far the vectors' similarity lies between the embedder's floor
 * and 1, whichever is greater.
 */
export const findLikely = (
  db: Db,
  statement: Pick<Weighed, "title" | "narrative" | "facts" | "store">,
  vector: QueryVector | null,
  now: number,
  { candidates, commonShare, credentials, threshold }: CandidatePolicy
): ReadonlyArray<Likely> => {
  const level = readingLevels[opennessOf(statement.store)]!
  const parked = new Set(parkedOf(db).map(({ projection }) => projection))
  const text = embeddingText(statement)
  const words = parked.has("fulltext") ? [] : wordsOf([statement.title, ...statement.facts].join("\n"))
  const most = Math.max(always, Math.floor(memories.text.count(db, level) * commonShare))
  const rare = words.filter((word) => countRows(db, memories, level, word, most) <= most)
  const match = (rare.length === 0 ? words : rare).join(" OR ")
  const found = findCandidates(db, {
    match: match === "" ? null : match,
    ...nothingRequired,
    level,
    filters: { stores: [statement.store] },
    openness: opennessOf(statement.store),
    now,
    vector: parked.has("vectors") ? null : vector,
    pool: candidates
  })
  const whole = memoriesAt(
    db,
    found.map(({ born }) => born)
  )
  const own = wordSet(text)
  return found
    .flatMap(({ born, similarity }): ReadonlyArray<Likely> => {
      const memory = whole.get(born)
      if (memory === undefined || (memory.type === "credential" && !credentials)) return []
      // What takes the place of one thing that a note says must not take the others along.
      if (isNote(memory)) return []
      const floor = vector?.floor ?? 0
      const parts = {
        words: rounded(overlap(own, wordSet(embeddingText(memory)))),
        meaning: similarity === null ? 0 : rounded(Math.max(0, (similarity - floor) / (1 - floor)))
      }
      const score = Math.max(parts.words, parts.meaning)
      return score > threshold ? [{ memory, score, parts }] : []
    })
    .sort((a, b) => b.score - a.score || b.memory.born - a.memory.born)
    .slice(0, candidates)
}

/** Scores are kept on events: four digits are more than they are worth. */
const rounded = (score: number): number => Math.round(score * 10_000) / 10_000

/** Words that are looked for: each further one costs, and the first ones say what it is about. */
const mostWords = 12
/** Words in so many rows are looked for whatever share of all that is. */
const always = 200

/** The first different words of a text that say something, as FTS5 expressions. */
const wordsOf = (text: string): ReadonlyArray<string> => {
  const words = new Map<string, string>()
  for (const [word] of text.slice(0, limits.queryBytes).matchAll(/\S+/gu)) {
    const found = expression(word)
    const key = word.toLowerCase()
    if (found === null || words.has(key) || isStopWord(word)) continue
    words.set(key, found)
    if (words.size === mostWords) break
  }
  return [...words.values()]
}

/** Whether a memory says several things that stand together only because maintenance put them together. */
export const isNote = ({ lineage = [], source }: Memory): boolean =>
  makers.has(source.name ?? "") && lineage.some(({ reason }) => reason === "compressed")

const makers: ReadonlySet<string> = new Set(["daily", "weekly", "compress"])
