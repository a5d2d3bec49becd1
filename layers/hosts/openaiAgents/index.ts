/** A `Session` for the OpenAI Agents SDK: `daybook/hosts/openai-agents`. */
import { randomUUID } from "node:crypto"
import type { Session } from "@openai/agents"
import * as Effect from "effect/Effect"
import { isAtLeast } from "../../../events/Trust.js"
import { type Turn, turnLevelOf } from "../../../events/Turn.js"
import { InvalidInput } from "../../../src/model/errors.js"
import { limits } from "../../../src/model/limits.js"
import { checkAdapterOptions, checkMemory, type HostMemory, runOrElse, storeTurns } from "../HostMemory.js"
import { itemOf, turnOf } from "./items.js"

export { type HostMemory, type HostOptions, hostMemory } from "../HostMemory.js"
export { MemoryClosed } from "../MemoryClosed.js"
export { openMemory } from "../openMemory.js"

/** Options of `memorySession`. */
export interface SessionOptions {
  /** The id of the session, at most 200 characters. Default: a new id. */
  readonly session?: string | undefined
}

/**
 * A session that is stored in Daybook. Each item is a turn of the conversation, so capture, search and summaries read
 * it. The session shows the last 1,000 items. Popped or cleared items stay in the log and in `memory.user.sessions`.
 * The session's scratchpad lists them; undoing a change of the scratchpad brings them back.
 *
 * If items cannot be read or added, the failure is logged and the run continues. `popItem` and `clearSession` reject on
 * a failure. Throws `InvalidInput` for invalid options, and for a promise in place of the memory.
 */
export const memorySession = (memory: HostMemory, options: SessionOptions = {}): Session => {
  checkMemory(memory)
  checkAdapterOptions(options, ["session"])
  const { session: id = randomUUID() } = options
  if (id.length > maxId) throw new InvalidInput({ field: "session", problem: `is longer than ${maxId} characters` })
  const { run, user } = memory
  const hidden = makeHidden(memory, id)
  /** Hides turns of writers below the model, which could pose as the user. Tool output is always `familiar`: shown. */
  const isShown = (turn: Turn) => turn.role === "tool" || isAtLeast(turnLevelOf(turn), memory.modelLevel)
  const oneAtATime = Effect.unsafeMakeSemaphore(1).withPermits(1)
  const live = Effect.gen(function* () {
    const turns = yield* user.sessions.get(id, { last: limits.page })
    const isHidden = yield* hidden.read
    const cleared = turns.findLastIndex((turn) => isHidden.has(`${clearedBy}${turn.id}`))
    return turns.slice(cleared + 1).flatMap((turn) => {
      const item = isHidden.has(turn.id) || !isShown(turn) ? undefined : itemOf(turn)
      return item === undefined ? [] : [{ id: turn.id, item }]
    })
  })
  return {
    getSessionId: () => Promise.resolve(id),
    getItems: async (limit) => {
      const items = await runOrElse(memory, "reading a session", oneAtATime(live), [])
      return items
        .slice(limit === undefined ? 0 : Math.max(0, items.length - Math.max(0, limit)))
        .map(({ item }) => item)
    },
    addItems: async (items) => {
      const added = Effect.suspend(() =>
        storeTurns(
          memory,
          items.map((item) => [{ session: id, ...turnOf(item) }, {}])
        )
      )
      await runOrElse(memory, "storing items", oneAtATime(added), undefined)
    },
    popItem: () =>
      run(
        oneAtATime(
          Effect.gen(function* () {
            const last = (yield* live).at(-1)
            if (last !== undefined) yield* hidden.add(last.id)
            return last?.item
          })
        )
      ),
    clearSession: () =>
      run(
        oneAtATime(
          Effect.gen(function* () {
            const [last] = yield* user.sessions.get(id, { last: 1 })
            if (last !== undefined) yield* hidden.replace([`${clearedBy}${last.id}`])
          })
        )
      )
  }
}

/** Shorter than the limit for keys, because the key of the session's scratchpad is the session's id with a prefix. */
const maxId = 200

/** Prefix of the id of the last cleared turn. */
const clearedBy = "cleared:"

/** The ids of turns that a session hides. They are stored in a scratchpad, so that each change can be undone. */
const makeHidden = ({ user }: HostMemory, session: string) => {
  const key = `openai-agents ${session}`
  const read = Effect.map(
    user.scratchpad.read(key),
    (scratchpad) => new Set((scratchpad?.items ?? []).flatMap((item) => item.split(" ")))
  )
  const replace = (ids: ReadonlyArray<string>) => user.scratchpad.write(key, packed(ids))
  return { read, replace, add: (id: string) => Effect.flatMap(read, (ids) => replace([...ids, id])) }
}

/** Packs ids into as few items as possible. */
const packed = (ids: ReadonlyArray<string>): ReadonlyArray<string> => {
  const items: Array<string> = []
  for (const id of ids) {
    const last = items.at(-1)
    if (last !== undefined && last.length + id.length < limits.scratchpadItem) items[items.length - 1] = `${last} ${id}`
    else items.push(id)
  }
  return items
}
