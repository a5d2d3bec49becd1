/** The sentences of a text, without the space around them; lines end sentences. */
export const sentencesOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/\n+|(?<=[.!?…]["'”’)\]]?)\s+|(?<=[。！？])/u)
    .map((one) => one.trim())
    .filter((one) => one !== "")

/** What a text says that cannot be told from the rest: numbers, dates, and words that are written as names. */
export const tellingWords = (text: string): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const [word] of text.matchAll(/\p{N}[\p{N}.,:/-]*|[\p{L}\p{M}][\p{L}\p{M}\p{N}_'’-]*/gu)) {
    const bare = word.replace(/[.,:/'’-]+$/u, "")
    if (/\p{N}/u.test(bare) || /^\p{Lu}/u.test(bare) || /\p{Ll}\p{Lu}/u.test(bare)) found.add(bare)
  }
  return found
}

/**
 * At most so many characters of a text: its first sentence, and of the others those that say the most numbers, dates
 * and names for their length, all in their order. What is short enough stays as it is.
 */
export const shortened = (text: string, most: number): string => {
  if (text.length <= most) return text
  const sentences = sentencesOf(text)
  const worth = sentences.map((one, at) => (at === 0 ? Number.POSITIVE_INFINITY : tellingWords(one).size / one.length))
  const order = sentences.map((_, at) => at).sort((a, b) => worth[b]! - worth[a]! || a - b)
  const kept = new Set<number>()
  let length = 0
  for (const at of order) {
    const more = sentences[at]!.length + (kept.size === 0 ? 0 : 1)
    if (length + more > most) continue
    kept.add(at)
    length += more
  }
  if (kept.size === 0) return cut(sentences[0] ?? text, most)
  return sentences.filter((_, at) => kept.has(at)).join(" ")
}

/** A sentence that is too long, up to the end of a word. */
const cut = (sentence: string, most: number): string => {
  const start = sentence.slice(0, most - 1).replace(/\p{Surrogate}$/u, "")
  return `${start.replace(/\s+\S*$/u, "") || start}…`
}
