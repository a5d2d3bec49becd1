import { createInterface } from "node:readline/promises"
import * as Effect from "effect/Effect"
import { Erase } from "../../events/catalogue.js"
import type { AgentErasure, Erasable, EraseReason, Erasure } from "../../src/erasure/Erasure.js"
import { itemsText, leftoversText, recordColumns } from "../eraseText.js"
import { CommandEnded, exitCodes, refusalError, usageError } from "../exit.js"
import { countText } from "../format.js"
import { noteMissingAgent } from "../noteMissingAgent.js"
import { flag, oneOfParser, option, repeatableOption } from "../options.js"
import type { Output } from "../output.js"
import { type Column, table } from "../table.js"
import { verifyErased } from "../verifyErased.js"
import type { Call, Command } from "./Command.js"

interface EraseCall {
  readonly person?: ReadonlyArray<string>
  readonly session?: string
  readonly source?: string
  readonly everything?: boolean
  readonly reason?: EraseReason
  readonly revive?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
  readonly verify?: boolean
  readonly list?: boolean
  readonly ledger?: string
  readonly in?: ReadonlyArray<string>
  readonly wholeWords?: boolean
}

const reasons = Erase.fields.reason.literals

export const erase: Command<EraseCall, readonly [ids: ReadonlyArray<string>]> = {
  usage: "erase [ids...]",
  summary: "erase content from the log forever, and everything derived from it",
  operator: true,
  takesOptionsOnce: true,
  options: [
    repeatableOption("--person <name>", "erase everything that names this person"),
    option("--session <key>", "erase a session and everything derived from it"),
    option("--source <kind:key>", "erase everything from a source, such as import:notes.md"),
    flag("--everything", "erase the whole agent that --agent names"),
    option(
      "--reason <reason>",
      "record why: privacy, request (default), mistake, secret or legal",
      oneOfParser(reasons)
    ),
    flag("--revive", "reactivate the memories that an erased memory had replaced"),
    flag("--dry-run", "show what would be erased, without erasing it"),
    flag("--yes", "erase without asking (for a whole agent, pass --everything too)"),
    flag("--verify", "search all files for the given texts; erase nothing"),
    repeatableOption("--in <path>", "with --verify: search this file or folder"),
    flag("--whole-words", "with --verify: match whole words only"),
    flag("--list", "list the recorded erasures; erase nothing"),
    option("--ledger <file>", "repeat the erasures that another erasures.log of this log lists")
  ],
  details: [
    "<ids> are those of memories, turns, files or schedules. --agent alone erases the whole agent, after asking.",
    "Without --agent, --person erases in all agents.",
    "An erasure cannot be undone. Exit code 4: erased, but another process still has old pages open."
  ],
  examples: [
    "erase 8k2v0q5w1x --dry-run",
    'erase --person "Anna Berg" --reason privacy --yes',
    "erase --source import:notes.md",
    "erase --agent bob --everything --yes",
    'erase --verify "Anna Berg" "12 Elm Street"',
    'erase --verify "Anna Berg" --in /backups',
    "erase --list",
    "erase --ledger /mnt/other/erasures.log --yes"
  ],
  afterInterruption: "either everything was erased or nothing; run the same command again",
  run: (call, options, [args]) =>
    Effect.gen(function* () {
      const { agent, agentWasPassed, daybook, out } = call
      yield* refuseConflicts(options, args)
      if (options.verify === true) return yield* verifyErased(call, args, options)
      if (options.list === true) {
        const recorded = yield* (yield* daybook).erasures(agentWasPassed ? agent : undefined)
        return yield* out.show(recorded, () => table(out, recorded, recordColumns))
      }
      if (options.ledger !== undefined) return yield* eraseByLedger(call, options.ledger, options.yes === true)
      const selection = yield* selectionOf(call, options, args)
      yield* noteMissingAgent(call)
      const { erase } = yield* daybook
      const { dryRun = false, reason, revive, yes = false } = options
      if (dryRun || !yes) {
        const plan = yield* erase(selection, { dryRun: true, revive })
        if (dryRun) return yield* out.show(plan, () => planText(out, plan))
        if (!isTerminal()) {
          const flags = plan.whole.length > 0 ? "--everything --yes" : "--yes"
          return yield* refusalError(
            `an erasure cannot be undone: pass --dry-run to see what would be erased, or ${flags} to erase it`
          )
        }
        out.warn(yield* Effect.promise(() => planText(out, plan)))
        if (!(yield* ask(questionOf(plan)))) return yield* notYes
      }
      const erasure = yield* erase(selection, { reason, revive, actor: call.actor })
      yield* out.show(reportOf(erasure), () => doneText(erasure))
      yield* requireCleaned(erasure.cleaning)
    })
}

const eraseByLedger = ({ daybook, out }: Call, file: string, yes: boolean) =>
  Effect.gen(function* () {
    if (!yes) {
      if (!isTerminal()) return yield* refusalError("an erasure cannot be undone: pass --yes to erase")
      if (!(yield* ask("Erase everything that this ledger lists, forever? Type yes: "))) return yield* notYes
    }
    const erased = yield* (yield* daybook).eraseByLedger(file)
    const { cleaning, erasures, events } = erased
    yield* out.show(erased, () =>
      erasures === 0
        ? "nothing was erased: this log's own ledger already lists all of these erasures"
        : `repeated ${countText(erasures, "erasure")} from the other ledger: erased ${countText(events, "event")}`
    )
    yield* requireCleaned(cleaning)
  })

const notYes = refusalError('nothing was erased: the answer was not "yes"')

const requireCleaned = (cleaning: Erasure["cleaning"]) =>
  cleaning === "waits"
    ? new CommandEnded({
        code: exitCodes.cleaningWaits,
        message: "erased, but another process still has old pages open: the next start cleans the files"
      })
    : Effect.void

const selectionOf = (
  { agent, agentWasPassed }: Call,
  { everything, person, session, source, yes }: EraseCall,
  ids: ReadonlyArray<string>
) => {
  const selections: ReadonlyArray<Erasable> = [
    ...(ids.length === 0 ? [] : [{ agent, ids }]),
    ...(person === undefined ? [] : [{ persons: person, ...(agentWasPassed ? { agent } : {}) }]),
    ...(session === undefined ? [] : [{ agent, session }]),
    ...(source === undefined ? [] : [{ agent, source }]),
    ...(everything === true ? [{ everythingOf: agent }] : [])
  ]
  if (everything === true && !agentWasPassed)
    return usageError("--everything needs --agent: name the agent to erase as a whole")
  const isAgentAlone = selections.length === 0 && agentWasPassed
  // A script with an empty list of ids also passes only --agent and --yes.
  if (isAgentAlone && yes === true)
    return usageError(`no ids were passed: to erase the whole agent ${agent} without a question, pass --everything too`)
  const [selection, ...others] = isAgentAlone ? [{ everythingOf: agent }] : selections
  if (selection !== undefined && others.length === 0) return Effect.succeed(selection)
  if (ids.length > 0 && others.length > 0)
    return usageError(
      `${ids.join(", ")} was read as an id: pass either ids or one option, and put a name with spaces in quotes`
    )
  return usageError("pass exactly one selection: ids, --person, --session, --source, --everything, or --agent alone")
}

/** The question below the list of content to erase. A long list scrolls away, so it names a whole agent again. */
const questionOf = ({ agents, whole }: Erasure): string => {
  const what = whole.length === 0 ? "all of this" : `everything of ${agents.map(countsText).join(", ")},`
  return `Erase ${what} forever? Type yes: `
}

/** The options that --verify, --list and --ledger allow. The command refuses others, because it would ignore them. */
const companions = {
  verify: ["verify", "in", "wholeWords"],
  list: ["list"],
  ledger: ["ledger", "yes"]
} as const

const refuseConflicts = (options: EraseCall, ids: ReadonlyArray<string>) => {
  const passed = Object.keys(options)
  for (const mode of ["verify", "list", "ledger"] as const) {
    if (options[mode] === undefined) continue
    const other = passed.find((name) => !(companions[mode] as ReadonlyArray<string>).includes(name))
    if (other !== undefined) return usageError(`--${mode} cannot be used with ${flagOf(other)}`)
    return mode !== "verify" && ids.length > 0 ? usageError(`--${mode} takes no ids`) : Effect.void
  }
  const other = passed.find((name) => name === "in" || name === "wholeWords")
  return other === undefined ? Effect.void : usageError(`${flagOf(other)} can only be used with --verify`)
}

const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

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

/** The report of a finished erasure. It omits the titles, because an output is often kept. */
const reportOf = ({ agents, ...others }: Erasure) => ({
  agents: agents.map(({ changed, items: _, memories, retired, ...counts }) => ({
    ...counts,
    changed: changed.map(({ id }) => id),
    retired
  })),
  ...others
})

const countsText = ({ agent, counts, events, remains }: AgentErasure): string => {
  const parts = Object.entries(counts).flatMap(([kind, number]) =>
    number === 0 ? [] : [countText(number, kind.replace(/ies$/, "y").replace(/s$/, ""), kind)]
  )
  const keep = remains === 1 ? "1 of them keeps its" : `${remains} of them keep their`
  const inPart = remains === 0 ? "" : `; ${keep} other content`
  const all = `${countText(events, "event")}${inPart}`
  return parts.length === 0 ? `${agent}: ${all}` : `${agent}: ${parts.join(", ")} (${all})`
}

const planText = async (out: Output, plan: Erasure): Promise<string> => {
  const { agents, leftovers, whole } = plan
  const lines: Array<string> = whole.map((agent) => `everything of ${agent}`)
  for (const erasure of agents) {
    const { changed, retired, revived, sources } = erasure
    lines.push(countsText(erasure))
    const items = await itemsText(out, erasure)
    if (items !== undefined) lines.push(items)
    if (changed.length > 0) {
      lines.push(`${out.colours.bold("rebuilt")} from what remains:`, await table(out, changed, memoryColumns))
    }
    if (revived.length > 0) lines.push(`active again: ${revived.join(", ")}`)
    if (retired.length > 0) lines.push(`stay retired: ${retired.join(", ")}`)
    if (sources.length > 0) {
      const named = sources.map(({ id, kind }) => `${kind} ${id}`)
      lines.push(`not erased, but may contain the same text: ${named.join(", ")}`)
    }
  }
  return [...lines, ...diskText(plan), ...leftoversText(leftovers)].join("\n")
}

/** Lists the files whose text is erased. They stay on the disk, and a program could add them again. */
const diskText = ({ agents }: Erasure): ReadonlyArray<string> => {
  const paths = agents.flatMap(({ items }) => items.flatMap(({ from, kind }) => (kind === "files" ? [from!] : [])))
  return paths.length === 0 ? [] : [`delete these files from the disk yourself: ${[...new Set(paths)].join(", ")}`]
}

const doneText = ({ agents, leftovers, vectors, whole }: Erasure): string =>
  [
    ...whole.map((agent) => `erased everything of ${agent}`),
    ...agents.flatMap((erasure) => [
      `erased from ${countsText(erasure)}`,
      ...(erasure.run === undefined ? [] : [`active again: ${erasure.revived.join(", ")} (run ${erasure.run})`])
    ]),
    ...(agents.some(({ counts }) => counts.files > 0)
      ? ["files on the disk were not deleted: delete them yourself"]
      : []),
    ...(vectors === 0 ? [] : [`removed ${countText(vectors, "cached vector")}`]),
    ...leftoversText(leftovers)
  ].join("\n")

const memoryColumns: ReadonlyArray<Column<AgentErasure["memories"][number]>> = [
  { name: "memory", cell: ({ id }) => id, colour: "cyan" },
  { name: "title", cell: ({ title }) => title, elastic: true }
]
