/** A line of stdin, counted from 1. `text` is null if the line is longer than `longest`. */
export interface Line {
  readonly number: number
  readonly text: string | null
}

/** Maximum length of a line in characters: more than the largest observation needs. */
export const maxLineLength = 8 << 20

/**
 * Yields the lines of each chunk as soon as it arrives: a caller that sends one line and waits gets its answer. Skips
 * blank lines.
 */
export async function* lineBatches(chunks: AsyncIterable<string>): AsyncGenerator<ReadonlyArray<Line>> {
  let number = 0
  let rest: string | null = ""
  const line = (text: string | null): ReadonlyArray<Line> => {
    number++
    const withoutMark = number === 1 ? (text?.replace(/^\ufeff/, "") ?? null) : text
    return withoutMark !== null && withoutMark.trim() === "" ? [] : [{ number, text: withoutMark }]
  }
  for await (const chunk of chunks) {
    const [first = "", ...more] = chunk.split("\n")
    rest = rest === null || rest.length + first.length > maxLineLength ? null : rest + first
    const complete: Array<Line> = []
    for (const next of more) {
      complete.push(...line(rest))
      rest = next
    }
    if (complete.length > 0) yield complete
  }
  if (rest !== "") yield line(rest)
}
