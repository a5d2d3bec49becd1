import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type LedgerRecord, readAll } from "../../events/EventLog.js"
import { streamDigest } from "../../events/erasure/enforce.js"
import type { ErasureOperations, RecordedErasure } from "./Erasure.js"
import type { PlanSource } from "./plan/planAgent.js"

/** Implements `Daybook.erasures`: ERASE events, and the lines of the ledger whose agents are erased. */
export const erasures = (
  { codec, log }: PlanSource,
  agent: string | undefined
): ReturnType<ErasureOperations["erasures"]> =>
  Effect.gen(function* () {
    const streams = agent === undefined ? (yield* log.streams).map(({ stream }) => stream) : [agent]
    const ledger = yield* log.ledger
    const lines = new Map(ledger.map((line) => [line.hash, line]))
    const named = new Set<string>()
    const recorded: Array<RecordedErasure> = []
    for (const stream of streams) {
      yield* Stream.runForEach(readAll(log, stream), (row) =>
        row.type !== "ERASE"
          ? Effect.void
          : Effect.map(codec.decode(row), (event) => {
              if (event.type !== "ERASE" || event.payload === null) return
              const { ledger: hash = "", names = [], reason, selector, versions } = event.payload
              const { actor, recordedAt, version } = event
              named.add(hash)
              const at = lines.get(hash)?.at ?? recordedAt
              const again = actor === "ledger" && at !== recordedAt ? { repeatedAt: recordedAt } : {}
              const events = new Set([...versions, ...names]).size
              recorded.push({ agent: stream, version, at, actor, ...again, reason, selector, events })
            })
      )
    }
    recorded.push(...ledger.filter(({ hash }) => !named.has(hash)).flatMap((line) => erasedAgents(line, agent)))
    return recorded.sort((a, b) => a.at - b.at || ((a.agent ?? "") < (b.agent ?? "") ? -1 : 1))
  })

/**
 * The erasures of a ledger line that no event names, because their agents are erased. For one agent, only the erasure
 * of the whole agent can be identified.
 */
const erasedAgents = (
  { at, events, reason, selector, streams }: LedgerRecord,
  agent: string | undefined
): ReadonlyArray<RecordedErasure> => {
  const line = { agent: null, version: null, at, actor: null, reason, selector }
  return [
    ...(events > 0 && agent === undefined ? [{ ...line, events }] : []),
    ...streams
      .filter(([salt, digest]) => agent === undefined || streamDigest(salt, agent) === digest)
      .map(([, , , count]) => ({ ...line, events: count ?? null }))
  ]
}
