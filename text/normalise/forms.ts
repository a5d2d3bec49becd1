import { lazy } from "./lazy.js"
/**
 * Other written forms of identifiers, numbers and names in a text, because users may type those instead. The index
 * stores them after the text, and a query uses them as alternatives, so that two spellings match in both directions.
 *
 * `parseHTTPResponse` becomes "parse HTTP Response", `v2.10.3` "2 10 3", `5km` "5 km", `rate-limit` and `rate_limit`
 * "ratelimit", `$1,250.50` "1250.50". Telephone numbers become their last eight digits. `#1234`, `@mira`, `.env`, `C++`
 * and `C#` become a word that contains the sign. `Müller` becomes "Mueller", and `בירושלים` loses its first letter.
 */
export const formsOf = (text: string): ReadonlyArray<string> => {
  const forms = new Set<string>()
  forEachForm(text, (_, form) => forms.add(form))
  return [...forms]
}

/** Other forms of the whole word, without forms of its parts such as a domain or a file name. */
export const formsOfWord = (word: string): ReadonlyArray<string> => {
  const joined = word.replace(signs(), "")
  const forms = new Set<string>()
  forEachForm(word, (source, form) => source.replace(signs(), "") === joined && forms.add(form))
  return [...forms]
}

/** Whether a word looks like a hash or its start: hexadecimal in one case, digits and letters, 7 or more characters. */
export const isHash = (word: string): boolean => word.length >= 7 && hash.test(word)

/** A telephone number with its separators. */
export const telephonePattern = lazy(
  () =>
    /(?<![\p{L}\p{N}+]|[\p{L}\p{N}]-)(?:(?:\+|\(\+?|0)[\d(](?:[ ()/.-]{0,3}\d){6,17}|\d{3}[-. ]\d{3}[-. ]\d{4}|\d{10,15})(?![\p{L}\p{N}])/gu
)

/**
 * Whether a word is a language name of one letter and a sign: C++, C#. Without the sign, only a letter would remain.
 */
export const isSignedName = (word: string): boolean => /^\p{L}(?:\+\+|#)$/u.test(word)

/** Calls `emit` with each source text and its other form. */
const forEachForm = (text: string, emit: (source: string, form: string) => void) => {
  for (const { 0: compound, index } of text.matchAll(compounds())) {
    if (caseOrDigitChange().test(compound)) {
      const spaced = partsOf(compound)
      if (spaced !== null) {
        emit(compound, spaced)
        // iPhone and OAuth stay one word if more parts follow: iPhoneBackup, OAuth2.
        const withName = spaced.replace(initial(), "$1")
        if (withName !== spaced && withName.includes(" ")) emit(compound, withName)
      }
    }
    if (hyphen.test(compound)) {
      for (const chain of compound.split(chainSeparators))
        if (hyphen.test(chain) && (chain === compound || !digit().test(chain))) emitJoined(chain, emit)
    } else if (dotted().test(compound) && !inAddress.test(text[index - 1] ?? "")) emitJoined(compound, emit)
  }
  for (const [number] of text.matchAll(grouped())) emit(number, number.replace(/[,'’ ](?=\d{3})/gu, ""))
  for (const [number] of text.matchAll(groupedByDots())) emit(number, number.replaceAll(".", ""))
  for (const [number] of text.matchAll(telephonePattern())) {
    const digits = number.replace(/\D/gu, "")
    if (digits.length >= 8 && digits.length <= 15) emit(number, `tel${digits.slice(-8)}`)
  }
  for (const [source, sign, name] of text.matchAll(signed()))
    emit(source, signPrefixes[sign!] + name!.replace(signs(), ""))
  for (const [source, name, sign] of text.matchAll(languages())) emit(source, name! + signSuffixes[sign!])
  if (!beyondAscii.test(text)) return
  for (const [word] of text.matchAll(umlauted()))
    emit(
      word,
      word.replace(/[äöüÄÖÜ]/gu, (letter) => umlauts[letter]!)
    )
  for (const [word] of text.matchAll(hebrew())) emit(word, word.slice(1))
}

/** The parts of a compound, split where letters change to digits or to capitals; null if it has one part. */
const partsOf = (compound: string): string | null => {
  if (compound.length > maxCompoundLength || uuid.test(compound)) return null
  const runs = compound.split(separators)
  const parts = runs.flatMap((run) => {
    if (isHash(run) || plural().test(run)) return [run]
    if (runs.length > 1 && /^v\d+$/iu.test(run)) return [run.slice(1)]
    const pieces = run.match(pieceOf()) ?? []
    return pieces.length > maxPieces ? [run] : pieces
  })
  const spaced = parts.join(" ")
  return spaced === runs.join(" ") ? null : spaced
}
/** Limits of a compound in characters and parts. Nobody types longer ones. */
const maxCompoundLength = 100
const maxPieces = 12

/** Emits a chain of words as one word, unless it is too long or looks like a number. */
const emitJoined = (chain: string, emit: (source: string, form: string) => void) => {
  const joined = chain.replace(signs(), "")
  if (joined.length <= maxJoinedLength && (joined.length >= 7 || !/^\p{N}+$/u.test(joined))) emit(chain, joined)
}
/** Maximum length of a joined chain, in characters: enough for a UUID and most names. */
const maxJoinedLength = 40

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
const beyondAscii = /[^\x00-\x7f]/

const signs = lazy(() => /[^\p{L}\p{N}\p{M}]+/gu)
const part = "[\\p{L}\\p{N}][\\p{L}\\p{N}\\p{M}]*"
const separators = /[-_.‐‑:]/u
const compounds = lazy(() => new RegExp(`${part}(?:(?:[-_.‐‑]|(?<=\\d):(?=\\d))${part})*`, "gu"))
const hyphen = /[-_‐‑]/u
const digit = lazy(() => /\p{N}/u)
/** Separators between parts, except hyphens. */
const chainSeparators = /[.:]/u
/** Matches initials, or a name with a short ending: U.S.A., node.js. */
const dotted = lazy(() => /^(?:\p{L}(?:\.\p{L})+|\p{L}+\.\p{L}{1,3})$/u)

const inAddress = /[@/\\]/u

const caseOrDigitChange = lazy(
  () => /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}\p{Ll}|[\p{L}\p{M}]\p{N}|\p{N}\p{L}|[a-zA-Z][가-힣]/u
)
const pieceOf = lazy(() => /[가-힣]+|\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}\p{N}가-힣]+|\p{N}+/gu)
const initial = lazy(() => /^(\p{L}) (?=\p{Lu}\p{Ll})/u)
const plural = lazy(() => /^\p{Lu}{2,}s$/u)
const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/iu
const hash = /^(?=.*\d)(?:\d*[a-f][\da-f]*|\d*[A-F][\dA-F]*)$/u

/**
 * Matches groups of three digits. The maximum number of groups keeps the search linear. Without it, a long row of
 * groups would be read again from each group.
 */
const grouped = lazy(() => /(?<![\p{L}\p{N}.,+])\d{1,3}(?:[,'’ ]\d{3}){1,8}(?:\.\d+)?(?![\p{L}\p{N}]| \d)/gu)
const groupedByDots = lazy(() => /(?<![\p{L}\p{N}.,])\d{1,3}(?:\.\d{3})+,\d+(?![\p{L}\p{N}])/gu)

const signed = lazy(() => /(?<![\p{L}\p{N}#@.&])([#@.])(\p{L}[\p{L}\p{N}\p{M}_]*|(?<=#)\d+)/gu)
const signPrefixes: Readonly<Record<string, string>> = { "#": "hashtag", "@": "mention", ".": "dot" }
const languages = lazy(() => /(?<![\p{L}\p{N}])(\p{L}{1,9})(\+\+|#)(?![#+])/gu)
const signSuffixes: Readonly<Record<string, string>> = { "#": "sharp", "++": "plusplus" }

const umlauted = lazy(() => /(?<![\p{L}\p{M}])[\p{L}\p{M}]*[äöüÄÖÜ][\p{L}\p{M}]*/gu)
const umlauts: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", Ä: "Ae", Ö: "Oe", Ü: "Ue" }
/** Hebrew prefixes that are attached to the following word: the, in, to, from, and, as, that. */
const hebrew = lazy(() => /(?<!\p{L})[הבלמוכש][א-ת]{3,}/gu)
