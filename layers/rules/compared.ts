import type { Question } from "../../src/Reconciler.js"
import { type Features, ofStructure } from "./features.js"
import type { Flat } from "./flat.js"
import type { Lexicon } from "./lexicon.js"
import { ofNuances } from "./nuances.js"
import { type Phrase, phrasesOf } from "./phrases.js"
import { taking } from "./statements.js"
import { newsOf } from "./units.js"
import { ofStatement, ofWhole } from "./whole.js"

/** A candidate, held against the statement. */
export interface Compared {
  /** What is told of it, in parts; no figure is in two of them. */
  readonly parts: ReadonlyArray<Features>
  /** All parts in one, made when it is asked for. */
  readonly features: Features
  /** Runs of words of the two, by what they are. */
  readonly phrases: ReadonlyArray<Phrase>
  /** Whether the statement was said before it. */
  readonly older: boolean
  /** Whether it has too little in common with the statement to be looked at. */
  readonly apart: boolean
  /** Whether they say the same, word for word. */
  readonly same: boolean
}

/** Candidates that are read at all, and those that are looked at closely. */
const most = { read: 20, close: 3 }

/** How much of the two is the same, by words: 0…1. */
const overlapOf = (a: Flat, b: Flat): number => {
  let shared = 0
  for (const { canon, weight } of b.words.values()) if (a.words.has(canon)) shared += weight
  return shared / Math.sqrt((a.weight + 0.5) * (b.weight + 0.5))
}

/**
 * Holds a statement against each candidate, and tells how far each is ahead of
 * the others. Only those that have most in common with it are looked at closely.
 */
export const comparedOf = ({ candidates, statement }: Question, lexicon: Lexicon): ReadonlyArray<Compared> => {
  const take = taking(lexicon)
  const { flat, reading: stated } = take(statement)
  const taken = candidates.slice(0, most.read).map(take)
  const flats = taken.map(({ flat }) => flat)
  const rare = new Map<string, number>()
  for (const { words } of flats) for (const canon of words.keys()) rare.set(canon, (rare.get(canon) ?? 0) + 1)
  const overlaps = flats.map((memory) => overlapOf(memory, flat))
  const close = new Set([...overlaps.keys()].sort((a, b) => overlaps[b]! - overlaps[a]! || a - b).slice(0, most.close))
  const ofStated = ofStatement(flat)
  const news = newsOf(stated.words.values())
  return flats.map((memory, place): Compared => {
    const candidate = candidates[place]!
    const older = statement.at < candidate.at
    const same = memory.said === flat.said && flat.said !== ""
    if (!close.has(place)) return { parts: [], features: {}, phrases: [], older, apart: true, same }
    let others = 0.15
    for (const [at, overlap] of overlaps.entries()) if (at !== place && overlap > others) others = overlap
    const parts = [
      ...ofStructure(taken[place]!.reading, stated, news, lexicon),
      ...ofWhole(memory, flat, rare),
      ofNuances(memory, flat),
      ofStated,
      { ahead: overlaps[place]! - others }
    ]
    let features: Features | undefined
    return {
      parts,
      get features() {
        features ??= Object.assign({}, ...parts) as Features
        return features
      },
      phrases: phrasesOf(memory, flat),
      older,
      apart: false,
      same
    }
  })
}
