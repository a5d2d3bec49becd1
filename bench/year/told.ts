import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type DaybookEvent, imagesOf } from "../../events/catalogue.js"
import type { Daybook } from "../../src/Daybook.js"
import { asAsked } from "../../src/remember/asAsked.js"
import type { Attribute, Happening, Year } from "./format.js"
import { comparable, saying } from "./truths.js"

/** A truth of an attribute, by its place: "city 2". */
type Name = string

interface Known {
  readonly name: Name
  readonly from: number
  readonly says: (text: string) => boolean
}

const all = (attributes: ReadonlyArray<Attribute>): ReadonlyArray<Known> =>
  attributes.flatMap(({ name, truths }) =>
    truths.map((truth, at) => ({ name: `${name} ${at + 1}`, from: truth.from, says: saying(truth) }))
  )

const textOf = (of: {
  readonly title: string
  readonly narrative?: string | undefined
  readonly facts?: ReadonlyArray<string> | undefined
}): string => [of.title, of.narrative ?? "", ...(of.facts ?? [])].join("\n")

const happeningText = (happening: Happening): string => {
  switch (happening.kind) {
    case "memory":
      return textOf(happening.observation)
    case "turn":
      return happening.turn.text
    default:
      return ""
  }
}

/** When each truth was told for the first time; those that never were are not there. */
export const firstTold = ({ attributes, happenings }: Year): ReadonlyMap<Name, number> => {
  const told = new Map<Name, number>()
  const left = new Set(all(attributes))
  for (const happening of happenings) {
    const text = comparable(happeningText(happening))
    for (const known of left) {
      if (!known.says(text)) continue
      told.set(known.name, happening.at)
      left.delete(known)
    }
  }
  return told
}

/** Finds truths in the events of an agent as they come in, each event once. */
export const reader = ({ attributes }: Year) => {
  const left = new Set(all(attributes))
  const found = new Set<Name>()
  let version = 0
  const take = (event: DaybookEvent) => {
    version = event.version
    const { input } = event.payload as { readonly input?: Readonly<Record<string, unknown>> }
    const images = imagesOf(event as never)
    const texts = [
      ...images.map(textOf),
      // What was asked and did not come into the memory stands beside it.
      ...(input === undefined || images.length === 0 ? [] : [textOf(asAsked(images.at(-1)!, input))]),
      ...(event.type === "TURN" ? [event.payload.turn.text] : [])
    ].map(comparable)
    if (texts.length === 0) return
    for (const known of left) {
      if (!texts.some(known.says)) continue
      found.add(known.name)
      left.delete(known)
    }
  }
  return {
    found: found as ReadonlySet<Name>,
    /** Reads what came since it read last. */
    read: (daybook: Daybook["Type"], agent: string) =>
      Stream.runForEach(daybook.log(agent, version), (event) =>
        Effect.sync(() => {
          if (event.payload !== null) take(event)
        })
      )
  }
}
