/** A line of stdin, numbered from 1: its text, or the problem that makes it invalid. */
export type Line = { readonly number: number } & ({ readonly text: string } | { readonly problem: string })

/** Maximum bytes of a line. The largest valid observation is smaller. */
export const maxLineLength = 8 << 20

/**
 * Yields the lines of each chunk as soon as it arrives, so that a caller that sends one line and waits gets its answer.
 * Skips blank lines. A chunk is a string of bytes (encoding `latin1`), so that each line can be checked for valid
 * UTF-8.
 */
export async function* lineBatches(chunks: AsyncIterable<string>): AsyncGenerator<ReadonlyArray<Line>> {
  let number = 0
  let unfinished: string | null = ""
  const line = (bytes: string | null): ReadonlyArray<Line> => {
    number++
    if (bytes === null) return [{ number, problem: `the line is longer than ${maxLineLength} bytes` }]
    const text = decoded(bytes)
    if (text === undefined) return [{ number, problem: "the line is not UTF-8" }]
    const withoutMark = number === 1 ? text.replace(/^\ufeff/, "") : text
    return withoutMark.trim() === "" ? [] : [{ number, text: withoutMark }]
  }
  for await (const chunk of chunks) {
    const [first = "", ...more] = chunk.split("\n")
    unfinished = unfinished === null || unfinished.length + first.length > maxLineLength ? null : unfinished + first
    const complete: Array<Line> = []
    for (const next of more) {
      complete.push(...line(unfinished))
      unfinished = next
    }
    if (complete.length > 0) yield complete
  }
  if (unfinished !== "") yield line(unfinished)
}

const decoded = (bytes: string): string | undefined => {
  try {
    return utf8.decode(Buffer.from(bytes, "latin1"))
  } catch {
    return undefined
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
