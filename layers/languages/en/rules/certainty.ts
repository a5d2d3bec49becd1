import type { Statement } from "../../../../src/ports/Reconciler.js"
import type { Features } from "./clauseFeatures.js"

/**
 * The share of right contradictions for each minimum likelihood, highest first. Measured on writers who were left out of the
 * training, on statements without cautious words: docs/decisions.md has the table.
 */
const shares: ReadonlyArray<readonly [likelihood: number, right: number]> = [
  [0.95, 0.99],
  [0.9, 0.985],
  [0.85, 0.93],
  [0.75, 0.84],
  [0, 0.75]
]

/** The most that a contradiction gets where the statement has cautious words, or may be about another subject. */
const cautious = 0.9
/** Share of the memory's words from which a statement without its subject is still taken to be about it. */
const minKept = 0.75

/**
 * Words of statements that often leave the older memory true: an exception for a time, the past, hearsay and plans, a
 * confirmation, one more beside it, another environment.
 */
const cautiousWords = [
  "today|tonight|tomorrow|temporar\\w*|for now|until|till|while|during|meanwhile|except\\w*|once|one-off|skipp\\w*|missed",
  "this (?:week\\w*|month|morning|afternoon|evening|time)|(?:for|over|at) (?:the|this|a|one|two|three) (?:day|night|week\\w*|month|moment|time being|holiday)s?|weekend",
  "in (?:19|20)\\d\\d|back then|used to|previous\\w*|former\\w*|earlier|before|originally|years ago|last (?:year|month|week)|at first|ex|first (?:wife|husband|marriage|job)",
  "rumou?r\\w*|accord\\w*|claim\\w*|joking\\w*|allegedly|apparently|supposed\\w*|suspect\\w*|seem\\w*|perhaps|maybe|might|may|could|would|should|th(?:ink|inks|ought)|guess\\w*|believ\\w*|heard|say|says|said|told|probably|likely",
  "plan\\w*|propos\\w*|suggest\\w*|consider\\w*|discuss\\w*|hop(?:e|es|ed|ing)|wish\\w*|want\\w*|if|unless|whether",
  "again|still|as ever|confirm\\w*|check\\w*|verified|measured|indeed|correct|right|same|remain\\w*|unchanged|keeps?|stays?|continu\\w*",
  "another|others?|else|also|too|as well|additional\\w*|besides|second|extra|both|either|each|some|sometimes|mostly|usually|often|almost|nearly|about|around|roughly|only|limited to",
  "dev|develop\\w*|staging|test\\w*|sandbox|local\\w*|prod\\w*|preview|qa|ci"
].join("|")
const caution = new RegExp(`(?<![\\p{L}\\p{N}])(?:${cautiousWords})(?![\\p{L}\\p{N}])|\\.{3}|…|!`, "giu")

type Text = Pick<Statement, "title" | "narrative" | "facts">

/** How likely it is that a statement makes a memory untrue, 0…1, from the likelihood that the trees give. */
export const contradictionConfidence = (
  likelihood: number,
  features: Features,
  statement: Text,
  memory: Text
): number => {
  const right = shares.find(([least]) => likelihood >= least)?.[1] ?? 0
  const known = new Set(cautionsIn(memory))
  const isElsewhere = features["subject missing"]! > 0 && features.kept! < minKept
  return isElsewhere || cautionsIn(statement).some((word) => !known.has(word)) ? Math.min(right, cautious) : right
}

const cautionsIn = ({ facts, narrative = "", title }: Text): ReadonlyArray<string> =>
  [...[title, narrative, ...facts].join("\n").matchAll(caution)].map(([word]) => word.toLowerCase())
