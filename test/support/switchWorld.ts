import type { Store } from "../../events/Trust.js"
import type { FileInput } from "../../src/conversation/fileInput.js"
import type { TurnInput } from "../../src/conversation/turnInput.js"
import type { Observation } from "../../src/model/input.js"
import { askedWord, pick, shadeWord, writtenWord } from "./tongues.js"

// What is remembered and asked while embedders are switched. Each text follows from its title, its place in its session
// or its path, so that whoever finds it knows what its vector has to be.

export interface World {
  /** Memories before the switch. */
  readonly memories: number
  /** Things that texts are about. */
  readonly things: number
}

export const worldOf = (memories: number): World => ({
  memories,
  things: Math.min(900, Math.max(20, Math.floor(memories / 40)))
})

/** Things of which some memories, turns and files are never changed: whatever happens, they are to be found. */
export const anchored = 12
/** Of each of these: memories (five in each store), turns, files. */
export const anchors = { memories: 15, turns: 6, files: 3 }

const stores = ["private", "shared", "social"] as const
const date = "2001-02-03T00:00:00Z"

/** How often a text names what it is about. */
const often = (name: string) => 1 + pick(name, 3)
const named = (thing: number, name: string) => Array.from({ length: often(name) }, () => writtenWord(thing)).join(" ")

export const titleOf = (thing: number, name: string): string =>
  `${named(thing, name)} ${shadeWord(pick(`${name} shade`, 60))} keeps the rope of harbour ${name}`

/** What stands below a title: something of another thing. */
export const narrativeOf = (title: string, { things }: World): string =>
  `Somebody told about ${writtenWord(pick(title, things))} and ${shadeWord(pick(`${title} too`, 60))} there.`

export const observationOf = (world: World, thing: number, name: string, store: Store): Observation => {
  const title = titleOf(thing, name)
  return { title, narrative: narrativeOf(title, world), store, occurredAt: date }
}

export const sessionOf = (thing: number, name: string): string => `s-${thing}-${name}`
const thingOf = (name: string): number => Number(name.split("-")[1])

/** The turn of a session with this number, from 1. */
export const turnOf = (session: string, sequence: number, store: Store): TurnInput => ({
  session,
  sequence,
  text: turnText(session, sequence),
  store,
  at: date
})
const turnText = (session: string, sequence: number): string => {
  const name = `${session} ${sequence}`
  return `${named(thingOf(session), name)} ${shadeWord(pick(name, 60))} was talked over at watch ${sequence} of ${session}`
}

export const pathOf = (thing: number, name: string): string => `f-${thing}-${name}.txt`

/** A file in one of its versions: every third is of several pieces. */
export const fileOf = (path: string, version: number, store: Store): FileInput => {
  const lines = pick(path, 3) === 0 ? 20 : 2
  const line = (at: number) => {
    const name = `${path} ${version} ${at}`
    return `${named(thingOf(path), name)} ${shadeWord(pick(name, 60))} is drawn on sheet ${at} of ${path} as of ${version}.`
  }
  return { path, text: `${Array.from({ length: lines }, (_, at) => line(at)).join("\n")}\n`, store, at: date }
}

/** What is embedded of a memory, of a turn, and of a piece of a file. */
export const embeddedOf = {
  memory: (world: World, title: string): string => `${title}\n${narrativeOf(title, world)}`,
  turn: (session: string, sequence: number): string =>
    turnText(session, sequence) + (sequence === 1 ? "" : `\n${turnText(session, sequence - 1)}`),
  piece: (path: string, text: string): string => `${text}\n${path}`
}

export const anchorName = (at: number): string => `anchor${at}`
/** All that stands before the switch. */
export const seed = (
  world: World
): {
  readonly observations: ReadonlyArray<Observation>
  readonly turns: ReadonlyArray<TurnInput>
  readonly files: ReadonlyArray<FileInput>
} => {
  const observations: Array<Observation> = []
  const [turns, files]: [Array<TurnInput>, Array<FileInput>] = [[], []]
  for (let thing = 0; thing < anchored; thing++) {
    for (let at = 0; at < anchors.memories; at++) {
      observations.push(observationOf(world, thing, anchorName(at), stores[at % 3]!))
    }
    for (let at = 0; at < anchors.turns; at++) {
      turns.push(turnOf(sessionOf(thing, "anchor"), at + 1, stores[thing % 3]!))
    }
    for (let at = 0; at < anchors.files; at++) files.push(fileOf(pathOf(thing, anchorName(at)), 1, stores[at % 3]!))
  }
  for (let at = observations.length; at < world.memories; at++) {
    observations.push(observationOf(world, at % world.things, `base${at}`, stores[pick(`base${at}`, 3)]!))
  }
  for (let at = 0; at < world.memories / 100; at++) {
    const session = sessionOf(at % world.things, `base${at}`)
    for (let turn = 1; turn <= 4; turn++) turns.push(turnOf(session, turn, stores[at % 3]!))
    if (at % 4 === 0) files.push(fileOf(pathOf(at % world.things, `base${at}`), 1, stores[at % 3]!))
  }
  return { observations, turns, files }
}

/** Something to ask. */
export interface Question {
  /** What it is asked of. */
  readonly of: "memories" | "conversation"
  readonly thing: number
  /** Whether it has the words of the texts, or others for the same things. */
  readonly words: boolean
  readonly trust: "full" | "inner" | "familiar"
  /** This store alone, where there is one. */
  readonly store?: Store
  /** More of the text. */
  readonly more?: string
}

export const textOf = ({ more, thing, words }: Question): string =>
  `${words ? writtenWord(thing) : askedWord(thing)}${more === undefined ? "" : ` ${more}`}`

const kinds: ReadonlyArray<Omit<Question, "thing">> = [
  { of: "memories", words: false, trust: "full" },
  { of: "memories", words: true, trust: "full" },
  { of: "memories", words: false, trust: "familiar" },
  { of: "memories", words: false, trust: "full", store: "private" },
  { of: "conversation", words: false, trust: "full" },
  { of: "conversation", words: true, trust: "full" },
  { of: "memories", words: false, trust: "inner" },
  { of: "conversation", words: false, trust: "inner" }
]

/** A question by number, of the things that are never forgotten. */
export const liveQuestion = (number: number): Question => ({
  ...kinds[number % kinds.length]!,
  thing: Math.floor(number / kinds.length) % anchored
})

/** 56 questions, of all things. */
export const questionsOf = ({ things }: World): ReadonlyArray<Question> =>
  Array.from({ length: 56 }, (_, at) => ({
    ...kinds[at % kinds.length]!,
    thing: (at * 5) % things,
    ...(at % 3 === 0 ? { more: "keeps rope there" } : at % 3 === 1 ? { more: askedWord((at * 11) % things) } : {})
  }))
