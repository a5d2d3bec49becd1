/** A line of stdin, counted from 1; `text` is null where it is longer than `longest`. */
export interface Line {
  readonly number: number
  readonly text: string | null
}

/** Characters of a line: more than the largest observation can need. */
export const longest = 8 << 20

/**
 * Lines as they come in, all that have arrived at a time, so that who writes
 * one line and waits for the answer gets it. Blank ones are left out.
 */
export async function* lineBatches(chunks: AsyncIterable<string>): AsyncGenerator<ReadonlyArray<Line>> {
  let number = 0
  let rest: string | null = ""
  const line = (text: string | null): ReadonlyArray<Line> => {
    number++
    const bare = number === 1 ? (text?.replace(/^\ufeff/, "") ?? null) : text
    return bare !== null && bare.trim() === "" ? [] : [{ number, text: bare }]
  }
  for await (const chunk of chunks) {
    const [first = "", ...more] = chunk.split("\n")
    rest = rest === null || rest.length + first.length > longest ? null : rest + first
    const complete: Array<Line> = []
    for (const next of more) {
      complete.push(...line(rest))
      rest = next
    }
    if (complete.length > 0) yield complete
  }
  if (rest !== "") yield line(rest)
}
