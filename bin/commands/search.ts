import * as Effect from "effect/Effect"
import { Role } from "../../events/Turn.js"
import { InvalidInput } from "../../src/errors.js"
import type { Hit } from "../../src/search.js"
import type { ConversationHit } from "../../src/searchConversation.js"
import { type FilterOptions, filterOf, filterOptions } from "../filters.js"
import { day } from "../format.js"
import { type AsOfOptions, among, asOf, flag, many } from "../options.js"
import { idColumn, indexColumns } from "../rows.js"
import { table } from "../table.js"
import type { Command } from "./Command.js"

interface SearchOptions extends FilterOptions, AsOfOptions {
  readonly conversation?: boolean
  readonly speaker?: ReadonlyArray<string>
  readonly role?: ReadonlyArray<Role>
  readonly record?: boolean
}

/** What memories have and turns have not, and the other way round. */
const ofMemories = ["type", "tag", "person", "project"] as const
const ofTurns = ["speaker", "role"] as const

export const search: Command<SearchOptions, readonly [words: ReadonlyArray<string>]> = {
  usage: "search <query...>",
  summary: "find memories by words and likeness, best first; or what was said in conversations",
  options: [
    ...filterOptions,
    flag("--conversation", "search what was said, not what is remembered"),
    many("--speaker <name>", "said by this speaker; with --conversation"),
    many("--role <role>", "said by the user, assistant, system or tool; with --conversation", among(Role.literals)),
    flag("--record", "record what was shown, for 'daybook recall'"),
    asOf
  ],
  examples: [
    'search "when do we deploy"',
    "search trust model --type decision --after 2026-01-01 --limit 5",
    'search --conversation "what did Mira say about the harbour"',
    "search 東京 --as-of 2026-03-01 --json"
  ],
  run: ({ out, reader }, options, [words]) =>
    Effect.gen(function* () {
      const text = words.join(" ")
      const conversation = options.conversation === true
      const wrong = (conversation ? ofMemories : ofTurns).find((name) => options[name] !== undefined)
      if (wrong !== undefined) {
        const problem = conversation ? "means nothing with --conversation" : "needs --conversation"
        return yield* new InvalidInput({ field: `--${wrong}`, problem })
      }
      if (options.record === true && options.asOf !== undefined) {
        return yield* new InvalidInput({ field: "--record", problem: "means nothing with --as-of" })
      }
      const memory = yield* reader(options.asOf)
      const score = { name: "score", of: (hit: { score: number }) => hit.score.toFixed(3), right: true }
      if (!conversation) {
        const hits = yield* memory.search({ ...filterOf(options), text })
        return yield* out.show(hits, () => table<Hit>(out, hits, [idColumn, score, ...indexColumns]))
      }
      const { after, before, limit, role, session, speaker, store } = options
      const sessions = session === undefined ? [] : [session]
      const filter = { sessions, speakers: speaker, roles: role, stores: store, after, before, limit }
      const hits = yield* memory.searchConversation({ ...filter, text })
      yield* out.show(hits, () =>
        table<ConversationHit>(out, hits, [
          { name: "session", of: ({ session }) => session, colour: "cyan" },
          { name: "turn", of: ({ sequence }) => sequence, right: true },
          score,
          { name: "day", of: ({ occurredAt }) => day(occurredAt) },
          { name: "speaker", of: ({ role, speaker }) => speaker ?? role },
          { name: "text", of: ({ text }) => text, elastic: true }
        ])
      )
    })
}
