import { InvalidArgumentError } from "commander"
import * as Effect from "effect/Effect"
import type { RestoreEntry } from "../../events/anchorLines.js"
import type { Problem } from "../../events/EventLog.js"
import type { Verification } from "../../events/verify.js"
import { toIso } from "../../text/when/dates.js"
import { CommandEnded, exitCodes, refusalError, usageError } from "../exit.js"
import { countText } from "../format.js"
import { flag, option } from "../options.js"
import type { Output } from "../output.js"
import { fieldsTable } from "../table.js"
import type { Command } from "./Command.js"

interface VerifyOptions {
  readonly accept?: string
  readonly expect?: string
  readonly views?: boolean
  readonly withoutLedger?: boolean
}

const digest = (value: string): string => {
  if (/^[0-9a-f]{64}$/.test(value)) return value
  throw new InvalidArgumentError("must be 64 hexadecimal digits, as 'daybook verify' prints them")
}

export const verify: Command<VerifyOptions, readonly [file?: string]> = {
  usage: "verify [file]",
  summary: "verify the log's hashes and anchor, or those of a backup",
  operator: true,
  toleratesPolicy: true,
  options: [
    option("--accept <digest>", "accept the damage in the report with this digest", digest),
    option("--expect <line>", "fail unless the anchor contains this line", digest),
    flag("--views", "also compare each view with its log"),
    flag("--without-ledger", "record that the ledger of erasures is lost, and continue")
  ],
  examples: ["verify", "verify --agent scout --json", "verify --views", "verify daybook.backup"],
  details: [
    "With --agent, it verifies the log of this agent only.",
    "--accept takes the digest, and --expect the anchor line, that an earlier 'verify' printed."
  ],
  afterInterruption: "nothing was changed; run the same command again",
  run: ({ agent, agentWasPassed, daybook, out }, options, [file]) =>
    Effect.gen(function* () {
      if (file !== undefined) {
        const { accept, views, withoutLedger } = options
        if (agentWasPassed || accept !== undefined || views === true || withoutLedger === true)
          return yield* usageError("a backup is verified as a whole: with a file, only --expect is allowed")
        const { check } = yield* Effect.promise(() => import("../../src/backup/Backup.js"))
        return yield* report(out, yield* check(file, options.expect))
      }
      if ((options.accept !== undefined || options.withoutLedger === true) && agentWasPassed) {
        return yield* usageError("--accept and --without-ledger apply to all agents: omit --agent")
      }
      if (options.accept !== undefined && options.withoutLedger === true)
        return yield* usageError("pass either --accept or --without-ledger")
      const checked = yield* daybook.pipe(
        Effect.flatMap(({ accept, acceptWithoutLedger, agents, verify }) =>
          Effect.gen(function* () {
            const known = !agentWasPassed || (yield* agents).some(({ name }) => name === agent)
            if (options.accept !== undefined) yield* accept(options.accept)
            if (options.withoutLedger === true) yield* acceptWithoutLedger
            const verification = yield* verify(agentWasPassed ? agent : undefined, {
              expect: options.expect,
              views: options.views
            })
            // If the events of an agent were cut off, the log is damaged. An agent without any trace was mistyped.
            return verification.ok && !known ? yield* noSuchAgent(agent) : verification
          })
        ),
        // If the log cannot be opened or has other tables, the command reports damage. It does not fail.
        Effect.catchIf(
          (error) => error._tag === "StorageError" && ["damaged", "failed"].includes(error.kind),
          (error) => Effect.succeed(unreadable(error.message))
        )
      )
      yield* report(out, checked)
    })
}

const report = (out: Output, checked: Verification) =>
  Effect.gen(function* () {
    yield* out.show(checked, () =>
      [
        fieldsTable(out, summaryOf(checked)),
        ...checked.problems.map(placeText),
        ...checked.accepted.map((place) => `accepted: ${placeText(place)}`),
        ...checked.repairs.map((repair) => `repaired: ${repair}`),
        ...checked.restores.map(restoreText)
      ].join("\n")
    )
    if (!checked.ok) {
      return yield* new CommandEnded({
        code: exitCodes.damaged,
        message: `${countText(checked.problems.length, "problem")} found`
      })
    }
  })

const restoreText = ({ at, createdAt, from, lost = [], vouched }: RestoreEntry): string => {
  const gone = lost.map(([stream, after, to]) => `, without ${countText(to - after, "event")} of ${stream}`).join("")
  const doubt = vouched === false ? ", which nothing confirmed" : ""
  return `restored: at ${toIso(at)} from ${from === "backup" ? "a backup" : "an export"} of ${toIso(createdAt)}${doubt}${gone}`
}

const summaryOf = ({ anchor, digest, events, head, ok, streams }: Verification) => [
  ["ok", ok ? "yes" : "no"] as const,
  ["events", events] as const,
  ["agents", streams] as const,
  ...(head === null ? [] : [["head", `version ${head.version}, ${head.hash}`] as const]),
  ...(anchor === null ? [] : [["anchor", anchor] as const]),
  ...(digest === null ? [] : [["digest", digest] as const])
]

const placeText = ({ stream, version, what }: Problem): string =>
  `${stream ?? "log"}${version === null ? "" : ` ${version}`}: ${what}`

const noSuchAgent = (agent: string) => refusalError(`no agent ${agent}: 'daybook agents' lists the agents`)

const unreadable = (problem: string): Verification => ({
  ok: false,
  events: 0,
  streams: 0,
  head: null,
  problems: [{ stream: null, version: null, what: problem }],
  anchor: null,
  repairs: [],
  restores: [],
  accepted: [],
  digest: null
})
