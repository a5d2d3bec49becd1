import { type CueTopic, cueWords } from "./cueWordList.js"

/** The cue words in a text, ordered by their end positions. */
export interface CueWords {
  readonly topics: ReadonlyArray<CueTopic>
  readonly starts: ReadonlyArray<number>
  readonly ends: ReadonlyArray<number>
}

interface Word {
  readonly topic: CueTopic
  readonly length: number
  readonly begins: boolean
  readonly ends: boolean
}

/**
 * Finds all cue words in one pass; the number of cue words does not matter (Aho-Corasick automaton as a table: one step
 * per character). Ignores case; - and _ count as spaces.
 */
export const findCueWords = (text: string): CueWords => {
  automaton ??= buildAutomaton()
  const { classes, next, cuesByState, width } = automaton
  let cues: { topics: Array<CueTopic>; starts: Array<number>; ends: Array<number> } | undefined
  let state = 0
  for (let index = 0; index < text.length; index++) {
    state = next[state * width + classes[text.charCodeAt(index)]!]!
    const matches = cuesByState[state]
    if (matches === undefined) continue
    let longest = 0
    for (const word of matches) {
      // A longer cue word hides its parts: "client secret" does not also count as "secret".
      if (word.length < longest) break
      const start = index + 1 - word.length
      if (word.begins && start > 0 && isLetter(text.charCodeAt(start - 1))) continue
      if (word.ends && index + 1 < text.length && isLetter(text.charCodeAt(index + 1))) continue
      longest = word.length
      cues ??= { topics: [], starts: [], ends: [] }
      cues.topics.push(word.topic)
      cues.starts.push(start)
      cues.ends.push(index + 1)
    }
  }
  return cues ?? noCues
}

/**
 * Returns the end of the last cue word of a topic that ends at most `reach` characters before `position`. Returns -1 if
 * there is none, or if a digit or a line break is between its end and `position`.
 */
export const lastCueEnd = (
  cues: CueWords,
  text: string,
  position: number,
  { reach, topic }: { readonly topic: CueTopic; readonly reach: number }
): number => {
  const { ends, topics } = cues
  for (let index = lastBefore(ends, position); index >= 0 && position - ends[index]! <= reach; index--) {
    if (topics[index] !== topic) continue
    return /[\d\n]/.test(text.slice(ends[index]!, position)) ? -1 : ends[index]!
  }
  return -1
}

/** The index of the last number that is at most `position`, in an ascending list; -1 if there is none. */
const lastBefore = (ends: ReadonlyArray<number>, position: number): number => {
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (ends[middle]! <= position) low = middle + 1
    else high = middle
  }
  return low - 1
}

const noCues: CueWords = { topics: [], starts: [], ends: [] }

const isLetter = (code: number): boolean =>
  code < 128
    ? (code | 32) >= 97 && (code | 32) <= 122
    : (code >= 0xc0 && code < 0x530) || (code >= 0x590 && code < 0x700)

interface Automaton {
  /** The class of each UTF-16 unit; 0 for units that occur in no cue word. */
  readonly classes: Uint16Array
  readonly width: number
  readonly next: Uint16Array
  readonly cuesByState: ReadonlyArray<ReadonlyArray<Word> | undefined>
}

let automaton: Automaton | undefined

const buildAutomaton = (): Automaton => {
  const classes = new Uint16Array(65_536)
  let width = 1
  const classOf = (char: string): number => {
    const code = char.charCodeAt(0)
    if (classes[code] === 0) {
      classes[code] = width
      classes[char.toUpperCase().charCodeAt(0)] ||= width
      width++
    }
    return classes[code]!
  }
  const cuesByState: Array<Array<Word> | undefined> = [undefined]
  const children: Array<Map<number, number>> = [new Map()]
  for (const [topic, list] of Object.entries(cueWords)) {
    for (const pattern of list.split("|")) {
      const text = pattern.replace(/^\^|\$$/g, "").toLowerCase()
      let state = 0
      for (let index = 0; index < text.length; index++) {
        const kind = classOf(text[index]!)
        let child = children[state]!.get(kind)
        if (child === undefined) {
          child = children.push(new Map()) - 1
          children[state]!.set(kind, child)
        }
        state = child
      }
      cuesByState[state] = [
        ...(cuesByState[state] ?? []),
        { topic: topic as CueTopic, length: text.length, begins: pattern.startsWith("^"), ends: pattern.endsWith("$") }
      ]
    }
  }
  for (const char of "-_") classes[char.charCodeAt(0)] = classes[32]!
  const next = new Uint16Array(children.length * width)
  const fallbacks = new Uint16Array(children.length)
  const queue: Array<number> = []
  for (const [kind, child] of children[0]!) {
    next[kind] = child
    queue.push(child)
  }
  for (let head = 0; head < queue.length; head++) {
    const state = queue[head]!
    const fallback = fallbacks[state]!
    // Lists the longest cue word first: "api secret" before "secret".
    if (cuesByState[fallback] !== undefined)
      cuesByState[state] = [...(cuesByState[state] ?? []), ...cuesByState[fallback]]
    next.copyWithin(state * width, fallback * width, (fallback + 1) * width)
    for (const [kind, child] of children[state]!) {
      fallbacks[child] = next[state * width + kind]!
      next[state * width + kind] = child
      queue.push(child)
    }
  }
  return { classes, width, next, cuesByState }
}
