import * as Effect from "effect/Effect"
import type { SessionSummary } from "../../src/maintenance/Life.js"
import { count, second } from "../format.js"
import { type AsOfOptions, asOf, flag, one, type PageOptions, pageOptions } from "../options.js"
import type { Output } from "../output.js"
import { table } from "../table.js"
import type { Command } from "./Command.js"

export const sessions: Command<AsOfOptions & PageOptions & { readonly summary?: boolean; readonly session?: string }> =
  {
    usage: "sessions",
    summary: "conversations, the most recently used first",
    options: [
      flag("--summary", "what they came to: what was asked, what came of it, decisions, what is open"),
      one("--session <key>", "with --summary: this one alone"),
      ...pageOptions,
      asOf
    ],
    examples: ["sessions", "sessions --limit 5", "sessions --summary", "sessions --summary --session monday"],
    run: ({ out, reader }, { asOf, limit, offset, session, summary }) =>
      Effect.gen(function* () {
        const memory = yield* reader(asOf)
        if (summary === true || session !== undefined) {
          const told = yield* memory.sessionSummaries({ limit, offset, session })
          return yield* out.show(told, () => summariesText(out, told))
        }
        const found = yield* memory.sessions({ limit, offset })
        yield* out.show(found, () =>
          table(out, found, [
            { name: "session", of: ({ session }) => session, colour: "cyan" },
            { name: "store", of: ({ store }) => store },
            { name: "turns", of: ({ turns }) => turns, right: true },
            { name: "tokens", of: ({ tokens }) => tokens, right: true },
            { name: "last said", of: ({ lastAt }) => second(lastAt) },
            { name: "speakers", of: ({ speakers }) => speakers.join(", "), elastic: true }
          ])
        )
      })
  }

const summariesText = (out: Output, told: ReadonlyArray<SessionSummary>): string =>
  told.length === 0 ? "nothing is known of any session" : told.map((one) => textOf(out, one)).join("\n\n")

const textOf = ({ colours }: Output, one: SessionSummary): string => {
  const { by, decisions, lastAt, observations, open, outcome, request, session, store, turns } = one
  const counts = [count(turns, "turn"), count(observations, "memory", "memories")].join(", ")
  const line = (name: string, text: string | null) => (text === null ? [] : [`  ${name.padEnd(10)}${text}`])
  const lines = (name: string, texts: ReadonlyArray<string>) =>
    texts.flatMap((text, at) => line(at === 0 ? name : "", text))
  return [
    `${colours.cyan(session)}  ${store}  ${second(lastAt)}  ${counts}${one.behind ? ", newer turns since" : ""}`,
    ...line("request", request),
    ...line("outcome", outcome),
    ...lines("decided", decisions),
    ...lines("open", open),
    ...line("by", by === null ? null : `${by.kind} ${by.name}`)
  ].join("\n")
}
