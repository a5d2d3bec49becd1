import type { Observation } from "../../src/model/input.js"
import { randomGenerator } from "../data.js"
import { jorenAttributes } from "./joren.js"
import { makeNoise, noiseKinds, passingRemark } from "./noise.js"
import { selmaAttributes } from "./selma.js"
import { miraAttributes, type TrackedAttribute } from "./tracked.js"

/** A year in the format of its file; see `format.md`. */
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

/** Authors of years. Each author has different sentences. */
export const writers = {
  mira: { name: "Mira", tracked: miraAttributes },
  joren: { name: "Joren", tracked: jorenAttributes },
  selma: { name: "Selma", tracked: selmaAttributes }
} as const
export type Writer = keyof typeof writers

const memoriesADay = 50
const turnsADay = 20
const searchesADay = 4
/** The percentage of days on which an attribute is mentioned again. */
const repeatPercent = 17
const dayLength = 86_400_000
const begin = Date.UTC(2025, 0, 1)

/** A statement about an attribute on one day. */
interface Saying {
  readonly day: number
  readonly value: string
  readonly title: string
  /** True if the value is valid from then on. */
  readonly news: boolean
  /** True if the user asks to remember it. */
  readonly purpose: boolean
}

/**
 * Generates a year of a user who works with an agent; the seed makes it reproducible. A day has 50 memories, 20 turns
 * and 4 searches. The first days state 30 attributes; each is repeated about every sixth day, in the same or other
 * words. Most attributes change up to three times. Some are stated wrongly and corrected within days. Everything else
 * is noise of all types.
 */
export const writeYear = (seed: number, days: number, writer: Writer = "mira"): WrittenYear => {
  const { name, tracked } = writers[writer]
  const random = randomGenerator(seed)
  const some = <A>(values: ReadonlyArray<A>): A => values[Math.floor(random() * values.length)]!
  const stories = tracked.map((attribute) => ({ attribute, sayings: sayingsOf(attribute, days, random) }))
  const truths = stories.map((): Array<{ from: string; says: ReadonlyArray<string> }> => [])
  const memories: Array<Observation & { readonly at: string }> = []
  const turns: Array<WrittenYear["turns"][number]> = []
  const searches: Array<WrittenYear["searches"][number]> = []
  const recent: Array<Observation> = []

  for (let day = 0; day < days; day++) {
    const midnight = begin + day * dayLength
    const date = new Date(midnight).toISOString().slice(0, 10)
    // Random times of a day from 7:00 to 22:00, in order.
    const times = (count: number) =>
      Array.from({ length: count }, () => midnight + (7 * 60 + Math.floor(random() * 15 * 60)) * 60_000)
        .sort((a, b) => a - b)
        .map((time, at) => new Date(time + at).toISOString())
    const todays = stories.flatMap(({ attribute, sayings }, place) =>
      sayings.filter((saying) => saying.day === day).map((saying) => ({ attribute, place, saying }))
    )
    const entries: Array<{ readonly observation: Observation; readonly source?: (typeof todays)[number] }> = todays.map(
      (source) => ({
        observation: observationOf(source.attribute, source.saying, random),
        source
      })
    )
    while (entries.length < memoriesADay) {
      const observation = recent.length > 20 && random() < 0.15 ? repeated(some(recent), random) : made(random, date)
      entries.push({ observation })
      if (observation.source?.kind === "auto_capture") recent.push(observation)
      if (recent.length > 300) recent.shift()
    }
    shuffle(entries, random)
    for (const [at, time] of times(entries.length).entries()) {
      const { observation, source } = entries[at]!
      memories.push({ at: time, ...observation })
      if (source?.saying.news === true) {
        truths[source.place]!.push({ from: time, says: [source.attribute.about, source.saying.value] })
      }
    }
    for (const [index, time] of times(turnsADay).entries()) {
      const user = index % 2 === 0
      const { title } = some(entries).observation
      const text = user
        ? some([`${title}.`, `Do you know this already? ${title}.`, `About "${title}": what was that again?`])
        : some(["Noted.", `I keep it: ${title}.`, `That is what I have: ${title}.`, "Nothing else is known of it."])
      const session = `${date} ${index < turnsADay / 2 ? "morning" : "afternoon"}`
      turns.push({ at: time, session, role: user ? "user" : "assistant", speaker: user ? name : "Daybook", text })
    }
    for (const time of times(searchesADay)) {
      const { about, name } = some(tracked)
      searches.push({ at: time, text: some([`what is the ${name} of ${about}`, some(entries).observation.title]) })
    }
  }
  return {
    name: `A year of ${name} (${days} days, seed ${seed})`,
    memories,
    turns,
    searches,
    attributes: stories.map(({ attribute }, place) => ({ name: attribute.name, truths: truths[place]! }))
  }
}

/** The statements about an attribute: initial statements, repeats, changes, and errors with their corrections. */
const sayingsOf = (
  { changed, said, values }: TrackedAttribute,
  days: number,
  random: () => number
): ReadonlyArray<Saying> => {
  const some = <A>(choices: ReadonlyArray<A>): A => choices[Math.floor(random() * choices.length)]!
  const sayings: Array<Saying> = []
  const changes = changesOf(values.length, days, random)
  let place = 0
  let correction: { readonly day: number; readonly wrong: string } | undefined
  const first = Math.floor(random() * 4)
  for (let day = first; day < days; day++) {
    const value = values[place]!
    const fill = (text: string, now: string, before = "") => text.replace("{v}", now).replace("{o}", before)
    if (day === first) {
      sayings.push({ day, value, title: fill(said[0]!, value), news: true, purpose: true })
    } else if (correction !== undefined && correction.day === day) {
      sayings.push({ day, value, title: fill(some(changed), value, correction.wrong), news: true, purpose: true })
      correction = undefined
    } else if (correction === undefined && changes.has(day)) {
      const next = values[place + 1]!
      sayings.push({ day, value: next, title: fill(some(changed), next, value), news: true, purpose: true })
      place++
    } else if (correction === undefined && values.length > 1 && new Date(begin + day * dayLength).getUTCDate() === 12) {
      // Some attributes have an error in the middle of a month, which is corrected within days.
      const wrong = values.find((_value, at) => at !== place && at !== place - 1)
      if (wrong === undefined || random() > 0.06) continue
      sayings.push({ day, value: wrong, title: fill(some(changed), wrong, value), news: true, purpose: false })
      correction = { day: day + 1 + Math.floor(random() * 3), wrong }
    } else if (correction === undefined && random() * 100 < repeatPercent) {
      const title = fill(random() < 0.5 ? said[0]! : some(said), value)
      sayings.push({ day, value, title, news: false, purpose: random() < 0.6 })
    }
  }
  return sayings
}

/** The days on which the value changes, at least three weeks apart. */
const changesOf = (values: number, days: number, random: () => number): ReadonlySet<number> => {
  const chosen: Array<number> = []
  for (let tries = 0; chosen.length < values - 1 && tries < 100; tries++) {
    const day = 10 + Math.floor(random() * Math.max(1, days - 14))
    if (chosen.every((other) => Math.abs(other - day) >= 21)) chosen.push(day)
  }
  return new Set(chosen)
}

const observationOf = (
  { about, type }: TrackedAttribute,
  { purpose, title }: Saying,
  random: () => number
): Observation => ({
  type,
  title,
  ...(random() < 0.2 ? { narrative: passingRemark(random) } : {}),
  ...(type === "decision" ? { store: "shared", project: about } : { store: "private", people: [about] }),
  source: { kind: purpose ? "agent" : "auto_capture" }
})

const made = (random: () => number, date: string): Observation => {
  const [kind, purpose] = drawn[Math.floor(random() * drawn.length)]!
  const store = random() < 0.7 ? "private" : random() < 0.8 ? "shared" : "social"
  return { ...makeNoise(random, kind, date), store, source: { kind: purpose ? "agent" : "auto_capture" } }
}

/** Each kind of noise as many times as its percentage, so that a random pick has these shares. */
const drawn = noiseKinds.flatMap(([kind, share, purpose]) =>
  Array.from({ length: share }, () => [kind, purpose] as const)
)

/** Repeats an observation in the same or almost the same words. */
const repeated = (observation: Observation, random: () => number): Observation =>
  random() < 0.6
    ? observation
    : { ...observation, title: `${observation.title}, still`.replace(/, still, still/, ", still") }

const shuffle = <A>(values: Array<A>, random: () => number): void => {
  for (let at = values.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[values[at], values[other]] = [values[other]!, values[at]!]
  }
}
