/** English words without content, by class. All stop-word lists are combinations of these classes. */
export const functionWords = {
  articles: "a an the",
  demonstratives: "this that these those",
  /** Pronouns and possessives, by person: the speaker, the speaker's group, the listener, other persons, things. */
  speaker: "i me my myself",
  group: "we us our ours ourselves",
  listener: "you your yours yourself yourselves",
  persons: "he him his she her hers they them their theirs",
  things: "it its",
  reflexives: "himself herself itself themselves",
  presentBe: "be am is are",
  pastBe: "was were",
  participles: "been being having doing",
  have: "have has do does",
  had: "had did",
  modals: "can could will would shall should may might must cannot",
  negations: "no not nor",
  conjunctions: "and or but so as than if because while",
  questionWords: "what which who whom whose when where why how",
  quantifiers: "all any both each few more most other some such same only own",
  adverbs: "again further here there then once just too very",
  prepositions: `about above after against at before below between by down during for from in into of off on out over
    through to under until up with`
} as const

/** The set of all words in some lists. Spaces separate the words of a list. */
export const setOf = (...lists: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(lists.flatMap((list) => list.trim().split(/\s+/u)))

/** Contractions that no other word resembles. "Will's" is missing: it does not mean "will is". */
const contractions = "can't won't let's he's she's it's that's there's what's when's where's who's how's"
/** "May" has search value, because it is also a month. */
const stopWords = new Set([...setOf(...Object.values(functionWords), contractions)].filter((word) => word !== "may"))

/** Whether a query word has no search value. A query drops such words if other words remain. */
export const isStopWord = (word: string): boolean => {
  const bare = word
    .toLowerCase()
    .replaceAll("’", "'")
    .replace(/^\W+|[^\p{L}\p{N}]+$/gu, "")
  return stopWords.has(bare) || (bare.includes("'") && stopWords.has(bare.replace(/(?:n't|'(?:re|m|ve|d|ll))$/u, "")))
}
