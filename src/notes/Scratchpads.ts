import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { readableStores, type Store, type TrustLevel } from "../../events/Trust.js"
import { findScratchpad } from "../../projections/scratchpads.js"
import type { CommandError } from "../actor/Actor.js"
import { visibleVersion } from "../actor/Command.js"
import type { ReaderServices, ReaderSource } from "../actor/ReaderSource.js"
import type { InvalidInput, LevelTooLow, ProjectionParked, StoreForbidden } from "../model/errors.js"
import { checkInteger, type ReadError, refuseUnknownOptions } from "../model/filters.js"
import { decodeWith, keyField, optionalFields, storeField } from "../model/input.js"
import { limits } from "../model/limits.js"
import { defineMethod } from "../model/operation.js"
import type { Writer } from "../remember/remember.js"
import { type Runner, writeOptionNames } from "../remember/runner.js"
import { clearScratchpad, type ScratchpadOptions, type WrittenScratchpad, writeScratchpad } from "./writeScratchpad.js"

export type { ScratchpadOptions, WrittenScratchpad } from "./writeScratchpad.js"

/** The scratchpad of a session in one store. Times are milliseconds since the epoch. */
export interface Scratchpad {
  readonly session: string
  readonly store: Store
  /** The trust level of the writer. */
  readonly level: TrustLevel
  readonly items: ReadonlyArray<string>
  readonly writtenAt: number
  /** The stream version of the event; only at full trust. */
  readonly version?: number
}

/** One state of a scratchpad. `items` is null if the scratchpad was cleared. */
export interface ScratchpadEntry extends Pick<Scratchpad, "version"> {
  readonly items: ReadonlyArray<string> | null
  readonly level: TrustLevel | null
  readonly actor: string
  readonly recordedAt: number
}

/** Selects the scratchpad of one store. */
export interface ScratchpadQuery {
  /** Default: the strictest store that the trust level reads. */
  readonly store?: Store | undefined
}

/** Reads of scratchpads: `memory.scratchpad`. */
export interface ScratchpadReader {
  /** The scratchpad of a session; null if it has none. */
  readonly read: (session: string, query?: ScratchpadQuery) => Effect.Effect<Scratchpad | null, ReadError>
  /** The last states of a session's scratchpad, newest first. Default: the last 50. */
  readonly history: (
    session: string,
    query?: ScratchpadQuery & { readonly limit?: number | undefined }
  ) => Effect.Effect<ReadonlyArray<ScratchpadEntry>, ReadError>
}

type WriteError = CommandError | InvalidInput | LevelTooLow | ProjectionParked | StoreForbidden

/** Writes of scratchpads: `memory.scratchpad`. */
export interface ScratchpadWriter {
  /**
   * Replaces the whole scratchpad of a session: 1 to 32 items of at most 240 characters. Fails with `LevelTooLow` if a
   * higher level wrote the present scratchpad.
   */
  readonly write: (
    session: string,
    items: ReadonlyArray<string>,
    options?: ScratchpadOptions
  ) => Effect.Effect<WrittenScratchpad, WriteError>
  /** Clears the scratchpad of a session. Returns true if there was one. */
  readonly clear: (session: string, options?: ScratchpadOptions) => Effect.Effect<boolean, WriteError>
}

const decodePlace = decodeWith(Schema.Struct({ session: keyField, ...optionalFields({ store: storeField }) }))

/** @internal */
export const makeScratchpadReader = (
  { agent, level, read }: ReaderSource,
  { codec, log }: ReaderServices
): ScratchpadReader => {
  const storeOf = (session: string, store: Store | undefined) =>
    Either.map(decodePlace({ session, store }), () => store ?? readableStores(level)[0] ?? "social")
  return {
    read: defineMethod("Memory.scratchpad.read")(function* (session, query = {}) {
      yield* refuseUnknownOptions(query, ["store"])
      const store = yield* storeOf(session, query.store)
      const row = yield* read(({ db }) => findScratchpad(db, session, store, level))
      if (row === undefined || row.scratchpad === null) return null
      const { scratchpad, version, writtenAt } = row
      return { session, store, ...scratchpad, writtenAt, ...visibleVersion(level, version) }
    }),

    history: defineMethod("Memory.scratchpad.history")(function* (session, query = {}) {
      yield* refuseUnknownOptions(query, ["store", "limit"])
      const limit = yield* checkInteger("limit", query.limit ?? 50, 1, limits.page)
      const store = yield* storeOf(session, query.store)
      const newest = yield* read(({ db }) => findScratchpad(db, session, store, level)?.version)
      const entries: Array<ScratchpadEntry> = []
      for (let version = newest; version !== undefined && entries.length < limit; ) {
        const [row] = yield* log.at(agent, [version])
        if (row === undefined) break
        const event = yield* codec.decode(row)
        // An erased event does not say which event it replaced, so the history ends here.
        if (event.payload === null || event.type !== "SCRATCHPAD") break
        const { replaces, scratchpad } = event.payload
        entries.push({
          items: scratchpad?.items ?? null,
          level: scratchpad?.level ?? null,
          actor: event.actor,
          recordedAt: event.recordedAt,
          ...visibleVersion(level, version)
        })
        version = replaces
      }
      return entries
    })
  }
}

/** @internal */
export const makeScratchpadWriter = ({ run }: Runner, writer: Writer): ScratchpadWriter => ({
  write: defineMethod("Memory.scratchpad.write")((session, items, options) =>
    run(() => writeScratchpad(writer, session, items, options), options, scratchpadOptions)
  ),
  clear: defineMethod("Memory.scratchpad.clear")((session, options) =>
    run(() => clearScratchpad(writer, session, options), options, scratchpadOptions)
  )
})

const scratchpadOptions: ReadonlyArray<string> = [...writeOptionNames, "store"]
