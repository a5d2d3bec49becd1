import { InvalidArgumentError } from "commander"
import * as Effect from "effect/Effect"
import { Missed, Notify, ScheduleStatus } from "../../events/Schedule.js"
import { limits } from "../../src/model/limits.js"
import type { ScheduleChanges } from "../../src/schedules/input.js"
import type { ScheduleFilter } from "../../src/schedules/Schedule.js"
import { Ended, exitCodes } from "../exit.js"
import { count } from "../format.js"
import {
  type AsOfOptions,
  among,
  asOf,
  commandId,
  given,
  instant,
  type Moment,
  many,
  moment,
  one,
  type PageOptions,
  pageOptions,
  whole
} from "../options.js"
import { runTable, runText, scheduledText, scheduleTable, scheduleText } from "../schedules.js"
import type { Call, Command } from "./Command.js"

interface Options
  extends AsOfOptions,
    PageOptions,
    Omit<ScheduleChanges, "status" | "at" | "from" | "name" | "channel" | "context"> {
  readonly status?: ReadonlyArray<ScheduleStatus>
  readonly text?: string
  readonly before?: Moment
  readonly commandId?: string
  readonly at?: number
  readonly from?: number
  readonly name?: string
  readonly channel?: string
  readonly context?: string
}

/** What each verb does, what it needs behind it, and the options that it takes. */
const verbs = {
  list: { takes: ["status", "handler", "text", "before", "limit", "offset", "asOf"] },
  count: { takes: ["status", "handler", "text", "before", "asOf"] },
  show: { needs: "an id", takes: ["asOf"] },
  runs: { needs: "an id", takes: ["limit", "offset", "asOf"] },
  run: { needs: "the id of a run", takes: ["asOf"] },
  add: {
    needs: "a goal",
    takes: [
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
    ]
  },
  update: {
    needs: "an id",
    takes: [
      "goal",
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
    ]
  },
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
    throw new InvalidArgumentError("must be a length of time, such as 90s, 15m, 2h or 1d")
  }
  return Number(number) * units[unit!]!
}

export const schedules: Command<Options, readonly [what: Verb | undefined, id: string | undefined]> = {
  usage: "schedules [what] [id]",
  creates: "add",
  summary: `what is to be done at its time (${Object.keys(verbs).join(", ")}); a program with handlers does it`,
  operator: true,
  options: [
    one("--cron <expression>", "minute hour day month weekday, such as '30 9 * * mon-fri'"),
    one("--zone <zone>", "the time zone of --cron (default: the policy's schedules.zone)"),
    one("--at <time>", "once, then", instant),
    one("--every <length>", "again and again: 90s, 15m, 2h, 1d", duration),
    one("--from <time>", "the first time of --every", instant),
    one("--goal <text>", "of 'update': what is to come of it"),
    one("--name <name>", "what it is called"),
    one("--handler <name>", "what carries it out (default: default)"),
    one("--notify <when>", `when somebody is told: ${Notify.literals.join(", ")}`, among(Notify.literals)),
    one("--missed <how>", "how often what was missed is done: once, or each time", among(Missed.literals)),
    one("--keep <n>", "runs that its history keeps", whole(1, limits.page)),
    one("--channel <name>", "where it was asked for"),
    one("--context <name>", "where in there"),
    many(
      "--status <status>",
      `of 'list' and 'count': ${ScheduleStatus.literals.join(", ")}`,
      among(ScheduleStatus.literals)
    ),
    one("--text <text>", "of 'list' and 'count': stands in the name or the goal"),
    one("--before <time>", "of 'list' and 'count': due before then", moment),
    ...pageOptions,
    asOf,
    commandId
  ],
  examples: [
    "schedules add 'Tell the tide' --cron '30 9 * * mon-fri' --zone Europe/Berlin --handler tides",
    "schedules list --status active",
    "schedules runs 8k2v0q5w1x --limit 5",
    "schedules pause 8k2v0q5w1x"
  ],
  run: (call, options, [what = "list", id]) =>
    Effect.gen(function* () {
      const verb = yield* checked(what, id, options)
      yield* carriedOut(call, verb, id ?? "", options)
    })
}

/** A verb that there is, with what it needs and no option that it does not take. */
const checked = (what: string, id: string | undefined, options: Options): Effect.Effect<Verb, Ended> => {
  if (!Object.hasOwn(verbs, what)) return badCall(`what: must be one of ${Object.keys(verbs).join(", ")}`)
  const { needs, takes }: { readonly needs?: string; readonly takes: ReadonlyArray<string> } = verbs[what as Verb]
  if (needs !== undefined && id === undefined) return badCall(`'schedules ${what}' needs ${needs}`)
  if (needs === undefined && id !== undefined) return badCall(`'schedules ${what}' takes nothing behind it`)
  const odd = Object.entries(options).find(([name, value]) => value !== undefined && !takes.includes(name))
  return odd === undefined
    ? Effect.succeed(what as Verb)
    : badCall(`'schedules ${what}' takes no --${odd[0].replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
}

const badCall = (message: string) => Effect.fail(new Ended({ message, code: exitCodes.badCall }))

const carriedOut = (call: Call, verb: Verb, id: string, options: Options) =>
  Effect.gen(function* () {
    const { out } = call
    const { asOf, before, commandId, limit, offset, status, text, ...fields } = options
    const page = { limit, offset }
    const filter: ScheduleFilter = {
      statuses: status,
      handlers: fields.handler === undefined ? undefined : [fields.handler],
      text,
      before: yield* call.momentOf(before)
    }
    switch (verb) {
      case "list": {
        const found = yield* Effect.flatMap(call.reader(asOf), (memory) => memory.schedules({ ...filter, ...page }))
        return yield* out.show(found, () => scheduleTable(out, found))
      }
      case "count": {
        const counted = yield* Effect.flatMap(call.reader(asOf), (memory) => memory.countSchedules(filter))
        return yield* out.show({ schedules: counted }, () => count(counted, "schedule"))
      }
      case "show": {
        const schedule = yield* Effect.flatMap(call.reader(asOf), (memory) => memory.schedule(id))
        return yield* out.show(schedule, () => scheduleText(out, schedule))
      }
      case "runs": {
        const memory = yield* call.reader(asOf)
        const { cadence } = yield* memory.schedule(id)
        const runs = yield* memory.scheduleRuns(id, page)
        return yield* out.show(runs, () => runTable(out, runs, cadence))
      }
      case "run": {
        const memory = yield* call.reader(asOf)
        const run = yield* memory.scheduleRun(id)
        const { cadence } = yield* memory.schedule(run.schedule)
        return yield* out.show(run, () => runText(out, run, cadence))
      }
      case "retime": {
        const timed = yield* Effect.flatMap(call.daybook, ({ runner }) => runner.retime)
        return yield* out.show(timed, () =>
          [`timers of ${count(timed.agents, "agent")} looked at, ${timed.mended.length} mended`, ...timed.mended].join(
            "\n"
          )
        )
      }
      default: {
        const memory = yield* call.memory
        const done = yield* verb === "add"
          ? memory.addSchedule({ ...given(fields), goal: id }, { commandId })
          : verb === "delete"
            ? memory.deleteSchedule(id, { commandId })
            : memory.updateSchedule(
                id,
                verb === "update" ? given(fields) : { status: verb === "pause" ? "paused" : "active" },
                { commandId }
              )
        const schedule = verb === "delete" ? undefined : yield* memory.schedule(done.id)
        return yield* out.show(done, () => scheduledText(done, schedule?.cadence))
      }
    }
  })
