import * as Effect from "effect/Effect"
import { decode, type PolicyValues } from "../../src/ports/Policy.js"
import { isSame, type Taken, type WhatIf, type Why } from "../../src/whatIf/WhatIf.js"
import { toIso } from "../../text/when/dates.js"
import { count, oneLine } from "../format.js"
import { among, filled, flag, given, one, share, whole } from "../options.js"
import type { Output } from "../output.js"
import { reconcilerNamed } from "../reconcilerNamed.js"
import { type Column, fields, table } from "../table.js"
import type { Command } from "./Command.js"

interface WhatIfOptions {
  readonly from?: number
  readonly to?: number
  readonly policy?: string
  readonly reconciler?: PolicyValues["reconcile"]["reconciler"]
  readonly threshold?: number
  readonly candidates?: number
  readonly ask?: boolean
  readonly limit?: number
}

const reconcilers = ["rules", "model", "hybrid", "none"] as const

export const whatIf: Command<WhatIfOptions> = {
  usage: "what-if",
  summary: "what would be otherwise had history been decided under another policy; nothing is changed",
  operator: true,
  options: [
    one(
      "--policy <file>",
      "a policy (TOML, JSON) in place of the one in force; the options below go before it",
      filled
    ),
    one("--reconciler <name>", `who decides: ${reconcilers.join(", ")}`, among(reconcilers)),
    one("--threshold <number>", "how like a memory must be to be weighed, 0 to 1", share),
    one("--candidates <n>", "weigh at most so many", whole(1)),
    one("--from <version>", "decide again from this version of the log on (default: all of it)", whole(1)),
    one("--to <version>", "up to this one (default: the newest)", whole(1)),
    flag("--ask", "ask the model where the log has no answer of it to the same question (default: rules decide)"),
    one("--limit <n>", "show at most so many rows of each table (default: 20)", whole(1))
  ],
  examples: [
    "what-if --threshold 0.5",
    "what-if --policy stricter.toml --from 200",
    "what-if --reconciler none --json"
  ],
  run: ({ agent, daybook, out, policy, policyIn }, { ask, from, limit = 20, policy: file, to, ...changes }) =>
    Effect.gen(function* () {
      const base = yield* file === undefined ? policy : policyIn(file)
      const wanted = yield* decode({ ...base, reconcile: { ...base.reconcile, ...given(changes) } })
      const reconciler = yield* reconcilerNamed(wanted)
      const opened = yield* daybook
      const found = yield* opened.whatIf(agent, {
        from,
        to,
        policy: wanted,
        reconciler,
        ask,
        onProgress: ({ done, total }) => out.progress(done, total)
      })
      const shown = withTimes(found)
      yield* out.show(shown, () => text(out, shown, limit))
    })
}

/** Fields that hold times as everybody is given them, ISO 8601 in UTC. */
const withTimes = (found: WhatIf): WhatIf => {
  const iso = (value: unknown) => (typeof value === "number" ? toIso(value) : value)
  const both = (sides: object) => Object.fromEntries(Object.entries(sides).map(([side, value]) => [side, iso(value)]))
  const changed = found.memories.changed.map(({ fields, ...one }) => ({
    ...one,
    fields: Object.fromEntries(
      Object.entries(fields).map(([field, sides]) => [field, /At$/.test(field) ? both(sides) : sides])
    )
  }))
  return { ...found, memories: { ...found.memories, changed } }
}

const text = async (out: Output, found: WhatIf, limit: number): Promise<string> => {
  const { changed, onlyBranch, onlyLive } = found.memories
  const part = async <Row>(heading: string, rows: ReadonlyArray<Row>, columns: ReadonlyArray<Column<Row>>) => {
    if (rows.length === 0) return []
    const more = rows.length > limit ? [out.colours.dim(`… and ${rows.length - limit} more`)] : []
    return [[out.colours.bold(heading), await table(out, rows.slice(0, limit), columns), ...more].join("\n")]
  }
  const alone = [
    { name: "id", of: ({ id }) => id, colour: "cyan" },
    { name: "type", of: ({ type }) => type },
    { name: "store", of: ({ store }) => store },
    { name: "on the other side", of: ({ elsewhere }) => elsewhere ?? "never there" },
    { name: "title", of: ({ title }) => title, elastic: true }
  ] satisfies ReadonlyArray<Column<(typeof onlyLive)[number]>>
  const parts = [
    ...(await part("Decisions that come out otherwise", found.decisions, [
      { name: "version", of: ({ version }) => version, right: true },
      { name: "now", of: ({ before }) => took(before) },
      { name: "what if", of: ({ after }) => took(after) },
      { name: "why", of: ({ why }) => because(why) },
      { name: "title", of: ({ title }) => title, elastic: true }
    ])),
    ...(await part("Changes that find no memory", found.skipped, [
      { name: "version", of: ({ version }) => version, right: true },
      { name: "change", of: ({ change }) => change },
      { name: "id", of: ({ id }) => id, colour: "cyan" },
      { name: "why", of: ({ follows }) => because({ kind: "follows", version: follows }) },
      { name: "title", of: ({ title }) => title, elastic: true }
    ])),
    ...(await part("Memories that are there only now", onlyLive, alone)),
    ...(await part("Memories that are there only what if", onlyBranch, alone)),
    ...(await part(
      "Memories that say something else",
      changed.flatMap(({ fields, id }) => Object.entries(fields).map(([field, sides]) => ({ id, field, ...sides }))),
      [
        { name: "id", of: ({ id }) => id, colour: "cyan" },
        { name: "field", of: ({ field }) => field },
        { name: "now", of: ({ live }) => short(live) },
        { name: "what if", of: ({ branch }) => short(branch) }
      ]
    ))
  ]
  return [...(isSame(found) ? [out.colours.bold("Nothing would be otherwise")] : parts), summary(out, found)].join(
    "\n\n"
  )
}

const summary = (out: Output, { counts, from, memories, reconciler, to }: WhatIf): string => {
  const { answers, outcomes } = counts
  const { changed, onlyBranch, onlyLive } = memories
  const list = (numbers: Readonly<Record<string, number>>) =>
    Object.entries(numbers)
      .flatMap(([name, number]) => (number === 0 ? [] : [`${number} ${name}`]))
      .join(", ") || "none"
  const asked = counts.asked === 0 ? "" : `; ${count(counts.asked, "question")} asked`
  return fields(out, [
    ["versions", `${from} to ${to}`],
    ["reconciler", reconciler],
    [
      "decisions",
      `${counts.decided} taken again, ${counts.different} otherwise, ${counts.otherGrounds} the same on other grounds`
    ],
    ["answers", `${list(answers)}${asked}`],
    ["now", list(outcomes.live)],
    ["what if", list(outcomes.branch)],
    [
      "memories",
      `${counts.memories.live} now, ${counts.memories.branch} what if: ${onlyLive.length} only now, ${onlyBranch.length} only what if, ${changed.length} say something else`
    ],
    ...(counts.unembedded === 0 ? [] : [["not embedded", count(counts.unembedded, "text")] as const])
  ])
}

const took = ({ id, outcome, replaced }: Taken): string => {
  if (outcome === "replaced") return `replaced ${replaced}`
  return outcome === "added" || outcome === "refused" ? outcome : `${outcome} ${id}`
}

const because = (why: Why): string =>
  why.kind === "follows" ? (why.version === 0 ? "was gone by then" : `follows from ${why.version}`) : why.kind

/** A field's value, no longer than a glance. */
const short = (value: unknown): string => {
  if (value === undefined) return "(none)"
  const whole = oneLine(typeof value === "string" ? value : JSON.stringify(value))
  return whole.length > 60 ? `${whole.slice(0, 59).toWellFormed()}…` : whole
}
