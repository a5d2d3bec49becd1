import * as fc from "effect/FastCheck"
import { afterImages, type DaybookEvent } from "../../events/catalogue.js"
import type { Erasable } from "../../src/erasure/Erasure.js"
import { names } from "./histories.js"

/** A random choice, as an erasure understands it once the history is known. */
export type Choice =
  | { readonly kind: "memory" | "turn" | "file" | "schedule"; readonly which: number }
  | { readonly kind: "session"; readonly session: string }
  | { readonly kind: "person"; readonly person: string }
  | { readonly kind: "source"; readonly source: string }

export const choices: fc.Arbitrary<Choice> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        "memory" as const,
        "memory" as const,
        "turn" as const,
        "file" as const,
        "schedule" as const
      ),
      which: fc.nat({ max: 1_000 })
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("session" as const), session: fc.constantFrom("monday", "friday") })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("person" as const), person: fc.constantFrom(...names) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("source" as const), source: fc.constantFrom("import", "auto_capture") })
  }
)

/** The ids that an id may be chosen from. */
export const idsOf = (events: ReadonlyArray<DaybookEvent>, kind: "memory" | "turn" | "file" | "schedule") => [
  ...new Set(
    events.flatMap((event): ReadonlyArray<string> => {
      if (kind === "turn") return event.type === "TURN" ? [event.payload.turn.id] : []
      if (kind === "file") return event.type === "FILE" ? [event.payload.file.id] : []
      if (kind === "schedule") return event.type === "SCHEDULE" ? [event.payload.schedule] : []
      return afterImages(event).map(({ id }) => id)
    })
  )
]

/** The selection of an agent's content by a choice; undefined where the history has none of its kind. */
export const selectionOf = (
  agent: string,
  choice: Choice,
  events: ReadonlyArray<DaybookEvent>
): Erasable | undefined => {
  switch (choice.kind) {
    case "session":
      return { agent, session: choice.session }
    case "person":
      return { agent, person: choice.person }
    case "source":
      return { agent, source: choice.source }
    default: {
      const ids = idsOf(events, choice.kind)
      return ids.length === 0 ? undefined : { agent, ids: [ids[choice.which % ids.length]!] }
    }
  }
}
