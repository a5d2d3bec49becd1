/** What one request may hold. */
export interface Bounds {
  readonly batch: number
  /** Bytes of all texts, and of one text. */
  readonly pageBytes: number
  readonly textBytes: number
}

/** Texts that are cut to what a model reads, in pages of what one request may hold; bytes in UTF-8 stand for tokens. */
export const packed = (
  texts: ReadonlyArray<string>,
  { batch, pageBytes, textBytes }: Bounds
): ReadonlyArray<ReadonlyArray<string>> => {
  const pages: Array<Array<string>> = []
  let bytes = 0
  for (const text of texts) {
    const size = Math.min(Buffer.byteLength(text), textBytes)
    const last = pages.at(-1)
    if (last === undefined || last.length === batch || bytes + size > pageBytes) {
      pages.push([text])
      bytes = size
    } else {
      last.push(text)
      bytes += size
    }
  }
  return pages
}

/** The beginning of a text, of no more than so many bytes in UTF-8 and of whole characters. */
export const cutTo = (text: string, bytes: number): string => {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true })
}
