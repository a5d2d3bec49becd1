import type { Observation } from "../../src/model/input.js"
import { generator } from "../data.js"
import { kinds, noise, passing } from "./noise.js"
import { others } from "./others.js"
import { third } from "./third.js"
import { type Tracked, tracked } from "./tracked.js"

/** A year as it stands in its file; see `format.md`. */
export interface WrittenYear {
  readonly name: string
  readonly memories: ReadonlyArray<Observation & { readonly at: string }>
  readonly turns: ReadonlyArray<{
    readonly at: string
    readonly session: string
    readonly role: "user" | "assistant"
    readonly speaker: string
    readonly text: string
  }>
  readonly searches: ReadonlyArray<{ readonly at: string; readonly text: string }>
  readonly attributes: ReadonlyArray<{
    readonly name: string
    readonly truths: ReadonlyArray<{ readonly from: string; readonly says: ReadonlyArray<string> }>
  }>
}

/** Who tells of a year, in sentences of their own. */
export const writers = {
  mira: { name: "Mira", tracked },
  joren: { name: "Joren", tracked: others },
  selma: { name: "Selma", tracked: third }
} as const
export type Writer = keyof typeof writers

const memoriesADay = 50
const turnsADay = 20
const searchesADay = 4
/** On so many days of 100 something that is followed is said again. */
const saidAgain = 17
const dayLength = 86_400_000
const begin = Date.UTC(2025, 0, 1)

/** Something that is said of an attribute on a day. */
interface Saying {
  readonly day: number
  readonly value: string
  readonly title: string
  /** Whether it is true from then on. */
  readonly news: boolean
  /** Whether somebody asked for it to be kept. */
  readonly purpose: boolean
}

/**
 * A year of somebody who works with an agent, the same one for the same seed: 50 memories, 20 turns and 4 searches a
 * day. 30 attributes are said in the first days and again about every sixth day, in the same words or others; most of
 * them change up to three times, and some are said wrongly and put right within days. All else is noise of every type.
 */
export const writeYear = (seed: number, days: number, writer: Writer = "mira"): WrittenYear => {
  const { name, tracked } = writers[writer]
  const random = generator(seed)
  const some = <A>(values: ReadonlyArray<A>): A => values[Math.floor(random() * values.length)]!
  const stories = tracked.map((one) => ({ one, sayings: sayingsOf(one, days, random) }))
  const truths = stories.map((): Array<{ from: string; says: ReadonlyArray<string> }> => [])
  const memories: Array<Observation & { readonly at: string }> = []
  const turns: Array<WrittenYear["turns"][number]> = []
  const searches: Array<WrittenYear["searches"][number]> = []
  const recent: Array<Observation> = []

  for (let day = 0; day < days; day++) {
    const midnight = begin + day * dayLength
    const date = new Date(midnight).toISOString().slice(0, 10)
    // From seven to ten in the evening.
    const times = (count: number) =>
      Array.from({ length: count }, () => midnight + (7 * 60 + Math.floor(random() * 15 * 60)) * 60_000)
        .sort((a, b) => a - b)
        .map((time, at) => new Date(time + at).toISOString())
    const said = stories.flatMap(({ one, sayings }, place) =>
      sayings.filter((saying) => saying.day === day).map((saying) => ({ one, place, saying }))
    )
    const told: Array<{ readonly observation: Observation; readonly of?: (typeof said)[number] }> = said.map((of) => ({
      observation: observationOf(of.one, of.saying, random),
      of
    }))
    while (told.length < memoriesADay) {
      const observation = recent.length > 20 && random() < 0.15 ? again(some(recent), random) : made(random, date)
      told.push({ observation })
      if (observation.source?.kind === "auto_capture") recent.push(observation)
      if (recent.length > 300) recent.shift()
    }
    shuffle(told, random)
    for (const [at, time] of times(told.length).entries()) {
      const { observation, of } = told[at]!
      memories.push({ at: time, ...observation })
      if (of?.saying.news === true) {
        truths[of.place]!.push({ from: time, says: [of.one.about, of.saying.value] })
      }
    }
    for (const [at, time] of times(turnsADay).entries()) {
      const user = at % 2 === 0
      const { title } = some(told).observation
      const text = user
        ? some([`${title}.`, `Do you know this already? ${title}.`, `About "${title}": what was that again?`])
        : some(["Noted.", `I keep it: ${title}.`, `That is what I have: ${title}.`, "Nothing else is known of it."])
      const session = `${date} ${at < turnsADay / 2 ? "morning" : "afternoon"}`
      turns.push({ at: time, session, role: user ? "user" : "assistant", speaker: user ? name : "Daybook", text })
    }
    for (const time of times(searchesADay)) {
      const { about, name } = some(tracked)
      searches.push({ at: time, text: some([`what is the ${name} of ${about}`, some(told).observation.title]) })
    }
  }
  return {
    name: `A year of ${name} (${days} days, seed ${seed})`,
    memories,
    turns,
    searches,
    attributes: stories.map(({ one }, place) => ({ name: one.name, truths: truths[place]! }))
  }
}

/** What is said of an attribute, and when: in the first days, again and again, when it changes, and wrongly. */
const sayingsOf = ({ changed, said, values }: Tracked, days: number, random: () => number): ReadonlyArray<Saying> => {
  const some = <A>(choices: ReadonlyArray<A>): A => choices[Math.floor(random() * choices.length)]!
  const sayings: Array<Saying> = []
  const changes = changesOf(values.length, days, random)
  let place = 0
  let put: { readonly day: number; readonly value: string } | undefined
  const first = Math.floor(random() * 4)
  for (let day = first; day < days; day++) {
    const value = values[place]!
    const fill = (text: string, now: string, before = "") => text.replace("{v}", now).replace("{o}", before)
    if (day === first) {
      sayings.push({ day, value, title: fill(said[0]!, value), news: true, purpose: true })
    } else if (put !== undefined && put.day === day) {
      sayings.push({ day, value, title: fill(some(changed), value, put.value), news: true, purpose: true })
      put = undefined
    } else if (put === undefined && changes.has(day)) {
      const next = values[place + 1]!
      sayings.push({ day, value: next, title: fill(some(changed), next, value), news: true, purpose: true })
      place++
    } else if (put === undefined && values.length > 1 && new Date(begin + day * dayLength).getUTCDate() === 12) {
      // In the middle of a month somebody has it wrong now and then, and it is put right within days.
      const wrong = values.find((_one, at) => at !== place && at !== place - 1)
      if (wrong === undefined || random() > 0.06) continue
      sayings.push({ day, value: wrong, title: fill(some(changed), wrong, value), news: true, purpose: false })
      put = { day: day + 1 + Math.floor(random() * 3), value: wrong }
    } else if (put === undefined && random() * 100 < saidAgain) {
      const title = fill(random() < 0.5 ? said[0]! : some(said), value)
      sayings.push({ day, value, title, news: false, purpose: random() < 0.6 })
    }
  }
  return sayings
}

/** The days on which the next value comes, at least three weeks apart. */
const changesOf = (values: number, days: number, random: () => number): ReadonlySet<number> => {
  const chosen: Array<number> = []
  for (let tries = 0; chosen.length < values - 1 && tries < 100; tries++) {
    const day = 10 + Math.floor(random() * Math.max(1, days - 14))
    if (chosen.every((other) => Math.abs(other - day) >= 21)) chosen.push(day)
  }
  return new Set(chosen)
}

const observationOf = ({ about, type }: Tracked, { purpose, title }: Saying, random: () => number): Observation => ({
  type,
  title,
  ...(random() < 0.2 ? { narrative: passing(random) } : {}),
  ...(type === "decision" ? { store: "shared", project: about } : { store: "private", people: [about] }),
  source: { kind: purpose ? "agent" : "auto_capture" }
})

const made = (random: () => number, date: string): Observation => {
  const [kind, purpose] = drawn[Math.floor(random() * drawn.length)]!
  const store = random() < 0.7 ? "private" : random() < 0.8 ? "shared" : "social"
  return { ...noise(random, kind, date), store, source: { kind: purpose ? "agent" : "auto_capture" } }
}

/** Each kind as often as it is to come. */
const drawn = kinds.flatMap(([kind, share, purpose]) => Array.from({ length: share }, () => [kind, purpose] as const))

/** The same once more, to the letter or nearly. */
const again = (observation: Observation, random: () => number): Observation =>
  random() < 0.6
    ? observation
    : { ...observation, title: `${observation.title}, still`.replace(/, still, still/, ", still") }

const shuffle = <A>(values: Array<A>, random: () => number): void => {
  for (let at = values.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[values[at], values[other]] = [values[other]!, values[at]!]
  }
}
