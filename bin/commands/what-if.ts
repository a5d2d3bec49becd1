import * as Effect from "effect/Effect"
import { decodePolicy, readPolicyDocument } from "../../layers/config.js"
import { decode, type PolicyValues } from "../../src/ports/Policy.js"
import { type DecisionResult, type DifferenceCause, isSame, type WhatIf } from "../../src/whatIf/WhatIf.js"
import { toIso } from "../../text/when/dates.js"
import { buildReconciler } from "../buildReconciler.js"
import { countText, oneLine } from "../format.js"
import {
  definedFields,
  flag,
  oneOfParser,
  option,
  parseFraction,
  parseNonEmpty,
  wholeNumberParser
} from "../options.js"
import type { Output } from "../output.js"
import { type Column, fieldsTable, table } from "../table.js"
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
  summary: "replay past decisions under another policy and show what changes",
  operator: true,
  options: [
    option("--policy <file>", "use this policy file (TOML, JSON); other options override it", parseNonEmpty),
    option("--reconciler <name>", `decide with ${reconcilers.join(", ")}`, oneOfParser(reconcilers)),
    option("--threshold <number>", "compare only with memories of at least this similarity, 0 to 1", parseFraction),
    option("--candidates <n>", "compare with at most n memories", wholeNumberParser(1)),
    option("--from <version>", "start at this version of the log (default: the first)", wholeNumberParser(1)),
    option("--to <version>", "end at this version (default: the newest)", wholeNumberParser(1)),
    flag("--ask", "if the log has no answer, ask the model instead of the rules"),
    option("--limit <n>", "show at most n rows of each table (default: 20)", wholeNumberParser(1))
  ],
  details: ["Nothing is changed: the replay runs in a temporary branch."],
  examples: [
    "what-if --threshold 0.5",
    "what-if --policy stricter.toml --from 200",
    "what-if --reconciler none --json"
  ],
  afterInterruption: "nothing was changed; run the same command again",
  run: ({ agent, checkFolder, daybook, out, policyFile }, { ask, from, limit = 20, policy: given, to, ...changes }) =>
    Effect.gen(function* () {
      if (given === undefined) yield* checkFolder
      const { file } = yield* policyFile(given)
      const document = yield* readPolicyDocument(file)
      const base = yield* decodePolicy(file, document)
      const reconcile = { ...base.reconcile, ...definedFields(changes) }
      const reconciler = yield* buildReconciler(yield* decode({ ...base, reconcile }))
      const opened = yield* daybook
      const result = yield* opened.whatIf(agent, {
        from,
        to,
        policy: { ...(document as object), reconcile },
        reconciler,
        ask,
        onProgress: ({ done, total }) => out.progress(done, total)
      })
      const printed = withTimes(result)
      yield* out.show(printed, () => text(out, printed, limit))
    })
}

/** Converts the changed fields that contain times to ISO 8601 in UTC. */
const withTimes = (result: WhatIf): WhatIf => {
  const iso = (value: unknown) => (typeof value === "number" ? toIso(value) : value)
  const bothSides = (sides: object) =>
    Object.fromEntries(Object.entries(sides).map(([side, value]) => [side, iso(value)]))
  const changed = result.memories.changed.map(({ fields, ...memory }) => ({
    ...memory,
    fields: Object.fromEntries(
      Object.entries(fields).map(([field, sides]) => [field, /At$/.test(field) ? bothSides(sides) : sides])
    )
  }))
  return { ...result, memories: { ...result.memories, changed } }
}

const text = async (out: Output, result: WhatIf, limit: number): Promise<string> => {
  const { changed, onlyBranch, onlyLive } = result.memories
  const part = async <Row>(heading: string, rows: ReadonlyArray<Row>, columns: ReadonlyArray<Column<Row>>) => {
    if (rows.length === 0) return []
    const moreLine = rows.length > limit ? [out.colours.dim(`… and ${rows.length - limit} more`)] : []
    return [[out.colours.bold(heading), await table(out, rows.slice(0, limit), columns), ...moreLine].join("\n")]
  }
  const oneSideColumns = [
    { name: "id", cell: ({ id }) => id, colour: "cyan" },
    { name: "type", cell: ({ type }) => type },
    { name: "store", cell: ({ store }) => store },
    { name: "other side", cell: ({ elsewhere }) => elsewhere ?? "absent" },
    { name: "title", cell: ({ title }) => title, elastic: true }
  ] satisfies ReadonlyArray<Column<(typeof onlyLive)[number]>>
  const parts = [
    ...(await part("Decisions that change", result.decisions, [
      { name: "version", cell: ({ version }) => version, alignRight: true },
      { name: "now", cell: ({ before }) => outcomeText(before) },
      { name: "replay", cell: ({ after }) => outcomeText(after) },
      { name: "why", cell: ({ why }) => reasonText(why) },
      { name: "title", cell: ({ title }) => title, elastic: true }
    ])),
    ...(await part("Changes to memories that do not exist in the replay", result.skipped, [
      { name: "version", cell: ({ version }) => version, alignRight: true },
      { name: "change", cell: ({ change }) => change },
      { name: "id", cell: ({ id }) => id, colour: "cyan" },
      { name: "why", cell: ({ follows }) => reasonText({ kind: "follows", version: follows }) },
      { name: "title", cell: ({ title }) => title, elastic: true }
    ])),
    ...(await part("Memories that exist only now", onlyLive, oneSideColumns)),
    ...(await part("Memories that exist only in the replay", onlyBranch, oneSideColumns)),
    ...(await part(
      "Memories with other content",
      changed.flatMap(({ fields, id }) => Object.entries(fields).map(([field, sides]) => ({ id, field, ...sides }))),
      [
        { name: "id", cell: ({ id }) => id, colour: "cyan" },
        { name: "field", cell: ({ field }) => field },
        { name: "now", cell: ({ live }) => shortText(live) },
        { name: "replay", cell: ({ branch }) => shortText(branch) }
      ]
    ))
  ]
  if (result.erased.length > 0)
    parts.push(`${out.colours.bold("Erased, so not decided again")}: ${result.erased.join(", ")}`)
  return [...(isSame(result) ? [out.colours.bold("Nothing would change")] : parts), summary(out, result)].join("\n\n")
}

const summary = (out: Output, { counts, from, memories, reconciler, to }: WhatIf): string => {
  const { answers, outcomes } = counts
  const { changed, onlyBranch, onlyLive } = memories
  const list = (numbers: Readonly<Record<string, number>>) =>
    Object.entries(numbers)
      .flatMap(([name, number]) => (number === 0 ? [] : [`${number} ${name}`]))
      .join(", ") || "none"
  const askedText = counts.asked === 0 ? "" : `; ${countText(counts.asked, "question")} asked`
  return fieldsTable(out, [
    ["versions", `${from} to ${to}`],
    ["reconciler", reconciler],
    [
      "decisions",
      `${counts.decided} replayed, ${counts.different} changed, ${counts.otherGrounds} the same for another reason`
    ],
    ["answers", `${list(answers)}${askedText}`],
    ["now", list(outcomes.live)],
    ["replay", list(outcomes.branch)],
    [
      "memories",
      `${counts.memories.live} now, ${counts.memories.branch} in the replay: ${onlyLive.length} only now, ${onlyBranch.length} only in the replay, ${changed.length} with other content`
    ],
    ...(counts.unembedded === 0 ? [] : [["not embedded", countText(counts.unembedded, "text")] as const])
  ])
}

const outcomeText = ({ disputes = [], id, outcome, replaced }: DecisionResult): string => {
  if (outcome === "replaced") return `replaced ${replaced}`
  if (disputes.length > 0) return `disputes ${disputes.join(", ")}`
  return outcome === "added" || outcome === "refused" ? outcome : `${outcome} ${id}`
}

const reasonText = (cause: DifferenceCause): string =>
  cause.kind === "follows" ? (cause.version === 0 ? "already gone" : `follows from ${cause.version}`) : cause.kind

/** A field's value, cut to 60 characters. */
const shortText = (value: unknown): string => {
  if (value === undefined) return "(none)"
  const whole = oneLine(typeof value === "string" ? value : JSON.stringify(value))
  return whole.length > 60 ? `${whole.slice(0, 59).toWellFormed()}…` : whole
}
