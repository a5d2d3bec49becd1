import { randomUUID } from "node:crypto"
import * as Either from "effect/Either"
import { embeddingText, notePrefix } from "../../events/Memory.js"
import { canRead, type Store } from "../../events/Trust.js"
import { type Command, callerDecision, commandIdOf, definedFields, visibleVersion } from "../actor/Command.js"
import { CredentialForbidden, type InvalidInput, type StoreForbidden } from "../model/errors.js"
import { normaliseTags, type Observation } from "../model/input.js"
import { applyMarks } from "../remember/applyMarks.js"
import { lowerToLevel, storeToWrite } from "../remember/levels.js"
import type { WriteOptions, Writer } from "../remember/remember.js"
import { addEvent, type Draft } from "../remember/rememberEvents.js"
import { decodeNote, fieldsOf, type NoteInput, namespaceOf } from "./noteInput.js"

/** The result of saving a note. */
export interface SavedNote {
  readonly outcome: "saved"
  /** `note-` and a UUID. */
  readonly id: string
  readonly store: Store
  /** Present if the note contains a credential. The note is then in store private with type `credential`. */
  readonly confined?: true
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  readonly repeated: boolean
}

/**
 * Makes the command that saves a note. A note is a memory that is not compared with other memories. A note with a
 * credential goes to store private; a writer whose level cannot write there is refused.
 */
export const saveNote = (
  writer: Writer,
  input: NoteInput,
  options: WriteOptions = {}
): Either.Either<Command<SavedNote, never>, InvalidInput | StoreForbidden | CredentialForbidden> =>
  Either.gen(function* () {
    const { level } = writer
    const note = yield* decodeNote(input)
    const commandId = yield* commandIdOf(level, options.commandId)
    const store = yield* storeToWrite(level, note.store)
    const observation = observationOf(note)
    const {
      confined,
      credentials,
      memory: marked,
      reason
    } = applyMarks(draftOf(observation, store, writer), writer.marks)
    if (confined && !canRead(level, marked.store)) {
      return yield* Either.left(new CredentialForbidden({ level, kinds: credentials }))
    }
    const { draft, lowered } = lowerToLevel(level, marked, writer.pin)
    const id = `${notePrefix}${randomUUID()}`
    return {
      actor: writer.actor,
      commandId,
      request: () => JSON.stringify(["saveNote", definedFields({ ...note, store })]),
      text: () => embeddingText(draft),
      decide: ({ now, version }) => {
        const { countTokens, pin } = writer
        const state = {
          observation,
          draft,
          lowered,
          copy: undefined,
          id,
          now,
          version,
          countTokens,
          pin,
          marks: reason
        }
        return Either.right({ events: [addEvent(state, callerDecision("ADD", "note", "a note is stored as it is"))] })
      },
      answer: ([event], repeated) => {
        if (event?.type !== "ADD") throw new Error("saveNote made another event")
        const { memory } = event.payload
        return {
          outcome: "saved",
          id: memory.id,
          store: memory.store,
          ...(memory.type === "credential" ? { confined: true as const } : {}),
          ...visibleVersion(level, event.version),
          repeated
        }
      }
    }
  })

const observationOf = ({ content, source, store, tags = [], user }: NoteInput): Observation => {
  const { narrative, title } = fieldsOf(content)
  return {
    title,
    type: "note",
    ...(narrative === null ? {} : { narrative }),
    tags: normaliseTags(tags),
    source: { kind: "agent", ...(source === undefined ? {} : { name: source }) },
    ...(user === undefined ? {} : { session: namespaceOf(user) }),
    ...(store === undefined ? {} : { store })
  }
}

const draftOf = (
  { narrative, session, source, tags, title }: Observation,
  store: Store,
  { countTokens, level }: Writer
): Draft => ({
  revision: 1,
  status: "active",
  type: "note",
  title,
  ...(narrative === undefined ? {} : { narrative }),
  facts: [],
  tags: tags ?? [],
  people: [],
  files: [],
  source: source ?? { kind: "agent" },
  store,
  level,
  tier: "long",
  ...(session === undefined ? {} : { session }),
  importance: 0,
  tokens: countTokens([title, narrative ?? ""].join("\n")),
  mentions: 1
})
