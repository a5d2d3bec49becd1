import { type Topic, words } from "./words.js"

/** Where words stand that say what is beside them, in the order in which they end. */
export interface Hits {
  readonly topics: ReadonlyArray<Topic>
  readonly starts: ReadonlyArray<number>
  readonly ends: ReadonlyArray<number>
}

interface Word {
  readonly topic: Topic
  readonly length: number
  readonly begins: boolean
  readonly ends: boolean
}

/**
 * All words in one pass, whatever their number (Aho and Corasick's automaton as
 * a table: one step a character). Case does not count; - and _ are spaces.
 */
export const hitsIn = (text: string): Hits => {
  automaton ??= make()
  const { classes, next, said, width } = automaton
  let found: { topics: Array<Topic>; starts: Array<number>; ends: Array<number> } | undefined
  let state = 0
  for (let index = 0; index < text.length; index++) {
    state = next[state * width + classes[text.charCodeAt(index)]!]!
    const some = said[state]
    if (some === undefined) continue
    let longest = 0
    for (const word of some) {
      // "client secret" is no "secret".
      if (word.length < longest) break
      const start = index + 1 - word.length
      if (word.begins && start > 0 && isLetter(text.charCodeAt(start - 1))) continue
      if (word.ends && index + 1 < text.length && isLetter(text.charCodeAt(index + 1))) continue
      longest = word.length
      found ??= { topics: [], starts: [], ends: [] }
      found.topics.push(word.topic)
      found.starts.push(start)
      found.ends.push(index + 1)
    }
  }
  return found ?? nothing
}

/** The end of the last word of a topic that ends at `position` or up to `reach` before it, with no digit and no new line between; -1 where there is none. */
export const endBefore = (hits: Hits, text: string, position: number, topic: Topic, reach: number): number => {
  const { ends, topics } = hits
  for (let index = lastBefore(ends, position); index >= 0 && position - ends[index]! <= reach; index--) {
    if (topics[index] !== topic) continue
    return /[\d\n]/.test(text.slice(ends[index]!, position)) ? -1 : ends[index]!
  }
  return -1
}

/** The last of ascending numbers that is no more than `position`. */
const lastBefore = (ends: ReadonlyArray<number>, position: number): number => {
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (ends[middle]! <= position) low = middle + 1
    else high = middle
  }
  return low - 1
}

const nothing: Hits = { topics: [], starts: [], ends: [] }

const isLetter = (code: number): boolean =>
  code < 128
    ? (code | 32) >= 97 && (code | 32) <= 122
    : (code >= 0xc0 && code < 0x530) || (code >= 0x590 && code < 0x700)

interface Automaton {
  /** The class of every UTF-16 unit: 0 for what is in no word. */
  readonly classes: Uint16Array
  readonly width: number
  readonly next: Uint16Array
  readonly said: ReadonlyArray<ReadonlyArray<Word> | undefined>
}

let automaton: Automaton | undefined

const make = (): Automaton => {
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
  const said: Array<Array<Word> | undefined> = [undefined]
  const children: Array<Map<number, number>> = [new Map()]
  for (const [topic, list] of Object.entries(words)) {
    for (const one of list.split("|")) {
      const plain = one.replace(/^\^|\$$/g, "").toLowerCase()
      let state = 0
      for (let index = 0; index < plain.length; index++) {
        const kind = classOf(plain[index]!)
        let to = children[state]!.get(kind)
        if (to === undefined) {
          to = children.push(new Map()) - 1
          children[state]!.set(kind, to)
        }
        state = to
      }
      said[state] = [
        ...(said[state] ?? []),
        { topic: topic as Topic, length: plain.length, begins: one.startsWith("^"), ends: one.endsWith("$") }
      ]
    }
  }
  for (const char of "-_") classes[char.charCodeAt(0)] = classes[32]!
  const next = new Uint16Array(children.length * width)
  const shorter = new Uint16Array(children.length)
  const queue: Array<number> = []
  for (const [kind, to] of children[0]!) {
    next[kind] = to
    queue.push(to)
  }
  for (let at = 0; at < queue.length; at++) {
    const state = queue[at]!
    const back = shorter[state]!
    // The longest word first: "api secret" before "secret".
    if (said[back] !== undefined) said[state] = [...(said[state] ?? []), ...said[back]]
    next.copyWithin(state * width, back * width, (back + 1) * width)
    for (const [kind, to] of children[state]!) {
      shorter[to] = next[state * width + kind]!
      next[state * width + kind] = to
      queue.push(to)
    }
  }
  return { classes, width, next, said }
}
