import * as Effect from "effect/Effect"
import { missedPrompts } from "../../events/missedPrompts.js"
import type { Tiers } from "../../src/maintenance/tiers.js"
import type { AgentStats } from "../../src/stats.js"
import { countText, timestampText } from "../format.js"
import { noteMissingAgent } from "../noteMissingAgent.js"
import { fieldsTable } from "../table.js"
import type { Command } from "./Command.js"

export const stats: Command = {
  usage: "stats",
  summary: "show counts of an agent's memory and the state of its view",
  operator: true,
  needsNoRules: true,
  run: (call) =>
    Effect.gen(function* () {
      const { agent, daybook, memory, out } = call
      yield* noteMissingAgent(call)
      const result = yield* Effect.flatMap(daybook, (opened) => opened.stats(agent))
      const tiers = yield* Effect.flatMap(memory, (opened) => opened.maintenance.tiers({ limit: 0 }))
      const { archive, changes, conversation, maintenance, memories, recalls, schedules, vectors, version, view } =
        result
      const missed = missedPrompts(call.folder, agent)
      const stages = Object.fromEntries(maintenance.map(({ runs, stage }) => [stage, runs]))
      const nextRunText = schedules.nextRunAt === null ? "" : `, next ${timestampText(schedules.nextRunAt)}`
      yield* out.show({ ...result, life: tiers, missedPrompts: missed }, () =>
        fieldsTable(out, [
          ["agent", agent],
          ["version", version],
          ["memories", `${memories.active} active, ${memories.inactive} inactive`],
          ["by store", counts(memories.byStore)],
          ["by type", counts(memories.byType)],
          ["by tier", counts(memories.byTier)],
          ["by score", scores(tiers)],
          ["mean score", tiers.all.score.toFixed(3)],
          ["mean age", `${tiers.all.days.toFixed(1)} days since last seen`],
          ["created", memories.created],
          ...Object.entries(changes).flatMap(([what, number]) => (number === 0 ? [] : [[what, number] as const])),
          ["archive", archive],
          ["schedules", `${counts(schedules.byStatus)}${nextRunText}`],
          ["schedule runs", counts(schedules.runs)],
          ["maintenance", counts(stages)],
          [
            "sessions",
            `${conversation.sessions}, ${conversation.turns} turns and ${conversation.files} files in ${conversation.chunks} chunks`
          ],
          ["capture", captureText(result.capture)],
          [
            "vectors",
            vectors.available
              ? `${vectors.embedded} memories, ${conversation.embedded} chunks of ${vectors.model}`
              : "not available"
          ],
          ...(vectors.preparing === undefined
            ? []
            : [["preparing", `${vectors.preparing.embedded} memories of ${vectors.preparing.model}`] as const]),
          ...(vectors.apart === undefined
            ? []
            : [
                ["withheld", `${vectors.apart.embedded} memories, embedded locally by ${vectors.apart.model}`] as const
              ]),
          ...(vectors.configured === undefined
            ? []
            : [["configured", `${vectors.configured.model}; see 'daybook embed'`] as const]),
          ...(vectors.failure === undefined ? [] : [["failure", vectors.failure] as const]),
          ["recalls", recalls.recorded],
          ...(missed.lastAt === undefined
            ? []
            : [
                [
                  "missed",
                  `${countText(missed.count, "prompt")}, last ${timestampText(missed.lastAt)}: ${missed.reason}`
                ] as const
              ]),
          ["view", `${view.bytes} bytes`],
          ...view.parked.map(({ position, projection, reason }): readonly [string, string] => [
            "parked",
            `${projection} at version ${position}: ${reason}`
          ])
        ])
      )
    })
}

/** The results of each extractor, and the number of turns that wait for extraction. */
const captureText = ({ extractors, waiting }: AgentStats["capture"]): string =>
  [
    ...extractors.map(({ attempts, captured, millis, name, successes }) => {
      const latency = millis === undefined ? "" : `, ${Math.round(millis)} ms`
      return `${name}: ${captured} statements, ${successes} of ${attempts} succeeded${latency}`
    }),
    ...(waiting === 0 ? [] : [`${waiting} turns wait`])
  ].join("; ") || "none"

/** The number of memories in each range of scores. A range excludes its upper end. */
const scores = ({ byScore }: Tiers): string =>
  byScore
    .flatMap(({ from, memories }, index) => {
      const to = byScore[index + 1]?.from
      return memories === 0 ? [] : [`${to === undefined ? `${from} or more` : `${from}–${to}`}: ${memories}`]
    })
    .join(", ") || "none"

const counts = (countsByName: Readonly<Record<string, number>>): string =>
  Object.entries(countsByName)
    .map(([name, number]) => `${name} ${number}`)
    .join(", ") || "none"
