/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number

/** Counts each short text only once, because most lines and turns of a context were also in the previous context. */
export const cacheTokenCounts = (count: CountTokens): CountTokens => {
  const counts = new Map<string, number>()
  return (text) => {
    if (text.length > maxCachedLength) return count(text)
    let tokens = counts.get(text)
    if (tokens === undefined) {
      if (counts.size >= maxCounts) counts.clear()
      tokens = count(text)
      counts.set(text, tokens)
    }
    return tokens
  }
}

/** Maximum cached texts, and maximum characters of a cached text. */
const maxCounts = 2_000
const maxCachedLength = 1_000

/** A line of a part, with the value that it shows. */
export interface Line<A> {
  readonly text: string
  readonly value: A
}

export interface FittedLines<A> {
  readonly lines: ReadonlyArray<Line<A>>
  readonly tokens: number
  /** Number of lines that did not fit. */
  readonly omitted: number
}

/** The lines that fit into a budget of tokens, in order. A line after one that is too long may still fit. */
export const fitLines = <A>(lines: ReadonlyArray<Line<A>>, budget: number, count: CountTokens): FittedLines<A> => {
  const chosen: Array<Line<A>> = []
  let tokens = 0
  for (const line of lines) {
    const cost = count(`${line.text}\n`)
    if (tokens + cost > budget) continue
    tokens += cost
    chosen.push(line)
  }
  return { lines: chosen, tokens, omitted: lines.length - chosen.length }
}

/** Maximum attempts to render a text within its budget. */
const maxAttempts = 6

/**
 * Renders again until the text is within the budget, because the tokens of the parts do not add up to the tokens of the
 * whole. Each attempt gets a smaller budget, and the last one gets a budget of 0. `counted` is the number of tokens in
 * whole lines that are not in `text`.
 */
export const renderWithin = <A extends { readonly text: string; readonly counted: number }>(
  budget: number,
  count: CountTokens,
  render: (budget: number) => A
): A & { readonly tokens: number } => {
  let allowed = budget
  for (let attempt = 1; ; attempt++) {
    const rendered = render(allowed)
    const tokens = rendered.counted + (rendered.text === "" ? 0 : count(rendered.text))
    if (tokens <= budget || allowed <= 0) return { ...rendered, tokens }
    allowed = attempt === maxAttempts ? 0 : Math.max(0, allowed - (tokens - budget) - attempt)
  }
}
