import { patternOf } from "../mentions.js"

/** A text to search for. */
export interface Needle {
  /** In the form in which decoded texts are compared. */
  readonly folded: string
  /** Its UTF-8 bytes in the forms in which a file may have it, one character a byte, in lower case. */
  readonly bytes: ReadonlyArray<string>
  /** Its first word, to leave out texts that cannot have it. */
  readonly first: string
  /** Whether a folded text has it: as `erase` finds a name, with other signs between its words too. */
  readonly isIn: (folded: string) => boolean
  /** Whether it counts only where it stands alone, and not within a longer word. */
  readonly wholeWords: boolean
  /** As a query of FTS5, which stems its words as those of the index. */
  readonly phrase: string
}

/** The form in which texts are compared: NFKC, lower case, single blanks. */
export const foldedText = (text: string): string => text.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim()

/** Undefined for a text that is too short to tell anything. */
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

/** Signs that names of files, accounts and addresses have between words. */
const separators = ["-", "_", ".", "+"]

const asBytes = (text: string): string => lowerBytes(Buffer.from(text, "utf8"))

/** Bytes as a string with one character each. Only ASCII letters lose their case, so that other bytes stay as they are. */
export const lowerBytes = (bytes: Buffer): string =>
  bytes.toString("latin1").replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
