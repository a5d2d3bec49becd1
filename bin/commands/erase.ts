import { createInterface } from "node:readline/promises"
import * as Effect from "effect/Effect"
import { Erase } from "../../events/catalogue.js"
import type { AgentErasure, Erasable, EraseReason, Erasure, RecordedErasure } from "../../src/erasure/Erasure.js"
import type { Hit, Proof } from "../../src/erasure/proof.js"
import { CommandEnded, exitCodes, refused, usageError } from "../exit.js"
import { count, secondText } from "../format.js"
import { flag, oneOf, option } from "../options.js"
import type { Output } from "../output.js"
import { type Column, table } from "../table.js"
import type { Call, Command } from "./Command.js"

interface EraseCall {
  readonly person?: string
  readonly session?: string
  readonly source?: string
  readonly reason?: EraseReason
  readonly revive?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
  readonly verify?: boolean
  readonly list?: boolean
}

const reasons = Erase.fields.reason.literals

export const erase: Command<EraseCall, readonly [ids: ReadonlyArray<string>]> = {
  usage: "erase [ids...]",
  summary: "remove content from the log for ever, with all that came from it",
  operator: true,
  options: [
    option("--person <name>", "erase what names a person, of all agents without --agent"),
    option("--session <key>", "erase a session and what was made from it"),
    option("--source <kind:key>", "erase all from a source, such as import:notes.md"),
    option("--reason <reason>", "record why: privacy, request (default), mistake, secret or legal", oneOf(reasons)),
    flag("--revive", "make memories active again that an erased one had replaced"),
    flag("--dry-run", "show what would go, without erasing it"),
    flag("--yes", "erase without asking"),
    flag("--verify", "search all files for the given texts instead"),
    flag("--list", "list the erasures on record instead")
  ],
  details: [
    "Ids name memories, turns, files or schedules. --agent alone erases the whole agent.",
    "An erasure cannot be undone. Exit code 4: erased, but another process holds old pages."
  ],
  examples: [
    "erase 8k2v0q5w1x --dry-run",
    'erase --person "Anna Berg" --reason privacy --yes',
    "erase --source import:notes.md",
    'erase --verify "Anna Berg" "12 Elm Street"',
    "erase --list"
  ],
  afterInterruption: "everything was erased or nothing; run the same command again",
  run: (call, options, [args]) =>
    Effect.gen(function* () {
      const { agent, agentWasPassed, daybook, out } = call
      if (options.verify === true) return yield* verifyErased(call, args)
      if (options.list === true) {
        if (args.length > 0) return yield* usageError("--list takes no ids")
        const recorded = yield* (yield* daybook).erasures(agentWasPassed ? agent : undefined)
        return yield* out.show(recorded, () => table(out, recorded, recordColumns))
      }
      const selection = yield* selectionOf(call, options, args)
      const { erase } = yield* daybook
      const { dryRun = false, reason, revive, yes = false } = options
      if (dryRun || !yes) {
        const plan = yield* erase(selection, { dryRun: true, revive })
        if (dryRun) return yield* out.show(plan, () => planText(out, plan))
        if (!isTerminal()) return yield* refused("erasing cannot be undone: pass --dry-run to see it, --yes to do it")
        out.warn(yield* Effect.promise(() => planText(out, plan)))
        if (!(yield* ask("Erase all this for ever? Type yes: "))) return yield* refused("nothing was erased")
      }
      const erasure = yield* erase(selection, { reason, revive, actor: call.actor })
      yield* out.show(reportOf(erasure), () => doneText(erasure))
      if (erasure.cleaning === "waits") {
        return yield* new CommandEnded({
          code: exitCodes.cleaningWaits,
          message: "erased, but another process holds old pages: the next start cleans the files"
        })
      }
    })
}

const selectionOf = (
  { agent, agentWasPassed }: Call,
  { person, session, source }: EraseCall,
  ids: ReadonlyArray<string>
) => {
  const selections: ReadonlyArray<Erasable> = [
    ...(ids.length === 0 ? [] : [{ agent, ids }]),
    ...(person === undefined ? [] : [{ person, ...(agentWasPassed ? { agent } : {}) }]),
    ...(session === undefined ? [] : [{ agent, session }]),
    ...(source === undefined ? [] : [{ agent, source }])
  ]
  const [selection, ...others] = selections.length === 0 && agentWasPassed ? [{ everythingOf: agent }] : selections
  if (selection !== undefined && others.length === 0) return Effect.succeed(selection)
  return usageError("name what to erase by one of: ids, --person, --session, --source, --agent alone")
}

const verifyErased = ({ checkFolder, out }: Call, texts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    if (texts.length === 0) return yield* usageError("--verify needs one text or more")
    const { prove } = yield* Effect.promise(() => import("../../src/erasure/proof.js"))
    const proof = yield* prove(yield* checkFolder, texts)
    yield* out.show(proof, () => proofText(out, proof, texts))
    if (!proof.clean) return yield* refused(`${count(proof.hits.length, "place")} with these texts`)
  })

const isTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

const ask = (question: string): Effect.Effect<boolean> =>
  Effect.promise(async (signal) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr })
    try {
      return (await lines.question(question, { signal })).trim().toLowerCase() === "yes"
    } finally {
      lines.close()
    }
  })

/** The report of a finished erasure, without the titles: an output is often kept. */
const reportOf = ({ agents, ...others }: Erasure) => ({
  agents: agents.map(({ changed, memories, retired, ...counts }) => ({
    ...counts,
    changed: changed.map(({ id }) => id),
    retired
  })),
  ...others
})

const countsText = ({ agent, counts, events, remains }: AgentErasure): string => {
  const parts = Object.entries(counts).flatMap(([kind, number]) =>
    number === 0 ? [] : [count(number, kind.replace(/ies$/, "y").replace(/s$/, ""), kind)]
  )
  const inPart = remains === 0 ? "" : `, ${remains} of them in part`
  return `${agent}: ${parts.join(", ")} (${count(events, "event")}${inPart})`
}

const planText = async (out: Output, { agents, whole }: Erasure): Promise<string> => {
  const lines: Array<string> = whole.map((agent) => `everything of ${agent}`)
  for (const erasure of agents) {
    const { changed, memories, retired, revived, sources } = erasure
    lines.push(countsText(erasure))
    if (memories.length > 0) lines.push(await table(out, memories, memoryColumns))
    if (changed.length > 0) {
      lines.push(`${out.colours.bold("made again")} from what remains:`, await table(out, changed, memoryColumns))
    }
    if (revived.length > 0) lines.push(`active again: ${revived.join(", ")}`)
    if (retired.length > 0) lines.push(`stay retired: ${retired.join(", ")}`)
    if (sources.length > 0) {
      const named = sources.map(({ id, kind }) => `${kind} ${id}`)
      lines.push(`stay, and may say the same: ${named.join(", ")}`)
    }
  }
  return lines.join("\n")
}

const doneText = ({ agents, vectors, whole }: Erasure): string =>
  [
    ...whole.map((agent) => `erased everything of ${agent}`),
    ...agents.flatMap((erasure) => [
      `erased of ${countsText(erasure)}`,
      ...(erasure.run === undefined ? [] : [`active again: ${erasure.revived.join(", ")} (run ${erasure.run})`])
    ]),
    ...(vectors === 0 ? [] : [`removed ${count(vectors, "cached vector")}`])
  ].join("\n")

const memoryColumns: ReadonlyArray<Column<AgentErasure["memories"][number]>> = [
  { name: "memory", cell: ({ id }) => id, colour: "cyan" },
  { name: "title", cell: ({ title }) => title, elastic: true }
]

const recordColumns: ReadonlyArray<Column<RecordedErasure>> = [
  { name: "when", cell: ({ at }) => secondText(at) },
  { name: "agent", cell: ({ agent }) => agent },
  { name: "version", cell: ({ version }) => version, alignRight: true },
  { name: "by", cell: ({ selector }) => selector ?? "" },
  { name: "reason", cell: ({ reason }) => reason },
  { name: "events", cell: ({ events }) => events, alignRight: true },
  { name: "actor", cell: ({ actor }) => actor, elastic: true }
]

const proofText = async (out: Output, proof: Proof, texts: ReadonlyArray<string>): Promise<string> => {
  const { bytes, clean, files, freePages, hits, walBytes } = proof
  const searched = `searched ${count(files, "file")}, ${bytes} bytes; ${freePages} free pages, ${walBytes} bytes of write-ahead log`
  const columns: ReadonlyArray<Column<Hit>> = [
    { name: "text", cell: ({ text }) => text + 1, alignRight: true },
    { name: "file", cell: ({ file }) => file },
    { name: "place", cell: ({ place }) => place, elastic: true }
  ]
  return clean
    ? `${count(texts.length, "text")} not found\n${searched}`
    : `${await table(out, hits, columns)}\n${searched}`
}
