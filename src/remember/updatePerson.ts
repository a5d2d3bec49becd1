import { randomUUID } from "node:crypto"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { DaybookEvent } from "../../events/catalogue.js"
import { cardPrefix, type Memory } from "../../events/Memory.js"
import type { Store } from "../../events/Trust.js"
import { cardFactsOf, nameOfCardFact } from "../../projections/cardFacts.js"
import { getMemories } from "../../projections/observationReads.js"
import { findCard } from "../../projections/people.js"
import {
  type Command,
  type CommandDecision,
  callerDecision,
  commandIdOf,
  type DecidedEvent,
  definedFields,
  requireUnparked,
  type Situation,
  visibleVersion
} from "../actor/Command.js"
import {
  type CredentialForbidden,
  InvalidInput,
  type LevelTooLow,
  type MemoryNotFound,
  type ProjectionParked,
  type StoreForbidden
} from "../model/errors.js"
import { decodeWith, optionalFields, storeField, textField } from "../model/input.js"
import { limits } from "../model/limits.js"
import { memoryText } from "../model/memoryText.js"
import { applyMarks } from "./applyMarks.js"
import { forget } from "./forget.js"
import { storeToWrite } from "./levels.js"
import { type CardChanges, changedCard, decodePersonFacts, type PersonFacts } from "./personFacts.js"
import type { WriteOptions, Writer } from "./remember.js"
import { addEvent, type Draft } from "./rememberEvents.js"
import { update } from "./update.js"

/** The result of `updatePerson`. */
export interface UpdatedPerson {
  /** `removed`: no fact is left, so the card is forgotten. `unchanged`: the card already had these facts. */
  readonly outcome: "created" | "updated" | "unchanged" | "removed"
  /** The id of the person's card, the memory that contains the facts. Pass it to `history` or `why`. */
  readonly id: string
  readonly store: Store
  /** All facts on the card, by name. */
  readonly card: Readonly<Record<string, string>>
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  readonly repeated: boolean
}

/** Options of `updatePerson`. */
export interface PersonOptions extends WriteOptions {
  /** Default: the strictest store that the trust level reads. */
  readonly store?: Store | undefined
}

type Refusal = LevelTooLow | InvalidInput | ProjectionParked | MemoryNotFound | CredentialForbidden | StoreForbidden

const decodePlace = decodeWith(
  Schema.Struct({ name: textField(limits.person), ...optionalFields({ store: storeField }) })
)

/**
 * Makes the command that sets facts about a person. The facts are stored on a card: one memory of type `person` for
 * each person and store. The command adds the card, changes its facts, or forgets it when no fact is left.
 */
export const updatePerson = (
  writer: Writer,
  name: string,
  facts: PersonFacts,
  options: PersonOptions = {}
): Either.Either<Command<UpdatedPerson, Refusal>, InvalidInput | StoreForbidden> =>
  Either.gen(function* () {
    const place = yield* decodePlace({ name, store: options.store })
    const changes = yield* decodePersonFacts(facts)
    const commandId = yield* commandIdOf(writer.level, options.commandId)
    const store = yield* storeToWrite(writer.level, place.store)
    const id = `${cardPrefix}${randomUUID()}`
    return {
      actor: writer.actor,
      commandId,
      request: () => JSON.stringify(["updatePerson", place.name, store, definedFields(Object.fromEntries(changes))]),
      decide: (situation): Either.Either<CommandDecision<UpdatedPerson>, Refusal> =>
        Either.gen(function* () {
          const { db, now, version } = situation
          yield* requireUnparked(db, "people")
          const cardId = findCard(db, place.name, store)
          const [card] = cardId === undefined ? [] : getMemories(db, writer.level, [cardId], now)
          const after = yield* changedCard(card?.facts ?? [], changes)
          yield* refuseCredentials(card?.title ?? place.name, after, writer)
          if (card === undefined) {
            return after.length === 0
              ? yield* Either.left(nothingToRemove(store))
              : { events: [addCard({ name: place.name, facts: after, store, id }, situation, writer)] }
          }
          const change =
            after.length === 0
              ? yield* forget(writer, card.id, options)
              : yield* update(writer, card.id, { facts: after }, options)
          const decided: CommandDecision<unknown> = yield* change.decide(situation)
          if ("answer" in decided) {
            return { answer: answerOf(writer, card, { outcome: "unchanged", version: version - 1, repeated: false }) }
          }
          return "events" in decided ? { events: withInput(decided.events, changes) } : decided
        }),
      answer: ([event], repeated) => {
        if (event?.type !== "ADD" && event?.type !== "UPDATE" && event?.type !== "DELETE") {
          throw new Error("the first event of `updatePerson` must be ADD, UPDATE or DELETE")
        }
        const { payload, version } = event
        return answerOf(writer, payload.memory, { outcome: outcomeOf(event), version, repeated })
      }
    }
  })

/**
 * Records only the facts that were set, not all facts of the card. Otherwise undo would treat all of them as set by
 * this event.
 */
const withInput = (
  [event, ...others]: readonly [DecidedEvent, ...ReadonlyArray<DecidedEvent>],
  changes: CardChanges
): readonly [DecidedEvent, ...ReadonlyArray<DecidedEvent>] => [
  event.type === "UPDATE"
    ? { ...event, payload: { ...event.payload, input: { card: Object.fromEntries(changes) } } }
    : event,
  ...others
]

const answerOf = (
  { level }: Writer,
  { facts, id, store }: Memory,
  { outcome, repeated, version }: Pick<UpdatedPerson, "outcome" | "repeated"> & { readonly version: number }
): UpdatedPerson => ({
  ...{ outcome, id, store },
  card: outcome === "removed" ? {} : cardFactsOf(facts),
  ...visibleVersion(level, version),
  repeated
})

const outcomeOf = (event: Extract<DaybookEvent, { type: "ADD" | "UPDATE" | "DELETE" }>): UpdatedPerson["outcome"] => {
  if (event.type === "ADD") return "created"
  if (event.type === "DELETE") return "removed"
  return event.payload.reason === "unchanged" ? "unchanged" : "updated"
}

const nothingToRemove = (store: Store) =>
  new InvalidInput({
    field: "facts",
    problem: `has nothing to remove: the store \`${store}\` has no facts about this person`
  })

/** Refuses facts that only a memory of type `credential` in store private may contain. */
const refuseCredentials = (
  title: string,
  facts: ReadonlyArray<string>,
  { marks }: Writer
): Either.Either<void, InvalidInput> => {
  const isConfined = (some: ReadonlyArray<string>) =>
    applyMarks({ title, facts: some, type: "person", store: "private", tags: [] }, marks).confined
  if (!isConfined(facts)) return Either.void
  const field = nameOfCardFact(facts.find((fact) => isConfined([fact])) ?? "") ?? "facts"
  const problem = "contains a credential: store it with `remember`, which keeps credentials in the store `private`"
  return Either.left(new InvalidInput({ field, problem }))
}

/** The event that adds a card. */
const addCard = (
  { facts, id, name, store }: Pick<Memory, "facts" | "id" | "store"> & { readonly name: string },
  { now, version }: Situation,
  { countTokens, level, marks, pin }: Writer
): DecidedEvent => {
  const observation = { title: name, type: "person", facts, people: [name], store }
  const { memory: draft, reason } = applyMarks<Draft>(
    {
      ...observation,
      ...{ revision: 1, status: "active", tags: [], files: [], source: { kind: "agent" }, level, tier: "long" },
      ...{ importance: 0, mentions: 1, tokens: countTokens(memoryText({ title: name, facts })) }
    },
    marks
  )
  return addEvent(
    { observation, draft, lowered: [], copy: undefined, id, now, version, countTokens, pin, marks: reason },
    callerDecision("ADD", "card", "facts about a person are stored as they are")
  )
}
