import type { TurnInput } from "../../src/conversation/turnInput.js"
import type { Observation } from "../../src/model/input.js"
import type { WholeMemory } from "../../src/model/wholeMemory.js"
import type { Year, YearInput } from "./format.js"
import { comparableText, type NamedAttributeState, statesTruth, truthAt } from "./truths.js"

/** Why a profile does not state the current truth of an attribute, in the order of the checks. */
export const missingReasons = [
  "not captured",
  "captured in other words",
  "no longer active",
  "captured as another type",
  "outdated value beside it",
  "no room in the profile"
] as const
export type MissingReason = (typeof missingReasons)[number]

/**
 * The same year as a conversation: the user says each memory of the file in the first person, in a turn that is
 * captured. The file's own turns are captured too. Its searches are unchanged.
 */
export const toConversation = (year: Year): Year => {
  const speaker = year.happenings.flatMap((entry) =>
    entry.kind === "turn" && entry.turn.role !== "assistant" && entry.turn.speaker !== undefined
      ? [entry.turn.speaker]
      : []
  )[0]
  const toFirstPerson = speaker === undefined ? (text: string) => text : firstPerson(speaker)
  const said = (entry: YearInput): YearInput => {
    if (entry.kind === "memory") {
      const about = sentencesOf(entry.observation)
      const session = `${new Date(entry.at).toISOString().slice(0, 10)} notes`
      const turn: TurnInput = { session, role: "user", text: toFirstPerson(about), at: entry.at }
      const { store } = entry.observation
      const whole = { ...turn, ...(speaker && { speaker }), ...(store && { store }) }
      return { at: entry.at, place: entry.place, kind: "said", turn: whole, about }
    }
    if (entry.kind !== "turn") return entry
    const about = entry.turn.text
    const turn = entry.turn.role === "assistant" ? entry.turn : { ...entry.turn, text: toFirstPerson(about) }
    return { at: entry.at, place: entry.place, kind: "said", turn, about }
  }
  return { ...year, happenings: year.happenings.map(said) }
}

const sentencesOf = ({ facts = [], narrative, title }: Observation): string =>
  [title, ...facts, ...(narrative === undefined ? [] : [narrative])]
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(" ")

/** Rewrites sentences about a speaker as the speaker says them: "Mira lives" becomes "I live", "Mira's" becomes "my". */
const firstPerson = (speaker: string) => {
  const subject = new RegExp(`\\b(?:${speaker}|she|he) ((?:no longer|also|still) )?([a-z]+)\\b`, "g")
  const owner = new RegExp(`\\b${speaker}['’]s\\b`, "g")
  const object = new RegExp(`\\b(with|to|reach|for) ${speaker}\\b`, "g")
  const mentions = new RegExp(`\\b${speaker}\\b`)
  return (text: string): string =>
    text
      .split(/(?<=[.!?]) /)
      .map((sentence) =>
        mentions.test(sentence)
          ? sentence
              .replace(owner, "my")
              .replace(object, "$1 me")
              .replace(subject, (_, adverb = "", verb: string) => `I ${adverb}${verbs[verb] ?? plainVerb(verb)}`)
              .replace(/\b(?:her|his)\b/g, "my")
              .replace(/^my\b/, "My")
          : sentence
      )
      .join(" ")
}

const verbs: Readonly<Record<string, string>> = { is: "am", has: "have", goes: "go", does: "do" }
const plainVerb = (verb: string): string => verb.replace(/(?<=[^s])s$/, "")

interface Heard {
  /** Number of turns that stated the truth; of those with a captured memory; of those with the truth captured. */
  told: number
  captured: number
  stated: number
}

/** Tracks what was captured from the turns that state the current truth of an attribute. */
export const makeCaptureTracker = ({ attributes }: Year) => {
  const heard = new Map<string, Heard>()
  const keyOf = (name: string, at: number) => {
    const truth = attributes.flatMap((attribute) => (attribute.name === name ? (truthAt(attribute, at) ?? []) : []))[0]
    return truth === undefined ? undefined : { truth, key: `${name} ${truth.from}` }
  }
  return {
    /** Records what was captured from a turn. `about` is the turn's text in the third person. */
    note: (at: number, about: string, captured: ReadonlyArray<string>): void => {
      const text = comparableText(about)
      for (const { name } of attributes) {
        const current = keyOf(name, at)
        if (current === undefined || !statesTruth(current.truth)(text)) continue
        const entry = heard.get(current.key) ?? { told: 0, captured: 0, stated: 0 }
        entry.told++
        if (captured.length > 0) entry.captured++
        if (captured.some((title) => statesTruth(current.truth)(comparableText(title)))) entry.stated++
        heard.set(current.key, entry)
      }
    },
    /** Returns why the profile does not state the truth of an attribute. `memories` contains the active memories. */
    reasonOf: (
      { name, standing }: NamedAttributeState,
      at: number,
      memories: ReadonlyArray<WholeMemory>
    ): MissingReason => {
      const current = keyOf(name, at)!
      const entry = heard.get(current.key)
      if (entry === undefined || entry.captured === 0) return "not captured"
      if (entry.stated === 0) return "captured in other words"
      const says = statesTruth(current.truth)
      const stating = memories.filter(({ facts = [], title }) => says(comparableText([title, ...facts].join("\n"))))
      if (stating.length === 0) return "no longer active"
      if (!stating.some(({ tier, type }) => tier === "core" || profileTypes.has(type)))
        return "captured as another type"
      return standing === "missing" ? "no room in the profile" : "outdated value beside it"
    }
  }
}

const profileTypes: ReadonlySet<string> = new Set(["identity", "preference", "decision"])
