import type { Question } from "../../../../src/ports/Reconciler.js"
import { dayOfInstant } from "../values/days.js"
import { meansOtherDays } from "../values/relation.js"
import { alignmentFeatures, definitionsIn } from "./alignmentFeatures.js"
import type { Bag } from "./bag.js"
import { bagPairFeatures, statementFeaturesOf } from "./bagFeatures.js"
import { claimFeatures } from "./claimFeatures.js"
import { type Features, readingFeatures } from "./clauseFeatures.js"
import { nuanceFeatures } from "./nuances.js"
import { parseStatement } from "./parse.js"
import { comparePhrases, type PhraseHash } from "./phrases.js"
import { measureChangeSimilarity } from "./readStatement.js"
import { senseFeatures } from "./senses.js"

/** A candidate compared with the statement. */
export interface ComparedMemory {
  /** Its features in parts; each feature is in one part only. */
  readonly parts: ReadonlyArray<Features>
  /** All parts merged, on first use. */
  readonly features: Features
  /** The phrases of both texts. */
  readonly phrases: ReadonlyArray<PhraseHash>
  /** True if the statement is older than the candidate. */
  readonly older: boolean
  /** True if the candidate shares too few words with the statement to get features. */
  readonly isTooDistant: boolean
  /** True if the two texts are equal word for word. */
  readonly same: boolean
}

/** Maximum candidates: those that are read, and the close ones that get features. */
const maxCandidates = { read: 20, close: 3 }

/** The weighted overlap of words, 0…1. */
export const measureOverlap = (a: Bag, b: Bag): number => {
  let shared = 0
  for (const { canon, weight } of b.words.values()) if (a.words.has(canon)) shared += weight
  return shared / Math.sqrt((a.weight + 0.5) * (b.weight + 0.5))
}

/**
 * Compares a statement with each candidate. Only the candidates that share the most words with the statement get
 * features. The feature `ahead` is the similarity of a candidate minus that of its best rival.
 */
export const compareWithCandidates = ({ candidates, statement }: Question): ReadonlyArray<ComparedMemory> => {
  const parsedStatement = parseStatement(statement)
  const { bag, reading: statementReading } = parsedStatement
  const parsed = candidates.slice(0, maxCandidates.read).map(parseStatement)
  const bags = parsed.map(({ bag }) => bag)
  const overlaps = bags.map((memory) => measureOverlap(memory, bag))
  const closeCandidates = new Set(
    [...overlaps.keys()].sort((a, b) => overlaps[b]! - overlaps[a]! || a - b).slice(0, maxCandidates.close)
  )
  const rare = new Map<string, number>()
  for (const index of closeCandidates)
    for (const canon of bags[index]!.words.keys()) rare.set(canon, (rare.get(canon) ?? 0) + 1)
  const statementFeatures = statementFeaturesOf(bag)
  const today = dayOfInstant(statement.at)
  const learnt = definitionsIn([bag, ...[...closeCandidates].map((index) => bags[index]!)])
  const news = measureChangeSimilarity(statementReading.words.values())
  return bags.map((memory, index): ComparedMemory => {
    const candidate = candidates[index]!
    const older = statement.at < candidate.at
    const same = memory.stemText === bag.stemText && bag.stemText !== "" && !meansOtherDays(memory.scalars, bag.scalars)
    if (!closeCandidates.has(index)) return { parts: [], features: {}, phrases: [], older, isTooDistant: true, same }
    let bestOtherOverlap = 0.15
    for (const [at, overlap] of overlaps.entries())
      if (at !== index && overlap > bestOtherOverlap) bestOtherOverlap = overlap
    const parts = [
      ...readingFeatures(parsed[index]!.reading, statementReading, news),
      ...bagPairFeatures(memory, bag, { rare, today }),
      alignmentFeatures(memory, bag, learnt),
      nuanceFeatures(memory, bag),
      claimFeatures(parsed[index]!, parsedStatement),
      senseFeatures(memory, bag),
      statementFeatures,
      { ahead: overlaps[index]! - bestOtherOverlap }
    ]
    let features: Features | undefined
    return {
      parts,
      get features() {
        features ??= Object.assign({}, ...parts) as Features
        return features
      },
      phrases: comparePhrases(memory, bag),
      older,
      isTooDistant: false,
      same
    }
  })
}
