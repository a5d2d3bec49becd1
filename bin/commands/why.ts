import * as Effect from "effect/Effect"
import type { Extracted } from "../../events/catalogue.js"
import { describeLifeScore } from "../../src/search/score.js"
import type { Why, WhySource, WhyVersion } from "../../src/why.js"
import { actorText, countText, oneLine, staleText, timestampText } from "../format.js"
import { type AsOfOptions, asOfOption, option, wholeNumberParser } from "../options.js"
import type { Colours } from "../terminalText.js"
import type { Command } from "./Command.js"

interface WhyOptions extends AsOfOptions {
  readonly limit?: number
}

export const why: Command<WhyOptions, readonly [id: string]> = {
  usage: "why <id>",
  alias: "explain",
  summary: "explain how and why a memory was created or changed",
  options: [asOfOption, option("--limit <n>", "show the n newest versions (default: 20)", wholeNumberParser(1, 200))],
  examples: ["why 8k2v0q5w1x", "why 8k2v0q5w1x --json"],
  run: ({ out, reader }, { asOf, limit }, [id]) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const answer = yield* memory.why(id, { limit })
      yield* out.show(answer, () => tree(answer, out.colours).join("\n"))
    })
}

/** A line of the tree and the lines below it. */
interface Branch {
  readonly text: string
  readonly children?: ReadonlyArray<Branch>
}

const tree = (why: Why, colours: Colours): ReadonlyArray<string> => {
  const { memory } = why
  const recalled = memory.accesses === undefined ? "" : `, recalled ${countText(memory.accesses, "time")}`
  const details = `${memory.type}, ${memory.store}, ${memory.status}, mentioned ${countText(memory.mentions, "time")}${recalled}`
  const head = `${colours.cyan(memory.id)}  ${colours.bold(oneLine(memory.title))}`
  const branches: ReadonlyArray<Branch> = [
    ...(memory.stale === undefined ? [] : [{ text: colours.red(`stale: ${staleText(memory.stale)}`) }]),
    ...group(
      `disputed by${memory.moreSides === undefined ? "" : ` these and ${memory.moreSides} more`}`,
      (memory.disputedBy ?? []).map(({ id, level, title }) => ({
        text: `${colours.cyan(id)} (${level})  ${oneLine(title)}`
      }))
    ),
    ...(why.supersededBy === null
      ? []
      : [{ text: `replaced by ${colours.cyan(why.supersededBy.id)}  ${oneLine(why.supersededBy.title)}` }]),
    ...(why.life === null
      ? []
      : [
          {
            text: oneLine(describeLifeScore(why.life.score)),
            children: [{ text: `${why.life.action}: ${why.life.reason}` }]
          }
        ]),
    ...(why.earlier === 0 ? [] : [{ text: colours.dim(`${countText(why.earlier, "earlier version")} not shown`) }]),
    ...why.versions.map((version) => versionBranch(version, colours)),
    ...group(
      "replaces",
      why.supersedes.map(({ id, title }) => ({ text: `${colours.cyan(id)}  ${oneLine(title)}` }))
    ),
    ...group(
      "sources",
      why.sources.map((source) => sourceBranch(source, colours))
    ),
    ...group(
      "derived memories",
      why.madeOf.map(({ id, title }) => ({ text: `${colours.cyan(id)}  ${oneLine(title)}` }))
    )
  ]
  return [head, colours.dim(details), ...drawTree(branches, colours)]
}

const group = (text: string, children: ReadonlyArray<Branch>): ReadonlyArray<Branch> =>
  children.length === 0 ? [] : [{ text, children }]

const versionBranch = (
  { actor, changes, decision, recordedAt, revision, type, version }: WhyVersion,
  colours: Colours
): Branch => {
  const versionText = version === undefined ? String(revision) : `${revision} (version ${version})`
  const text = `${colours.bold(versionText)}  ${timestampText(recordedAt)}  ${colours.cyan(decision?.action ?? type)} by ${actorText(actor)}`
  if (decision === null) return { text: `${text}  ${colours.dim("its content was erased")}` }
  const { by, candidates, extracted, fallback, latency, reason, threshold } = decision
  const decisionLines = [
    ...(threshold === undefined ? [] : [`${countText(candidates.length, "candidate")} above ${threshold}`]),
    ...(latency === undefined ? [] : [`${latency} ms`])
  ]
  const groundsText = decisionLines.length === 0 ? "" : ` (${decisionLines.join(", ")})`
  return {
    text,
    children: [
      { text: `${oneLine(by.name)}: ${oneLine(reason)}${colours.dim(groundsText)}` },
      ...(extracted === undefined ? [] : [{ text: extractedText(extracted) }]),
      ...(fallback === undefined ? [] : [{ text: colours.yellow(`fallback used: ${oneLine(fallback)}`) }]),
      ...candidates.map(({ id, said, score }) => ({
        text: `${score.toFixed(2)}  ${colours.cyan(id)}  ${oneLine([said.title, ...said.facts].join(" · "))}`
      })),
      ...changes.flatMap(({ after, before, field }) => [
        ...(before === null ? [] : [{ text: colours.red(`- ${field}: ${valueText(before)}`) }]),
        ...(after === null ? [] : [{ text: colours.green(`+ ${field}: ${valueText(after)}`) }])
      ])
    ]
  }
}

const extractedText = ({ rule, statedBy }: Extracted): string =>
  `extracted by ${oneLine(rule)}${statedBy === undefined ? "" : `, stated by ${statedBy}`}`

const sourceBranch = (source: WhySource, colours: Colours): Branch => {
  if (source.kind === "file") return { text: `file ${oneLine(source.path)} (${source.reason})` }
  if (source.kind === "memory") {
    return {
      text: `memory ${colours.cyan(source.id)} (${source.reason})  ${oneLine(source.memory?.title ?? "")}`.trimEnd()
    }
  }
  const { because, turn } = source
  const reasonText = because === undefined ? source.reason : `${source.reason}: ${oneLine(because)}`
  if (turn === undefined) return { text: `turn ${source.id} (${reasonText}), no longer available` }
  const speaker = turn.speaker ?? turn.role
  return {
    text: `turn ${turn.sequence} of ${oneLine(turn.session)} (${reasonText})  ${oneLine(speaker)}: ${oneLine(turn.text)}`
  }
}

const valueText = (value: unknown): string => oneLine(typeof value === "string" ? value : JSON.stringify(value))

const drawTree = (branches: ReadonlyArray<Branch>, colours: Colours): ReadonlyArray<string> =>
  branches.flatMap(({ children = [], text }, index) => {
    const last = index === branches.length - 1
    return [
      `${colours.dim(last ? "└─" : "├─")} ${text}`,
      ...drawTree(children, colours).map((line) => `${last ? "  " : colours.dim("│ ")} ${line}`)
    ]
  })
