import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { afterImages, type DaybookEvent } from "../../events/catalogue.js"
import type { Daybook } from "../../src/Daybook.js"
import { observationFrom } from "../../src/remember/recordedInput.js"
import type { Attribute, Year, YearInput } from "./format.js"
import { comparableText, statesTruth } from "./truths.js"

/** The name of a truth: its attribute and its position, "city 2". */
type Name = string

interface NamedTruth {
  readonly name: Name
  readonly from: number
  readonly says: (text: string) => boolean
}

const namedTruths = (attributes: ReadonlyArray<Attribute>): ReadonlyArray<NamedTruth> =>
  attributes.flatMap(({ name, truths }) =>
    truths.map((truth, index) => ({ name: `${name} ${index + 1}`, from: truth.from, says: statesTruth(truth) }))
  )

const textOf = (memory: {
  readonly title: string
  readonly narrative?: string | undefined
  readonly facts?: ReadonlyArray<string> | undefined
}): string => [memory.title, memory.narrative ?? "", ...(memory.facts ?? [])].join("\n")

const happeningText = (happening: YearInput): string => {
  switch (happening.kind) {
    case "memory":
      return textOf(happening.observation)
    case "turn":
      return happening.turn.text
    case "said":
      return happening.about
    default:
      return ""
  }
}

/** The time of the first mention of each truth; truths that are never mentioned are absent. */
export const firstMentions = ({ attributes, happenings }: Year): ReadonlyMap<Name, number> => {
  const mentionTimes = new Map<Name, number>()
  const remaining = new Set(namedTruths(attributes))
  for (const happening of happenings) {
    const text = comparableText(happeningText(happening))
    for (const truth of remaining) {
      if (!truth.says(text)) continue
      mentionTimes.set(truth.name, happening.at)
      remaining.delete(truth)
    }
  }
  return mentionTimes
}

/** Finds truths in an agent's new events; reads each event once. */
export const logReader = ({ attributes }: Year) => {
  const remaining = new Set(namedTruths(attributes))
  const statedNames = new Set<Name>()
  let version = 0
  const take = (event: DaybookEvent) => {
    version = event.version
    const { input } = event.payload as { readonly input?: Readonly<Record<string, unknown>> }
    const images = afterImages(event as never)
    const texts = [
      ...images.map(textOf),
      // The event also stores requested fields that are not part of the memory.
      ...(input === undefined || images.length === 0 ? [] : [textOf(observationFrom(images.at(-1)!, input))]),
      ...(event.type === "TURN" ? [event.payload.turn.text] : [])
    ].map(comparableText)
    if (texts.length === 0) return
    for (const truth of remaining) {
      if (!texts.some(truth.says)) continue
      statedNames.add(truth.name)
      remaining.delete(truth)
    }
  }
  return {
    found: statedNames as ReadonlySet<Name>,
    /** Reads the events since the previous read. */
    read: (daybook: Daybook["Type"], agent: string) =>
      Stream.runForEach(daybook.log(agent, version), (event) =>
        Effect.sync(() => {
          if (event.payload !== null) take(event)
        })
      )
  }
}
