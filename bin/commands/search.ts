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
  readonly kind?: ReadonlyArray<"turn" | "file">
}

/** What memories have and turns have not, and the other way round. */
const ofMemories = ["type", "tag", "person", "project"] as const
const ofTurns = ["speaker", "role", "kind"] as const

export const search: Command<SearchOptions, readonly [words: ReadonlyArray<string>]> = {
  usage: "search <query...>",
  summary: "find memories by words and likeness, best first; or what was said in conversations and stands in files",
  options: [
    ...filterOptions,
    flag("--conversation", "search what was said and what stands in files, not what is remembered"),
    many("--speaker <name>", "said by this speaker; with --conversation"),
    many("--role <role>", "said by the user, assistant, system or tool; with --conversation", among(Role.literals)),
    many("--kind <kind>", "a turn or a file; with --conversation", among(["turn", "file"])),
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
      const memory = yield* reader(options.asOf)
      const score = { name: "score", of: (hit: { score: number }) => hit.score.toFixed(3), right: true }
      if (!conversation) {
        const hits = yield* memory.search({ ...filterOf(options), text })
        return yield* out.show(hits, () => table<Hit>(out, hits, [idColumn, score, ...indexColumns]))
      }
      const { after, before, kind, limit, role, session, speaker, store } = options
      const sessions = session === undefined ? [] : [session]
      const filter = { sessions, speakers: speaker, roles: role, kinds: kind, stores: store, after, before, limit }
      const hits = yield* memory.searchConversation({ ...filter, text })
      yield* out.show(hits, () =>
        table<ConversationHit>(out, hits, [
          { name: "session", of: (hit) => (hit.kind === "file" ? hit.file.path : hit.session), colour: "cyan" },
          {
            name: "turn",
            of: (hit) => (hit.kind === "file" ? `lines ${hit.file.line}-${hit.file.lineEnd}` : hit.sequence),
            right: true
          },
          score,
          { name: "day", of: ({ occurredAt }) => day(occurredAt) },
          { name: "speaker", of: (hit) => (hit.kind === "file" ? hit.file.media : (hit.speaker ?? hit.role)) },
          { name: "text", of: ({ text }) => text, elastic: true }
        ])
      )
    })
}
