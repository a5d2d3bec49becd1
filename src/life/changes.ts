import type { Memory } from "../../events/Memory.js"
import { overlap, wordSet } from "../reconcile/likeness.js"
import { isStopWord } from "../retrieval/stopWords.js"
import type { Row } from "./facts.js"
import { type Slot, slotOf, withoutChange } from "./frames.js"
import { isKin, saidAt, textOf } from "./pairs.js"
import { tellingWords } from "./sentences.js"

/** The words of what a text says is so, and of what it says is so no longer. */
export interface Said {
  readonly now: ReadonlySet<string>
  readonly former: ReadonlySet<string>
  /** The text without what is so no longer. */
  readonly text: string
}

/** What a memory took the place of, in words: what is so by now, and what was before. */
export interface Change {
  /** All that it says is so. */
  readonly now: ReadonlySet<string>
  /** What is known to be new in it. */
  readonly values: ReadonlyArray<ReadonlySet<string>>
  /** What is known to be over, each by itself. */
  readonly former: ReadonlyArray<Over>
}

interface Over {
  readonly words: ReadonlySet<string>
  /** Who says it after that says that it is so again, or beside it. Milliseconds since the epoch. */
  readonly since: number
}

const begin = "(?<![\\p{L}\\p{N}])"
const end = "(?![\\p{L}\\p{N}])"
/** Up to so many words behind a word that ends something, until what ends that: another part of the sentence. */
const until = (stops: string): string => `((?:(?!${begin}(?:${stops})${end})${word}\\s*){1,7})`
/** A word up to its end: a part of one would be tried again and again. Points and commas within numbers, and after "Dr". */
const word = "[^\\s,;.!?()]+(?:[.,:](?=\\p{N})[^\\s,;.!?()]+)*(?:\\.(?=\\s\\p{Lu}))?(?=[\\s,;.!?()]|$)"
const parts = "and|but|since|because|while|she|he|they"
/** What is said not to be so any longer. */
const leaving: ReadonlyArray<RegExp> = [
  `(?:no longer|not|instead of|in place of|rather than|used to|formerly|previously|does(?:n't|n’t)|is(?:n't|n’t))\\s+${until(parts)}`,
  `(?:replac\\w+|swapp\\w+|trad(?:ed|es|ing)|exchang\\w+)\\s+${until(`${parts}|by|with|for|to|as`)}`,
  `(?:left|leaves|leaving|gave up|giv\\w+ up|stopp\\w+|quit|sold|dropp\\w+|closed|cancel\\w+|abandon\\w+|moved out of)\\s+${until(`${parts}|by|with|for|to`)}`,
  `from\\s+${until(`${parts}|to`)}to${end}`
].map((pattern) => new RegExp(`${begin}${pattern}`, "giu"))

/** Texts that were taken apart: most come up night after night. */
const taken = new Map<string, Said>()
const mostTaken = 20_000

export const saidIn = (text: string): Said => {
  const before = taken.get(text)
  if (before !== undefined) return before
  if (taken.size >= mostTaken) taken.clear()
  let now = withoutChange(text).replace(/[’']s(?![\p{L}\p{N}])/gu, "")
  let over = ""
  for (const pattern of leaving) {
    now = now.replace(pattern, (_, one: string) => {
      over += ` ${one}`
      return " "
    })
  }
  const current = wordSet(now)
  // Names and numbers tell best what it is that is over.
  const names = onlyNew(wordSet([...tellingWords(over)].join(" ")), current)
  const said = { text: now, now: current, former: names.size > 0 ? names : onlyNew(wordSet(over), current) }
  taken.set(text, said)
  return said
}

const onlyNew = (words: ReadonlySet<string>, known: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...words].filter((word) => word !== "one" && !known.has(word)))

const linesOf = ({ memory }: Row): ReadonlyArray<string> => [memory.title, ...memory.facts]

const currentLines = (row: Row): ReadonlyArray<string> => linesOf(row).map((line) => saidIn(line).text)

/** What says nothing is no value. */
const isValue = (words: string): boolean => words.split(" ").some((word) => !isStopWord(word))

/**
 * In which single places what one says differs from what another does, with who or what it is about around it. What a
 * sentence begins with is that, and behind it how it is said.
 */
export const slotsOf = (by: Row, row: Row): ReadonlyArray<Slot> =>
  currentLines(by).flatMap((line) =>
    currentLines(row).flatMap((other) => {
      const slot = slotOf(line, other)
      return slot !== undefined && slot.around > 1 && slot.start > 1 && isValue(slot.now) && isValue(slot.before)
        ? [slot]
        : []
    })
  )

/** When something was said, or retired, for the last time. */
export const overSince = (before: Row): number => Math.max(before.memory.updatedAt, saidAt(before))

/** What one memory is known to have changed: what it says of it itself, and what it took the place of says. */
export const changeOf = (by: Row, former: ReadonlyArray<Row>, isCommon: (word: string) => boolean): Change => {
  const { former: told, now } = saidIn(textOf(by))
  const values: Array<ReadonlySet<string>> = []
  const over: Array<Over> = []
  const add = (all: ReadonlySet<string>, since: number) => {
    const words = new Set([...onlyNew(all, now)].filter((word) => !isCommon(word)))
    if (words.size > 0) over.push({ words, since })
  }
  add(told, saidAt(by))
  for (const before of former) {
    // What is still there is over from when the other came.
    const since = before.memory.status === "active" ? by.memory.createdAt : overSince(before)
    const slots = slotsOf(by, before)
    for (const slot of slots) {
      values.push(wordSet(slot.now))
      add(wordSet(slot.before), since)
    }
    if (slots.length > 0) continue
    const names = wordSet([...tellingWords(withoutChange(linesOf(before).join("\n")))].join(" "))
    add(new Set([...names].filter((word) => saidIn(textOf(before)).now.has(word))), since)
  }
  return { now, values: values.filter(({ size }) => size > 0), former: over }
}

/** Whether a text says of something that is over that it is so: nearly all that is known of it. */
export const saysFormer = ({ former, values }: Change, row: Row): boolean => {
  const { now } = saidIn(textOf(row))
  return (
    former.some(({ since, words }) => saidAt(row) <= since && shareIn(words, now) >= least) &&
    !values.some((words) => shareIn(words, now) === 1)
  )
}

/** Whether a text says what is new: it is not what has changed. */
export const saysValue = ({ values }: Change, row: Row): boolean => {
  const { now } = saidIn(textOf(row))
  return values.some((words) => shareIn(words, now) === 1)
}

/** Whether a text says of some words that they are so. */
export const saysWords = (row: Row, words: string): boolean => shareIn(wordSet(words), saidIn(textOf(row)).now) === 1

const least = 0.6

const shareIn = (words: ReadonlySet<string>, others: ReadonlySet<string>): number => {
  let shared = 0
  for (const word of words) if (others.has(word)) shared++
  return words.size === 0 ? 0 : shared / words.size
}

/** Whether a text is about something that the change is about too. */
export const sharesWords = ({ now }: Change, row: Row): boolean => {
  for (const word of saidIn(textOf(row)).now) if (now.has(word)) return true
  return false
}

/** The memories whose place one took. */
export type Former = (row: Row) => ReadonlyArray<Row>

/** What a memory took the place of, and what that had taken the place of, as far back as it is followed. */
export const formerOf = (memory: Memory, find: (id: string) => Memory | undefined): ReadonlyArray<Row> => {
  const found = new Map<string, Row>()
  let latest: ReadonlyArray<Memory> = [memory]
  for (let step = 0; step < steps && latest.length > 0 && found.size < most; step++) {
    latest = latest
      .flatMap(({ lineage = [] }) => lineage)
      .flatMap(({ kind, to }) => {
        const before = kind !== "supersedes" || found.has(to) ? undefined : find(to)
        if (before === undefined || before.status !== "superseded") return []
        found.set(to, { memory: before, accesses: undefined })
        return [before]
      })
  }
  return [...found.values()].slice(0, most)
}
const steps = 10
const most = 30

/** Whether one says in other words what the other does: nearly the same words, and all of its names and numbers. */
export const repeats = (row: Row, other: Row): boolean => {
  if (!isKin(row, other)) return false
  const [one, all] = [saidIn(textOf(row)).now, saidIn(textOf(other)).now]
  return overlap(one, all) >= alike && namesOf(row).every((name) => all.has(name)) && slotsOf(row, other).length === 0
}
const alike = 0.65

/** The names and numbers of a text, as words. */
export const namesOf = (row: Row): ReadonlyArray<string> => [
  ...wordSet([...tellingWords(saidIn(textOf(row)).text)].filter((word) => !isStopWord(word)).join(" "))
]
