/**
 * English words without search value: articles, pronouns, prepositions, auxiliaries, question words. A query drops them
 * as long as other words remain.
 */
const stopWords = new Set(
  `a about above after again against all am an and any are aren't as at be because been before being below between both
  but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from further
  had hadn't has hasn't have haven't having he her here hers herself him himself his how i i'd i'll i'm i've if in into
  is isn't it it's its itself just let's me more most my myself no nor not of off on once only or other our ours
  ourselves out over own same she should shouldn't so some such than that that's the their theirs them themselves then
  there these they this those through to too under until up us very was wasn't we were weren't what what's when where
  which while who who's whom whose why will with won't would wouldn't you your yours yourself yourselves`.split(/\s+/)
)

/** Whether a word, as typed in a query, is a stop word. */
export const isStopWord = (word: string): boolean =>
  stopWords.has(
    word
      .toLowerCase()
      .replaceAll("’", "'")
      .replace(/^\W+|[^\p{L}\p{N}]+$/gu, "")
  )

/**
 * Ranges of a query that only introduce the request: "show me everything about", "do you know of". From the first
 * character to the one after the last.
 */
export const requestPhrasesOf = (text: string): ReadonlyArray<readonly [from: number, to: number]> =>
  [...text.matchAll(frames)].map(({ 0: { length }, index }) => [index, index + length])

const frames = new RegExp(
  [
    "^\\s*(?:please\\s+)?(?:(?:can|could|will|would)\\s+you\\s+)?(?:please\\s+)?" +
      "(?:(?:show|tell|give|remind|find|get)\\s+(?:me|us)|search\\s+for|look\\s+(?:for|up)|(?:list|show)\\s+(?:all|every))(?=\\s)",
    "\\b(?:everything|anything|something|all)\\s+(?:about|on|of)(?=\\s)",
    "\\b(?:do|did)\\s+(?:you|we|i)\\s+(?:know|remember|recall)(?=\\s+(?:about|of|from)\\s)"
  ].join("|"),
  "giu"
)
