import * as Context from "effect/Context"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { ReplayedEvent } from "./Chain.js"
import {
  catalogue,
  type DaybookEvent,
  type Envelope,
  type ErasedEvent,
  type EventDefinition,
  type EventType,
  type Payload
} from "./catalogue.js"
import { compileCheck, compileFieldOrder } from "./compiledSchema.js"
import { InvalidEvent, UnknownEvent } from "./errors.js"
import { cacheMemoryJson, type Memory, memoryJson } from "./Memory.js"

/** Converts between stored rows and typed events. Payloads are encoded, upcast and decoded only here. */
export interface Codec {
  /**
   * Returns the payload as JSON text, its schema number, and the value with its fields in schema order, exactly as
   * `decode` will return it. Throws on a payload that does not match its type.
   */
  readonly encode: <T extends EventType>(
    type: T,
    payload: Payload<T>
  ) => { readonly schema: number; readonly payload: string; readonly value: Payload<T> }
  /**
   * Fails with `UnknownEvent` if this release does not support the type or schema, and with `InvalidEvent` if the
   * payload cannot be decoded.
   */
  readonly decode: (row: ReplayedEvent) => Either.Either<DaybookEvent | ErasedEvent, UnknownEvent | InvalidEvent>
}

/** The functions of one type of event. */
interface CompiledSchema {
  readonly check: (payload: unknown) => boolean
  /** Puts the fields of a valid payload in schema order. */
  readonly arrange: (payload: unknown) => unknown
  readonly encode: (payload: unknown) => unknown
  readonly decode: (payload: unknown) => Either.Either<unknown, ParseResult.ParseError>
}

/**
 * Effect Schema compiles its own functions only when they are first called: for the rare payload that fails the check.
 */
const compile = ({ schema }: EventDefinition): CompiledSchema => ({
  check: compileCheck(schema),
  arrange: compileFieldOrder(schema),
  encode: (payload) => Schema.encodeUnknownSync(schema)(payload),
  decode: (payload) => Schema.decodeUnknownEither(schema)(payload)
})

/** Makes a codec for a catalogue of events. Programs use `codec`; tests of upcasting pass other catalogues. */
export const make = (definitions: Readonly<Record<string, EventDefinition>>): Codec => {
  const compiled = new Map<string, CompiledSchema>()
  const compiledOf = (type: string): CompiledSchema => {
    let functions = compiled.get(type)
    if (functions === undefined) {
      functions = compile(definitions[type]!)
      compiled.set(type, functions)
    }
    return functions
  }
  return {
    encode: (type, payload) => {
      const { arrange, check, encode } = compiledOf(type)
      const value = (check(payload) ? arrange(payload) : encode(payload)) as typeof payload
      return { schema: definitions[type]!.version, payload: textOf(value), value }
    },
    decode: (row) => {
      const definition = Object.hasOwn(definitions, row.type) ? definitions[row.type] : undefined
      if (definition === undefined || row.schema > definition.version || row.schema < 1) {
        return Either.left(
          new UnknownEvent({ stream: row.stream, version: row.version, type: row.type, schema: row.schema })
        )
      }
      const envelope: Envelope & { readonly type: EventType; erasedAt?: number } = {
        type: row.type as EventType,
        sequence: row.sequence,
        stream: row.stream,
        version: row.version,
        commandId: row.commandId,
        actor: row.actor,
        cause: row.cause,
        occurredAt: row.occurredAt,
        recordedAt: row.recordedAt
      }
      if (row.erasedAt !== null) envelope.erasedAt = row.erasedAt
      if (row.payload === null) return Either.right({ ...envelope, payload: null })
      const invalid = (path: string) =>
        Either.left(new InvalidEvent({ stream: row.stream, version: row.version, type: row.type, path }))
      let payload: unknown
      try {
        payload = JSON.parse(row.payload)
        for (let version = row.schema; version < definition.version; version++) {
          payload = definition.upcasts[version]!(payload)
        }
      } catch {
        return invalid("payload")
      }
      const { check, decode } = compiledOf(row.type)
      if (check(payload)) {
        if (row.schema === definition.version) keepJson(row.payload, payload as object)
        return Either.right({ ...envelope, payload } as DaybookEvent)
      }
      const decoded = decode(payload)
      if (Either.isLeft(decoded)) return invalid(pathOf(decoded.left))
      return Either.right({ ...envelope, payload: decoded.right } as DaybookEvent)
    }
  }
}

export const codec: Codec = make(catalogue)

/**
 * Returns the payload as JSON text. The text of the first after-image is cached, because the log and the view both
 * write it.
 */
const textOf = (value: object): string => {
  const [first] = Object.keys(value)
  if (first !== "memory") return JSON.stringify(value)
  const { memory, ...rest } = value as { readonly memory: Memory }
  const others = JSON.stringify(rest)
  return `{"memory":${memoryJson(memory)}${others === "{}" ? "" : ","}${others.slice(1)}`
}

/** Caches the JSON text of the first after-image, because views store the same text. */
const keepJson = (text: string, payload: object) => {
  const { memory, ...rest } = payload as { readonly memory?: Memory }
  if (memory === undefined || !text.startsWith(memoryPrefix)) return
  const others = JSON.stringify(rest)
  const back = others === "{}" ? "}" : `,${others.slice(1)}`
  if (text.endsWith(`}${back}`)) cacheMemoryJson(memory, text.slice(memoryPrefix.length, -back.length))
}

const memoryPrefix = '{"memory":'

/** The active codec. Tests replace it to read another catalogue of events. */
export class CurrentCodec extends Context.Reference<CurrentCodec>()("daybook/CurrentCodec", {
  defaultValue: () => codec
}) {}

const pathOf = (error: ParseResult.ParseError): string =>
  ParseResult.ArrayFormatter.formatErrorSync(error)
    .map((issue) => issue.path.join("."))
    .filter((path) => path !== "")
    .slice(0, 3)
    .join(", ") || "payload"
