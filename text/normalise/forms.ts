/**
 * Other ways to write what stands in a text, each a few words: what people look
 * for when they do not write it as it was written. Of a text they are indexed
 * beside it, of a word of a query they are its alternatives, so that two ways
 * of writing the same meet in either direction.
 *
 * `parseHTTPResponse` gives "parse HTTP Response", `v2.10.3` "2 10 3", `5km`
 * "5 km", `rate-limit` and `rate_limit` "ratelimit", `$1,250.50` "1250.50",
 * telephone numbers their last eight digits, `#1234`, `@mira`, `.env`, `C++`
 * and `C#` a word that holds the sign, `Müller` "Mueller", and `בירושלים` the
 * word without its first letter.
 */
export const formsOf = (text: string): ReadonlyArray<string> => {
  const forms = new Set<string>()
  find(text, (_, form) => forms.add(form))
  return [...forms]
}

/** Those forms that stand for all of a word: not for its domain or its file's name alone. */
export const formsOfWord = (word: string): ReadonlyArray<string> => {
  const whole = word.replace(signs, "")
  const forms = new Set<string>()
  find(word, (found, form) => found.replace(signs, "") === whole && forms.add(form))
  return [...forms]
}

/** Whether it looks like (the beginning of) a hash: hexadecimal, digits and letters, seven characters or more. */
export const isHash = (word: string): boolean => word.length >= 7 && hash.test(word)

/** A telephone number, with what stands between its digits. */
export const telephone =
  /(?<![\p{L}\p{N}+]|[\p{L}\p{N}]-)(?:(?:\+|\(\+?|0)[\d(](?:[ ()/.-]{0,3}\d){6,17}|\d{3}[-. ]\d{3}[-. ]\d{4}|\d{10,15})(?![\p{L}\p{N}])/gu

/** Whether a word is the name of a language that is all in its sign: without it there is but a letter. */
export const isSignedName = (word: string): boolean => /^\p{L}(?:\+\+|#)$/u.test(word)

/** Tells what has another form, and the form. */
const find = (text: string, tell: (found: string, form: string) => void) => {
  for (const { 0: compound, index } of text.matchAll(compounds)) {
    if (turning.test(compound)) {
      const apart = partsOf(compound)
      if (apart !== null) {
        tell(compound, apart)
        // iPhone and OAuth are one word where more follows them: iPhoneBackup, OAuth2.
        const named = apart.replace(initial, "$1")
        if (named !== apart && named.includes(" ")) tell(compound, named)
      }
    }
    if (hyphen.test(compound)) {
      for (const chain of compound.split(beyondChain))
        if (hyphen.test(chain) && (chain === compound || !digit.test(chain))) join(chain, tell)
    } else if (dotted.test(compound) && !inAddress.test(text[index - 1] ?? "")) join(compound, tell)
  }
  for (const [number] of text.matchAll(grouped)) tell(number, number.replace(/[,'’ ](?=\d{3})/gu, ""))
  for (const [number] of text.matchAll(groupedByDots)) tell(number, number.replaceAll(".", ""))
  for (const [number] of text.matchAll(telephone)) {
    const digits = number.replace(/\D/gu, "")
    if (digits.length >= 8 && digits.length <= 15) tell(number, `tel${digits.slice(-8)}`)
  }
  for (const [found, sign, name] of text.matchAll(signed)) tell(found, before[sign!] + name!.replace(signs, ""))
  for (const [found, name, sign] of text.matchAll(languages)) tell(found, name! + behind[sign!])
  if (!beyondAscii.test(text)) return
  for (const [word] of text.matchAll(umlauted))
    tell(
      word,
      word.replace(/[äöüÄÖÜ]/gu, (letter) => umlauts[letter]!)
    )
  for (const [word] of text.matchAll(hebrew)) tell(word, word.slice(1))
}

/** The parts of a compound where letters turn to digits or to capitals; null where nothing comes apart. */
const partsOf = (compound: string): string | null => {
  if (compound.length > longestCompound || uuid.test(compound)) return null
  const runs = compound.split(between)
  const parts = runs.flatMap((run) => {
    if (isHash(run) || plural.test(run)) return [run]
    if (runs.length > 1 && /^v\d+$/iu.test(run)) return [run.slice(1)]
    const pieces = run.match(pieceOf) ?? []
    return pieces.length > mostPieces ? [run] : pieces
  })
  const apart = parts.join(" ")
  return apart === runs.join(" ") ? null : apart
}
/** Characters and pieces beyond which nobody wrote it by hand. */
const longestCompound = 100
const mostPieces = 12

/** A chain of words written as one, unless that would be long, or a number that means something else. */
const join = (chain: string, tell: (found: string, form: string) => void) => {
  const joined = chain.replace(signs, "")
  if (joined.length <= longestJoined && (joined.length >= 7 || !/^\p{N}+$/u.test(joined))) tell(chain, joined)
}
/** Characters: those of a UUID, and of most names. */
const longestJoined = 40

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
const beyondAscii = /[^\x00-\x7f]/

const signs = /[^\p{L}\p{N}\p{M}]+/gu
const part = "[\\p{L}\\p{N}][\\p{L}\\p{N}\\p{M}]*"
const between = /[-_.‐‑:]/u
const compounds = new RegExp(`${part}(?:(?:[-_.‐‑]|(?<=\\d):(?=\\d))${part})*`, "gu")
const hyphen = /[-_‐‑]/u
const digit = /\p{N}/u
/** What is between the parts of a compound and is no hyphen. */
const beyondChain = /[.:]/u
/** Initials, or a name with a short ending: U.S.A., node.js. */
const dotted = /^(?:\p{L}(?:\.\p{L})+|\p{L}+\.\p{L}{1,3})$/u

const inAddress = /[@/\\]/u

const turning = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}\p{Ll}|[\p{L}\p{M}]\p{N}|\p{N}\p{L}|[a-zA-Z][가-힣]/u
const pieceOf = /[가-힣]+|\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}\p{N}가-힣]+|\p{N}+/gu
const initial = /^(\p{L}) (?=\p{Lu}\p{Ll})/u
const plural = /^\p{Lu}{2,}s$/u
const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/iu
const hash = /^(?=\d*[a-f])(?=[a-f]*\d)[\da-f]+$/iu

/** Groups of three digits, as many as a number may have: a row of any length would be read again from each of them. */
const grouped = /(?<![\p{L}\p{N}.,+])\d{1,3}(?:[,'’ ]\d{3}){1,8}(?:\.\d+)?(?![\p{L}\p{N}]| \d)/gu
const groupedByDots = /(?<![\p{L}\p{N}.,])\d{1,3}(?:\.\d{3})+,\d+(?![\p{L}\p{N}])/gu

const signed = /(?<![\p{L}\p{N}#@.&])([#@.])(\p{L}[\p{L}\p{N}\p{M}_]*|(?<=#)\d+)/gu
const before: Readonly<Record<string, string>> = { "#": "hashtag", "@": "mention", ".": "dot" }
const languages = /(?<![\p{L}\p{N}])(\p{L}{1,9})(\+\+|#)(?![#+])/gu
const behind: Readonly<Record<string, string>> = { "#": "sharp", "++": "plusplus" }

const umlauted = /(?<![\p{L}\p{M}])[\p{L}\p{M}]*[äöüÄÖÜ][\p{L}\p{M}]*/gu
const umlauts: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", Ä: "Ae", Ö: "Oe", Ü: "Ue" }
/** The, in, to, from, and, as, that: written together with the word that follows. */
const hebrew = /(?<!\p{L})[הבלמוכש][א-ת]{3,}/gu
