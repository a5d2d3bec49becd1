import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { embeddingText, toolRunType } from "../../events/Memory.js"
import { canRead, type Store } from "../../events/Trust.js"
import { findById } from "../../projections/observations.js"
import { headAndTail } from "../../text/normalise/headAndTail.js"
import { toInstant } from "../../text/when/dates.js"
import { type Command, callerDecision, commandIdOf, definedFields, visibleVersion } from "../actor/Command.js"
import { CredentialForbidden, type InvalidInput, type StoreForbidden } from "../model/errors.js"
import {
  decodeWith,
  Instant,
  type InstantInput,
  keyField,
  listField,
  type Observation,
  optionalFields,
  storeField,
  textField
} from "../model/input.js"
import { limits } from "../model/limits.js"
import { memoryText } from "../model/memoryText.js"
import { applyMarks } from "../remember/applyMarks.js"
import { storeToWrite } from "../remember/levels.js"
import type { WriteOptions, Writer } from "../remember/remember.js"
import { addEvent, type Draft } from "../remember/rememberEvents.js"
import { isEphemeral, rawFacts, rawTitle } from "./toolRuns.js"

/** One run of a tool. */
export interface ToolObservation {
  /** The tool's name. */
  readonly tool: string
  /** The input of the call: a command, or arguments as JSON. */
  readonly input?: string | undefined
  /** The output of the call. Long input and output keep their beginning and their end. */
  readonly output?: string | undefined
  /** The exit code of the call. */
  readonly exit?: number | undefined
  readonly session?: string | undefined
  readonly project?: string | undefined
  /** The files that the call used or changed, in addition to those that its input names. */
  readonly files?: ReadonlyArray<string> | undefined
  /** Default: the strictest store that the trust level reads. */
  readonly store?: Store | undefined
  /** When the tool ran. Default: now. */
  readonly at?: InstantInput | undefined
}

/** The result of storing a tool run. */
export interface ObservedTool {
  readonly outcome: "observed"
  readonly id: string
  readonly store: Store
  /** When a result that is true only for the moment expires, milliseconds since the epoch. */
  readonly expiresAt?: number
  /** Present if the middle of the input or output was left out. */
  readonly truncated?: true
  /** Present if the run contains a credential. The run is then in store private with type `credential`. */
  readonly confined?: true
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  readonly repeated: boolean
}

/** Errors of storing a tool run. */
export type ObserveToolRefusal = InvalidInput | StoreForbidden | CredentialForbidden

const decode = decodeWith(
  Schema.Struct({
    tool: keyField,
    ...optionalFields({
      input: textField(limits.turn, { blank: true }),
      output: textField(limits.turn, { blank: true }),
      exit: Schema.Number.annotations({ message: () => "must be a number" }).pipe(
        Schema.filter((value) => Number.isSafeInteger(value) || "must be a whole number")
      ),
      session: keyField,
      project: keyField,
      files: listField(textField(limits.file), limits.files),
      store: storeField,
      at: Instant
    })
  })
) as (input: unknown) => Either.Either<ToolObservation, InvalidInput>

/**
 * Maximum characters of the beginning and of the end of an input, which together must fit into a fact (2,000
 * characters).
 */
const inputPart = 900

/**
 * Makes the command that stores a tool run: a memory of tier mid, always at level familiar. Stage `tools` of
 * maintenance compresses these memories.
 */
export const observeTool = (
  writer: Writer,
  observed: ToolObservation,
  options: WriteOptions = {}
): Either.Either<Command<ObservedTool, never>, ObserveToolRefusal> =>
  Either.gen(function* () {
    const { level, tools } = writer
    const run = yield* decode(observed)
    const commandId = yield* commandIdOf(level, options.commandId)
    const store = yield* storeToWrite(level, run.store)
    const input = headAndTail(run.input ?? "", inputPart, inputPart)
    const output = headAndTail(run.output ?? "", tools.head, tools.tail)
    const truncated = input !== (run.input ?? "") || output !== (run.output ?? "")
    const at = toInstant(run.at)
    const {
      confined,
      credentials,
      memory: draft,
      reason
    } = applyMarks(draftOf({ ...run, input, output }, store, at, writer), writer.marks)
    if (confined && !canRead(level, draft.store)) {
      return yield* Either.left(new CredentialForbidden({ level, kinds: credentials }))
    }
    const expires = isEphemeral({ tool: run.tool, input, output, exit: run.exit })
      ? tools.expireAfter * hourMillis
      : null
    return {
      actor: writer.actor,
      commandId,
      request: () => JSON.stringify(["observeTool", definedFields({ ...run, store })]),
      text: () => embeddingText(draft),
      decide: ({ db, newId, now, version }) => {
        let id = newId()
        while (findById(db, id) !== undefined) id = newId()
        const lifetime = expires === null ? {} : { expiresAt: (at ?? now) + expires }
        const { countTokens, pin } = writer
        const event = addEvent(
          {
            observation: observationOf(draft),
            draft: { ...draft, ...lifetime },
            ...{ lowered: [], copy: undefined, id, now, version, countTokens, pin, marks: reason }
          },
          callerDecision("ADD", "observeTool", "a tool's run is stored as it is")
        )
        return Either.right({ events: [event] })
      },
      answer: ([event], repeated) => {
        if (event?.type !== "ADD") throw new Error("observeTool made another event")
        const { expiresAt, id, store, type } = event.payload.memory
        return {
          ...{ outcome: "observed", id, store, repeated },
          ...(expiresAt === undefined ? {} : { expiresAt }),
          ...(truncated ? { truncated: true as const } : {}),
          ...(type === "credential" ? { confined: true as const } : {}),
          ...visibleVersion(level, event.version)
        }
      }
    }
  })

const hourMillis = 3_600_000

const draftOf = (
  { exit, files = [], input = "", output = "", project, session, tool }: ToolObservation,
  store: Store,
  at: number | undefined,
  { countTokens }: Writer
): Draft => {
  const title = rawTitle({ tool, input, exit })
    .slice(0, limits.title)
    .replace(/[\ud800-\udbff]$/u, "")
  const facts = rawFacts({ input, exit })
  const narrative = output.trim() === "" ? undefined : output
  return {
    revision: 1,
    status: "active",
    type: toolRunType,
    title,
    ...(narrative === undefined ? {} : { narrative }),
    facts,
    tags: [],
    people: [],
    files,
    source: { kind: "tool", name: tool },
    store,
    level: "familiar",
    tier: "mid",
    ...(session === undefined ? {} : { session }),
    ...(project === undefined ? {} : { project }),
    importance: 0,
    tokens: countTokens(memoryText({ title, narrative, facts })),
    mentions: 1,
    ...(at === undefined ? {} : { occurredAt: at })
  }
}

/** The request as an observation. The event records where the stored memory differs from the request. */
const observationOf = ({ facts, files, narrative, occurredAt, project, session, source, store, tier, title }: Draft) =>
  ({
    ...{ title, type: toolRunType, facts, tags: [], people: [], files, source, store, tier, importance: 0 },
    ...(narrative === undefined ? {} : { narrative }),
    ...(session === undefined ? {} : { session }),
    ...(project === undefined ? {} : { project }),
    ...(occurredAt === undefined ? {} : { occurredAt })
  }) satisfies Observation
