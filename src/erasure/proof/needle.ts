import { type Mentions, mentionsOf } from "../mentions.js"

/** A text to search for. */
export interface Needle {
  /** In the form in which decoded texts are compared. */
  readonly folded: string
  /** Its UTF-8 bytes in the forms in which a file may have it, one character a byte, in lower case. */
  readonly bytes: ReadonlyArray<string>
  /** Whether it must stand alone; then tests for it. Otherwise any occurrence counts. */
  readonly standsAlone: Mentions | undefined
  /** As a query of FTS5, which stems its words as those of the index. */
  readonly phrase: string
}

/** The form in which texts are compared: NFKC, lower case, single blanks. */
export const foldedText = (text: string): string => text.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim()

/** Undefined for a text that is too short to tell anything. */
export const needleOf = (text: string, wholeWords: boolean): Needle | undefined => {
  const folded = foldedText(text)
  if ((folded.match(/[\p{L}\p{N}]/gu) ?? []).length < 2) return undefined
  const cased = [
    text,
    folded,
    folded.toUpperCase(),
    folded.replace(/(?<!\p{L})\p{L}/gu, (first) => first.toUpperCase())
  ]
  const forms = cased
    .flatMap((form) => [form, form.normalize("NFC"), form.normalize("NFD")])
    .flatMap((form) => [form, JSON.stringify(form).slice(1, -1), encodeURIComponent(form.toWellFormed())])
  return {
    folded,
    standsAlone: wholeWords ? mentionsOf(text) : undefined,
    bytes: [...new Set(forms.map(asBytes))],
    phrase: `"${folded.replaceAll('"', " ")}"`
  }
}

const asBytes = (text: string): string => lowerBytes(Buffer.from(text, "utf8"))

/** Bytes as a string with one character each. Only ASCII letters lose their case, so that other bytes stay as they are. */
export const lowerBytes = (bytes: Buffer): string =>
  bytes.toString("latin1").replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
