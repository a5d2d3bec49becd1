import * as Effect from "effect/Effect"
import type { Verification } from "../../events/verify.js"
import { CommandEnded, exitCodes, refused } from "../exit.js"
import { count } from "../format.js"
import { option } from "../options.js"
import { fields } from "../table.js"
import type { Command } from "./Command.js"

export const verify: Command<{ readonly restored?: boolean }> = {
  usage: "verify",
  summary: "verify the log's hashes and anchor: of all agents, or of --agent",
  operator: true,
  options: [option("--restored", "anchor the log anew after restoring a backup; keep the old anchor")],
  examples: ["verify", "verify --agent scout --json", "verify --restored"],
  run: ({ agent, agentWasPassed, daybook, out }, { restored = false }) =>
    Effect.gen(function* () {
      const checked = yield* daybook.pipe(
        Effect.flatMap(({ agents, reanchor, verify }) =>
          Effect.gen(function* () {
            const known = !agentWasPassed || (yield* agents).some(({ name }) => name === agent)
            if (restored && !known) return yield* noSuchAgent(agent)
            if (restored) yield* reanchor
            const verification = yield* verify(agentWasPassed ? agent : undefined)
            // An agent whose events were cut off is damage; one without any trace is a typing error.
            return verification.ok && !known ? yield* noSuchAgent(agent) : verification
          })
        ),
        // A log that cannot be opened, or whose tables differ, is a finding of this command, not a failure.
        Effect.catchIf(
          (error) => error._tag === "StorageError" && ["damaged", "failed"].includes(error.kind),
          (error) => Effect.succeed(unreadable(error.message))
        )
      )
      const { events, head, ok, problems, streams } = checked
      yield* out.show({ ok, events, streams, head, problems }, () =>
        [
          fields(out, [
            ["ok", ok ? "yes" : "no"],
            ["events", events],
            ["agents", streams],
            ...(head === null ? [] : [["head", `version ${head.version}, ${head.hash}`] as const])
          ]),
          ...problems.map(
            ({ stream, version, what: problem }) =>
              `${stream ?? "log"}${version === null ? "" : ` ${version}`}: ${problem}`
          )
        ].join("\n")
      )
      if (!ok) {
        return yield* new CommandEnded({
          code: exitCodes.damaged,
          message: `${count(problems.length, "problem")} found`
        })
      }
    })
}

const noSuchAgent = (agent: string) => refused(`no agent ${agent}: 'daybook agents' lists them`)

const unreadable = (problem: string): Verification => ({
  ok: false,
  events: 0,
  streams: 0,
  head: null,
  problems: [{ stream: null, version: null, what: problem }]
})
