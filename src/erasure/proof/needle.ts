import { patternOf } from "../mentions.js"

/** A text to search for. */
export interface Needle {
  /** The text in the form of `foldedText`. */
  readonly folded: string
  /** The UTF-8 bytes of each form in which a file may contain the text: one character per byte, in lower case. */
  readonly bytes: ReadonlyArray<string>
  /** The first word of the text, to skip texts that cannot contain the needle. */
  readonly first: string
  /**
   * Returns true if a folded text contains the needle. As for names in `erase`, other punctuation between its words is
   * allowed.
   */
  readonly isIn: (folded: string) => boolean
  /** Whether the text must be a separate word. If so, a match inside a longer word does not count. */
  readonly wholeWords: boolean
  /** The text as an FTS5 query. FTS5 stems its words like the words of the index. */
  readonly phrase: string
}

/** The form in which texts are compared: NFKC, lower case, single blanks. */
export const foldedText = (text: string): string => text.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim()

/** Makes a needle; undefined if the text has fewer than two letters or digits. */
export const needleOf = (text: string, wholeWords: boolean): Needle | undefined => {
  const folded = foldedText(text)
  if ((folded.match(/[\p{L}\p{N}]/gu) ?? []).length < 2) return undefined
  const words = folded.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const pattern = patternOf(folded, wholeWords)
  const cased = [
    text,
    folded,
    ...separators.map((separator) => words.join(separator)),
    folded.toUpperCase(),
    folded.replace(/(?<!\p{L})\p{L}/gu, (first) => first.toUpperCase())
  ]
  const forms = cased
    .flatMap((form) => [form, form.normalize("NFC"), form.normalize("NFD")])
    .flatMap((form) => [form, JSON.stringify(form).slice(1, -1), encodeURIComponent(form.toWellFormed())])
  return {
    folded,
    wholeWords,
    first: words[0] ?? folded,
    isIn: wholeWords ? (other) => pattern.test(other) : (other) => other.includes(folded) || pattern.test(other),
    bytes: [...new Set(forms.map(asBytes))],
    phrase: `"${folded.replaceAll('"', " ")}"`
  }
}

/** Characters between the words of file names, account names and addresses. */
const separators = ["-", "_", ".", "+"]

const asBytes = (text: string): string => lowerBytes(Buffer.from(text, "utf8"))

/** Bytes as a string with one character each. Only ASCII letters lose their case, so that other bytes stay as they are. */
export const lowerBytes = (bytes: Buffer): string =>
  bytes.toString("latin1").replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
