import { isRawToolRun, type Memory } from "../../../events/Memory.js"
import { levelOf } from "../../../events/Trust.js"
import type { DecidedEvent } from "../../actor/Command.js"
import { limits } from "../../model/limits.js"
import { memoryText } from "../../model/memoryText.js"
import { nextRevision } from "../../model/nextRevision.js"
import { ruleDecision, type Stage, type StagePlanner, type StageTools } from "../Stage.js"
import { dayMillis, isProtected, type Row } from "../stageRow.js"
import { summarizeToolRuns, type ToolSummary } from "../toolEpisodes.js"

/**
 * Compresses the raw tool runs of quiet sessions into memories: solved errors with their solution, open errors, and
 * other work. Each memory names its runs as sources. Runs without a session are grouped by day. A result that is true
 * only for the moment, and that belongs to no error, is left to expire.
 */
export const tools: Stage = {
  name: "tools",
  kind: "working",
  before: (_, now) => now,
  gather: (policy, now, stageTools): StagePlanner => {
    const { quiet, rows: maxRows } = policy.tools
    const groups = new Map<string, Array<number>>()
    const newest = new Map<string, number>()
    const isRaw = ({ memory }: Row) => isRawToolRun(memory) && !isProtected(memory, policy.tiers.pin)
    const quietGroups = () => [...groups].filter(([key]) => now - newest.get(key)! >= quiet * 60_000)
    const neededRows = () => quietGroups().flatMap(([, borns]) => borns)
    return {
      addRows: (rows) => {
        for (const row of rows) {
          if (!isRaw(row)) continue
          const { memory } = row
          const { createdAt, project, session, store } = memory
          const place = session ?? Math.floor(createdAt / dayMillis)
          const key = JSON.stringify([store, levelOf(memory), place, project])
          const group = groups.get(key)
          if (group === undefined) groups.set(key, [memory.born])
          else group.push(memory.born)
          newest.set(key, Math.max(newest.get(key) ?? 0, createdAt))
        }
      },
      neededRows: () => neededRows().slice(0, maxRows),
      plan: (_, rows) => {
        const byBorn = new Map(rows.filter(isRaw).map((row) => [row.memory.born, row]))
        const events: Array<DecidedEvent> = []
        let compressed = 0
        let left = neededRows().length > maxRows
        for (const [, borns] of quietGroups()) {
          for (const episode of summarizeToolRuns(borns.flatMap((born) => byBorn.get(born) ?? []))) {
            if (compressed + episode.sources.length + events.length >= maxRows) {
              left = true
              break
            }
            events.push(compressEvent(episode, stageTools, policy, now))
            compressed += episode.sources.length
          }
        }
        return { events, counts: { compressed, made: events.length }, left }
      }
    }
  }
}

const compressEvent = (
  { facts, files, reason, sources, title, type }: ToolSummary,
  { countTokens, newId }: StageTools,
  policy: Parameters<Stage["gather"]>[0],
  now: number
): DecidedEvent => {
  const memories = sources.map(({ memory }) => memory)
  const [first, last] = [memories[0]!, memories.at(-1)!]
  const names = new Set(memories.map(({ source }) => source.name))
  const { project, session, store } = first
  const memory: Memory = {
    id: newId(),
    born: 0,
    revision: 1,
    status: "active",
    type,
    title,
    facts: facts.slice(0, limits.facts),
    tags: [],
    people: [],
    files: [...new Set([...files, ...memories.flatMap((source) => source.files)])].slice(0, limits.files),
    source: { kind: "tool", name: names.size === 1 ? (first.source.name ?? "tools") : "tools" },
    store,
    level: levelOf(first),
    tier: "mid",
    ...(session === undefined ? {} : { session }),
    ...(project === undefined ? {} : { project }),
    importance: type === "solution" ? policy.tools.solutionImportance : 0,
    tokens: countTokens(memoryText({ title, facts })),
    mentions: 1,
    lastMentionedAt: last.lastMentionedAt,
    occurredAt: last.occurredAt ?? last.createdAt,
    createdAt: last.createdAt,
    updatedAt: now,
    lineage: memories.map(({ id }) => ({ kind: "derived" as const, to: id, reason: "compressed" as const }))
  }
  return {
    type: "COMPRESS",
    payload: {
      memory,
      sources: memories.map((source) => nextRevision(source, { status: "compressed" })),
      decision: ruleDecision("COMPRESS", "tools", reason, sources, policy, now)
    }
  }
}
