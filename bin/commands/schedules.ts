import { InvalidArgumentError } from "commander"
import * as Effect from "effect/Effect"
import { Missed, Notify, ScheduleStatus } from "../../events/Schedule.js"
import { limits } from "../../src/model/limits.js"
import type { ScheduleChanges } from "../../src/schedules/input.js"
import type { ScheduleFilter } from "../../src/schedules/Schedule.js"
import { type CommandEnded, usageError } from "../exit.js"
import { countText } from "../format.js"
import {
  type AsOfOptions,
  asOfOption,
  commandIdOption,
  definedFields,
  oneOfParser,
  option,
  type PageOptions,
  pageOptions,
  parseIsoTime,
  parseTimeOrWords,
  repeatableOption,
  type TimeArgument,
  wholeNumberParser
} from "../options.js"
import { runTable, runText, scheduleChangeText, scheduleTable, scheduleText } from "../schedules.js"
import type { Call, Command } from "./Command.js"

interface Options
  extends AsOfOptions,
    PageOptions,
    Omit<ScheduleChanges, "status" | "at" | "from" | "name" | "channel" | "context"> {
  readonly status?: ReadonlyArray<ScheduleStatus>
  readonly text?: string
  readonly before?: TimeArgument
  readonly commandId?: string
  readonly at?: number
  readonly from?: number
  readonly name?: string
  readonly channel?: string
  readonly context?: string
}

/** The options that define a schedule. */
const definitionOptions = [
  "cron",
  "zone",
  "at",
  "every",
  "from",
  "name",
  "handler",
  "notify",
  "missed",
  "keep",
  "channel",
  "context",
  "commandId"
] as const

/** For each verb, the argument that it needs and the options that it accepts. */
const verbs = {
  list: { takes: ["status", "handler", "text", "before", "limit", "offset", "asOf"] },
  count: { takes: ["status", "handler", "text", "before", "asOf"] },
  show: { needs: "an id", takes: ["asOf"] },
  runs: { needs: "an id", takes: ["limit", "offset", "asOf"] },
  run: { needs: "the id of a run", takes: ["asOf"] },
  add: { needs: "a goal", takes: definitionOptions },
  update: { needs: "an id", takes: ["goal", ...definitionOptions] },
  pause: { needs: "an id", takes: ["commandId"] },
  resume: { needs: "an id", takes: ["commandId"] },
  delete: { needs: "an id", takes: ["commandId"] },
  retime: { takes: [] }
} as const satisfies Record<string, { readonly needs?: string; readonly takes: ReadonlyArray<keyof Options> }>

type Verb = keyof typeof verbs

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

const duration = (value: string): number => {
  const [, number, unit] = /^(\d+)([smhd])$/.exec(value) ?? []
  if (number === undefined || Number(number) === 0) {
    throw new InvalidArgumentError("must be a duration such as 90s, 15m, 2h or 1d")
  }
  return Number(number) * units[unit!]!
}

export const schedules: Command<Options, readonly [action: Verb | undefined, id: string | undefined]> = {
  usage: "schedules [action] [id]",
  words: Object.keys(verbs),
  creates: "add",
  summary: "manage schedules (to run them, a program must provide handlers)",
  operator: true,
  details: [
    `action: ${Object.keys(verbs).join(", ")} (default: list)`,
    "--status, --handler, --text and --before select the schedules of `list` and `count`."
  ],
  options: [
    option("--cron <expression>", "run at the times of a cron expression: minute hour day month weekday"),
    option("--zone <zone>", "with --cron: set the time zone (default: the policy's schedules.zone)"),
    option("--at <time>", "run once, at this time", parseIsoTime),
    option("--every <length>", "repeat at this interval: 90s, 15m, 2h, 1d", duration),
    option("--from <time>", "with --every: run first at this time", parseIsoTime),
    option("--goal <text>", "for `update`: set the goal"),
    option("--name <name>", "set the name"),
    option("--handler <name>", 'set the handler that runs the schedule (default: "default")'),
    option("--notify <when>", `notify after these runs: ${Notify.literals.join(", ")}`, oneOfParser(Notify.literals)),
    option("--missed <how>", `catch up on missed runs: ${Missed.literals.join(", ")}`, oneOfParser(Missed.literals)),
    option("--keep <n>", "keep n runs in the schedule's history", wholeNumberParser(1, limits.page)),
    option("--channel <name>", "set the channel where the schedule was requested"),
    option("--context <name>", "set the place within the channel, such as a thread"),
    repeatableOption(
      "--status <status>",
      `show only this status: ${ScheduleStatus.literals.join(", ")}`,
      oneOfParser(ScheduleStatus.literals)
    ),
    option("--text <text>", "show only schedules with this text in the name or goal"),
    option("--before <time>", "show only schedules due before this time", parseTimeOrWords),
    ...pageOptions,
    asOfOption,
    commandIdOption
  ],
  examples: [
    "schedules add 'Tell the tide' --cron '30 9 * * mon-fri' --zone Europe/Berlin --handler tides",
    "schedules list --status active",
    "schedules runs 8k2v0q5w1x --limit 5",
    "schedules pause 8k2v0q5w1x"
  ],
  run: (call, options, [action = "list", id]) =>
    Effect.gen(function* () {
      const verb = yield* checked(action, id, options)
      yield* runVerb(call, verb, id ?? "", options)
    })
}

/**
 * Returns the verb. Fails for an unknown verb, a missing or surplus argument, or an option that the verb does not
 * accept.
 */
const checked = (action: string, id: string | undefined, options: Options): Effect.Effect<Verb, CommandEnded> => {
  if (!Object.hasOwn(verbs, action)) return usageError(`action: must be one of ${Object.keys(verbs).join(", ")}`)
  const { needs, takes }: { readonly needs?: string; readonly takes: ReadonlyArray<string> } = verbs[action as Verb]
  if (needs !== undefined && id === undefined) return usageError(`'schedules ${action}' needs ${needs}`)
  if (needs === undefined && id !== undefined) return usageError(`'schedules ${action}' takes no argument`)
  const surplus = Object.entries(options).find(([name, value]) => value !== undefined && !takes.includes(name))
  return surplus === undefined
    ? Effect.succeed(action as Verb)
    : usageError(
        `'schedules ${action}' takes no --${surplus[0].replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
      )
}

const runVerb = (call: Call, verb: Verb, id: string, options: Options) =>
  Effect.gen(function* () {
    const { out } = call
    const { asOf, before, commandId, limit, offset, status, text, ...fields } = options
    const page = { limit, offset }
    const filter: ScheduleFilter = {
      statuses: status,
      handlers: fields.handler === undefined ? undefined : [fields.handler],
      text,
      before: yield* call.resolveTime(before)
    }
    switch (verb) {
      case "list": {
        const rows = yield* Effect.flatMap(call.reader(asOf), (memory) => memory.schedules.list({ ...filter, ...page }))
        return yield* out.show(rows, () => scheduleTable(out, rows))
      }
      case "count": {
        const counted = yield* Effect.flatMap(call.reader(asOf), (memory) => memory.schedules.count(filter))
        return yield* out.show({ schedules: counted }, () => countText(counted, "schedule"))
      }
      case "show": {
        const schedule = yield* Effect.flatMap(call.reader(asOf), (memory) => memory.schedules.get(id))
        return yield* out.show(schedule, () => scheduleText(out, schedule))
      }
      case "runs": {
        const memory = yield* call.reader(asOf)
        const { cadence } = yield* memory.schedules.get(id)
        const runs = yield* memory.schedules.runs(id, page)
        return yield* out.show(runs, () => runTable(out, runs, cadence))
      }
      case "run": {
        const memory = yield* call.reader(asOf)
        const run = yield* memory.schedules.run(id)
        const { cadence } = yield* memory.schedules.get(run.schedule)
        return yield* out.show(run, () => runText(out, run, cadence))
      }
      case "retime": {
        const timed = yield* Effect.flatMap(call.daybook, ({ runner }) => runner.retime)
        return yield* out.show(timed, () =>
          [
            `checked the timers of ${countText(timed.agents, "agent")}, repaired ${timed.mended.length}`,
            ...timed.mended
          ].join("\n")
        )
      }
      default: {
        const memory = yield* call.memory
        const changed = yield* verb === "add"
          ? memory.schedules.add({ ...definedFields(fields), goal: id }, { commandId })
          : verb === "delete"
            ? memory.schedules.delete(id, { commandId })
            : memory.schedules.update(
                id,
                verb === "update" ? definedFields(fields) : { status: verb === "pause" ? "paused" : "active" },
                { commandId }
              )
        const schedule = verb === "delete" ? undefined : yield* memory.schedules.get(changed.id)
        return yield* out.show(changed, () => scheduleChangeText(changed, schedule?.cadence))
      }
    }
  })
