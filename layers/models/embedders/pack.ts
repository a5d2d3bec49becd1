/** The limits of one request. */
export interface RequestBounds {
  readonly batch: number
  /** Maximum bytes of all texts together, and of one text. */
  readonly pageBytes: number
  readonly textBytes: number
}

/**
 * Splits texts into requests within the limits. A text counts as at most `textBytes` bytes. UTF-8 bytes approximate
 * tokens.
 */
export const packTexts = (
  texts: ReadonlyArray<string>,
  { batch, pageBytes, textBytes }: RequestBounds
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

/** Cuts a text to at most this many bytes in UTF-8, between whole characters. */
export const cutToBytes = (text: string, bytes: number): string => {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true })
}
