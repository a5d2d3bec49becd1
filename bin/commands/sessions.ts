import * as Effect from "effect/Effect"
import type { SessionSummary } from "../../src/maintenance/SessionSummaries.js"
import { SessionNotFound } from "../../src/model/errors.js"
import { countText, timestampText } from "../format.js"
import { type AsOfOptions, asOfOption, flag, option, type PageOptions, pageOptions } from "../options.js"
import type { Output } from "../output.js"
import { table } from "../table.js"
import type { Command } from "./Command.js"

export const sessions: Command<AsOfOptions & PageOptions & { readonly summary?: boolean; readonly session?: string }> =
  {
    usage: "sessions",
    summary: "list conversations, most recently used first",
    options: [
      flag("--summary", "show summaries: request, outcome, decisions, open questions"),
      option("--session <key>", "show the summary of this session only"),
      ...pageOptions,
      asOfOption
    ],
    examples: ["sessions", "sessions --limit 5", "sessions --summary", "sessions --summary --session monday"],
    run: ({ out, reader }, { asOf, limit, offset, session, summary }) =>
      Effect.gen(function* () {
        const memory = yield* reader(asOf)
        if (summary === true || session !== undefined) {
          const summaries = yield* memory.sessions.summaries({ limit, offset, session })
          if (summaries.length === 0 && session !== undefined) {
            const turns = yield* memory.sessions.get(session, { last: 1 })
            if (turns.length === 0) return yield* new SessionNotFound({ session })
          }
          return yield* out.show(summaries, () => summariesText(out, summaries))
        }
        const page = yield* memory.sessions.list({ limit, offset })
        yield* out.show(page, () =>
          table(out, page, [
            { name: "session", cell: ({ session }) => session, colour: "cyan" },
            { name: "store", cell: ({ store }) => store },
            { name: "turns", cell: ({ turns }) => turns, alignRight: true },
            { name: "tokens", cell: ({ tokens }) => tokens, alignRight: true },
            { name: "last said", cell: ({ lastAt }) => timestampText(lastAt) },
            { name: "speakers", cell: ({ speakers }) => speakers.join(", "), elastic: true }
          ])
        )
      })
  }

const summariesText = (out: Output, summaries: ReadonlyArray<SessionSummary>): string =>
  summaries.length === 0 ? "no summaries" : summaries.map((summary) => textOf(out, summary)).join("\n\n")

const textOf = ({ colours }: Output, summary: SessionSummary): string => {
  const { by, decisions, lastAt, observations, open, outcome, quoted, request, session, store, turns } = summary
  const counts = [countText(turns, "turn"), countText(observations, "memory", "memories")].join(", ")
  const line = (name: string, text: string | null) => (text === null ? [] : [`  ${name.padEnd(10)}${text}`])
  const lines = (name: string, texts: ReadonlyArray<string>) =>
    texts.flatMap((text, index) => line(index === 0 ? name : "", text))
  return [
    `${colours.cyan(session)}  ${store}  ${timestampText(lastAt)}  ${counts}${summary.behind ? ", newer turns not summarized yet" : ""}`,
    ...line("request", request),
    ...line("outcome", outcome),
    ...lines("decided", decisions),
    ...lines("open", open),
    ...lines("quoted", quoted),
    ...line("by", by === null ? null : `${by.kind} ${by.name}`)
  ].join("\n")
}
