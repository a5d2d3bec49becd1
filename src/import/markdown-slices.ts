import { isTableHead } from "./markdown-tables.js"

/** A part of a file that is parsed in one step of about 20 ms. The event loop may run between two steps. */
export interface Slice {
  readonly text: string
  /** The line of the file on which it begins, from 1. */
  readonly line: number
  /** The number of lines of the file before the slice, minus the lines that the slice repeats from an earlier slice. */
  readonly lineOffset: number
  /** True if the containers (quotes and lists) are nested too deeply for the markdown library. */
  readonly isDeep: boolean
}

/**
 * The size of a text for the library: characters, lines, and inline markup characters (`signs`). The library matches
 * the inline markup characters in quadratic time.
 */
interface Size {
  readonly characters: number
  readonly lines: number
  readonly signs: number
}

/** A slice that exceeds this size ends at the best place to cut. */
const usual: Size = { characters: 8_192, lines: 200, signs: 400 }
/**
 * A paragraph or list without a good place to cut is cut between two lines at this size. Code is parsed faster, so its
 * limit is larger.
 */
const largest: Size = { characters: 24_576, lines: 300, signs: 600 }
const largestCode: Size = { characters: 65_536, lines: 2_000, signs: Number.POSITIVE_INFINITY }
/** Maximum characters of a line; longer lines are cut. */
const maxLine = 65_536
/** Maximum link definitions that are copied to later slices. */
const maxDefinitions = 100

interface Line {
  readonly text: string
  /** The line's number from 0. The pieces of a long line share one number. */
  readonly number: number
  readonly signs: number
  /** The parsing cost of the line, in lines. Each container in a line adds to the cost. */
  readonly weight: number
}

/**
 * Cuts a file where a new part begins: before a heading, else before a paragraph, else between two lines or inside a
 * long line. If a cut is inside a fence or table, the next slice opens it again. Each slice gets the link definitions
 * that it uses.
 */
export function* sliceMarkdown(body: string): Generator<Slice> {
  const definitions = [...body.slice(0, maxSearched).matchAll(definition)].slice(0, maxDefinitions)
  const lines = linesOf(body)
  const buffer: Array<Line> = []
  let repeated: ReadonlyArray<string> = []
  for (;;) {
    fill(buffer, lines)
    if (buffer.length === 0) return
    const { opened, to } = endOfSlice(buffer, repeated)
    const taken = buffer.splice(0, to)
    const text = [...repeated, ...taken.map((line) => line.text)].join("\n")
    const used = definitions.filter(([line, label]) => !text.includes(line) && text.includes(`[${label}]`))
    yield {
      text: used.length === 0 ? text : `${text}\n\n${used.map(([line]) => line).join("\n")}`,
      line: taken[0]!.number + 1,
      lineOffset: taken[0]!.number - repeated.length,
      isDeep: deepLine.test(text)
    }
    repeated = opened
  }
}

/** Maximum characters of a file that are searched for link definitions. */
const maxSearched = 1 << 20

function* linesOf(body: string): Generator<Line> {
  let number = 0
  for (let from = 0; from <= body.length; number++) {
    const newline = body.indexOf("\n", from)
    const end = newline < 0 ? body.length : newline
    for (let start = from; start === from || start < end; ) {
      const isCut = end - start > maxLine
      const to = isCut ? start + maxLine - (/[\ud800-\udbff]/u.test(body[start + maxLine - 1]!) ? 1 : 0) : end
      const text = body.slice(start, to)
      yield { text, number, signs: countMarkupCharacters(text), weight: weightOf(text) }
      start = to
      if (start === end) break
    }
    from = end + 1
  }
}

const weightOf = (line: string): number => {
  const [containers] = /^[ \t>]*/u.exec(line)!
  return 1 + 3 * containers.replace(/[ \t]/gu, "").length + Math.max(0, containers.length - 8) / 2
}

/** Adds lines until there are enough for the largest slice. */
const fill = (buffer: Array<Line>, lines: Generator<Line>): void => {
  let characters = buffer.reduce((sum, { text }) => sum + text.length + 1, 0)
  while (characters <= largestCode.characters && buffer.length <= largestCode.lines) {
    const next = lines.next()
    if (next.done === true) return
    buffer.push(next.value)
    characters += next.value.text.length + 1
  }
}

const exceeds = (size: Size, limit: Size): boolean =>
  size.characters > limit.characters || size.lines > limit.lines || size.signs > limit.signs

/**
 * Returns the number of lines of the next slice, and the lines that reopen its unclosed fence or table in the slice
 * after it.
 */
const endOfSlice = (
  lines: ReadonlyArray<Line>,
  repeated: ReadonlyArray<string>
): { readonly to: number; readonly opened: ReadonlyArray<string> } => {
  let fence = repeated.length === 1 ? repeated[0] : undefined
  let table = repeated.length === 2 ? repeated : []
  let size: Size = { characters: 0, lines: 0, signs: 0 }
  let best: { readonly to: number; readonly rank: number } | undefined
  for (const [index, { number, signs, text, weight }] of lines.entries()) {
    // Pieces of the same line are in separate slices, because a line break between them would shift the numbers of all
    // later lines.
    if (index > 0 && number === lines[index - 1]!.number) return { to: index, opened: [] }
    const previous = index === 0 ? "" : lines[index - 1]!.text
    const isCode = fence !== undefined
    size = {
      // The first line does not count, because a long first line may have nested bullets below it.
      characters: size.characters + (index === 0 ? 0 : text.length + 1),
      lines: size.lines + weight,
      signs: size.signs + (isCode ? 0 : signs)
    }
    if (index > 0 && exceeds(size, isCode ? largestCode : usual)) {
      if (best !== undefined) return { to: best.to, opened: [] }
      const limit = isCode ? largestCode : table.length > 0 ? usual : largest
      if (exceeds(size, limit)) return { to: index, opened: fence === undefined ? table : [fence] }
    }
    if (fence !== undefined) {
      if (closes(text, fence)) fence = undefined
      continue
    }
    fence = fenceStart.exec(text)?.[0]
    if (text.trim() === "") table = []
    else if (table.length === 0 && isTableHead(previous, text)) table = [previous, text]
    const rank = index === 0 ? -1 : rankOfCut(previous, text, lines[index - 2]?.text ?? "")
    if (rank >= 0 && (best === undefined || rank >= best.rank)) best = { to: index, rank }
  }
  return { to: lines.length, opened: [] }
}

/**
 * Rates a cut between two lines: −1 not possible, 0 between two bullets or definitions, 1 before another new part, 2
 * before a heading.
 */
const rankOfCut = (previous: string, line: string, beforePrevious: string): number => {
  const above = previous.trim() === "" ? beforePrevious : previous
  if (repeats.test(line)) return repeats.test(above) ? 0 : -1
  if (previous.trim() !== "" || !beginsPart.test(line)) return -1
  return heading.test(line) ? 2 : 1
}

/**
 * Matches an unindented bullet or definition. If the line above also matches, a new bullet or definition begins here.
 */
const repeats = /^(?:(?:[-*+]|\d+[.)])(?:\s|$)|\[[^\]]*\]:)/u
const fenceStart = /^ {0,3}(?:`{3,}(?=[^`]*$)|~{3,})/u
const closes = (line: string, fence: string): boolean => {
  const trimmed = line.trim()
  return trimmed.startsWith(fence.trim()) && new Set(trimmed).size === 1
}
/**
 * Matches an unindented line that continues neither a list nor the paragraph above. Code, lists and tables below the
 * line may belong to it.
 */
const beginsPart = /^(?![-*+>|`~<]|\d+[.)])\S/u
const definition = /^ {0,3}\[([^\]\n]{1,200})\]:[ \t]*\S{1,1000}[^\n]{0,200}$/gmu
const heading = /^#{1,6}[ \t]/u
// The library is slow if a line has sixteen containers, or a bullet after 64 columns.
const deepLine = /^(?:[ \t]*(?:>|[*+-][ \t]|\d{1,9}[.)][ \t])){16}|^[ \t]{64,}(?:[*+>-]|\d)/mu

/** The inline markup characters. */
export const markupCharacters = "*_[]`!<&\\"

/** Counts the inline markup characters of a text. */
export const countMarkupCharacters = (text: string): number => {
  let count = 0
  for (let index = 0; index < text.length; index++) if (isSign[text.charCodeAt(index)] === 1) count++
  return count
}

const isSign = Uint8Array.from({ length: 128 }, (_, code) =>
  markupCharacters.includes(String.fromCharCode(code)) ? 1 : 0
)
