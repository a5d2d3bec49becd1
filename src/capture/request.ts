import type { Store } from "../../events/Trust.js"
import type { ToolCall, Turn } from "../../events/Turn.js"
import { findTurnsBefore, findWaitingTurns, type TurnRow } from "../../projections/extracts.js"
import type { Db } from "../../projections/Projection.js"
import { findShownMemories } from "../../projections/recalls.js"
import { maskCredentials } from "../../text/personal/maskCredentials.js"
import { contextTurns, type ExtractRequest, type ExtractTurn } from "../ports/Extractor.js"
import { makeRepeatFinder, type RepeatFinder } from "./repeats.js"

/** A session in a store. */
export interface SessionKey {
  readonly session: string
  readonly store: Store
}

/** A turn of a batch. `born` is the version of its event; it is absent for a turn that the same write adds. */
export type BatchTurn = Omit<TurnRow, "born"> & { readonly born?: number }

/** Turns of a session in a store that are extracted together. */
export interface Batch extends SessionKey {
  /** Oldest first. */
  readonly turns: ReadonlyArray<BatchTurn>
  readonly context: ReadonlyArray<BatchTurn>
  readonly repeats: RepeatFinder
}

/** Reads at most `limit` waiting turns of a session in a store, with the context that their extraction needs. */
export const readBatch = (db: Db, { session, store }: SessionKey, limit: number): Batch => {
  const turns = findWaitingTurns(db, session, store, limit)
  const before = turns[0]?.born ?? Number.MAX_SAFE_INTEGER
  return {
    session,
    store,
    turns,
    context: findTurnsBefore(db, { session, store, before, limit: contextTurns }),
    repeats: makeRepeatFinder(findShownMemories(db, session, store))
  }
}

/** Maximum characters of a turn that are extracted. The limit prevents a pasted file from delaying the write. */
const maxCharacters = 20_000

/** Makes the request to an extractor. Credentials are masked for a model. */
export const makeExtractRequest = ({ context, repeats, turns }: Batch, isForModel: boolean): ExtractRequest => {
  const toTurn = ({ turn }: BatchTurn): ExtractTurn => extractTurn(turn, repeats, isForModel ? maskCredentials : asIs)
  return { context: context.map(toTurn), turns: turns.map(toTurn), recalled: repeats.texts }
}

const extractTurn = (
  { channel, occurredAt, role, speaker, text, toolCalls }: Turn,
  repeats: RepeatFinder,
  masked: (text: string) => string
): ExtractTurn => {
  const shown = (value: string) => masked(value.slice(0, maxCharacters))
  const calls = toolCalls?.map(
    ({ arguments: input, result, ...call }): ToolCall => ({
      ...call,
      ...(input === undefined ? {} : { arguments: shown(input) }),
      ...(result === undefined ? {} : { result: shown(result) })
    })
  )
  return {
    role,
    ...(speaker === undefined ? {} : { speaker }),
    ...(channel === undefined ? {} : { channel }),
    text: shown(repeats.remove(text.slice(0, maxCharacters), role)),
    ...(calls === undefined ? {} : { toolCalls: calls }),
    at: occurredAt
  }
}

const asIs = (text: string): string => text
