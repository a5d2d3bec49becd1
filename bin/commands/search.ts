import * as Effect from "effect/Effect"
import { Role } from "../../events/Turn.js"
import type { ConversationHit, ConversationKind } from "../../src/conversation/searchConversation.js"
import { InvalidInput } from "../../src/model/errors.js"
import { limits } from "../../src/model/limits.js"
import { type Explained, type Explanation, explanationLines, nothingNearText } from "../../src/search/explain.js"
import { conversationKinds } from "../../src/search/fields.js"
import { describeLifeScore } from "../../src/search/score.js"
import type { Hit } from "../../src/search/search.js"
import { type FilterOptions, filterOf, filterOptions, noteUnknownFilters } from "../filters.js"
import { dayText } from "../format.js"
import {
  type AsOfOptions,
  asOfOption,
  flag,
  oneOfParser,
  option,
  parseNonEmpty,
  parseTimeOrWords,
  parseWeight,
  repeatableOption,
  type TimeArgument,
  wholeNumberParser
} from "../options.js"
import type { Output } from "../output.js"
import { idColumn, indexColumns } from "../rows.js"
import { type Column, table } from "../table.js"
import type { Command } from "./Command.js"

interface SearchOptions extends FilterOptions, AsOfOptions {
  readonly conversation?: boolean
  readonly speaker?: ReadonlyArray<string>
  readonly role?: ReadonlyArray<Role>
  readonly explain?: boolean
  readonly mode?: Explanation["mode"]
  readonly gate?: boolean
  readonly near?: boolean
  readonly at?: TimeArgument
  readonly topK?: number
  readonly vectorWeight?: number
  readonly textWeight?: number
  readonly record?: boolean
  /** `execute` reads this option when it opens the memory system. */
  readonly rerank?: string
  readonly kind?: ReadonlyArray<ConversationKind>
}

/** Filters that only memories have, and filters that only turns and files have. */
const memoryFilters = ["type", "tier", "person", "project", "near"] as const
const conversationFilters = ["speaker", "role", "kind"] as const

/**
 * The known search modes. The library treats any other name as classic, but the command line refuses it as mistyped.
 */
const modes: ReadonlyArray<Explanation["mode"]> = ["enhanced", "classic"]

export const search: Command<SearchOptions, readonly [words: ReadonlyArray<string>]> = {
  usage: "search <query...>",
  alias: "find",
  summary: "find memories, turns or files by words and meaning, best first",
  options: [
    ...filterOptions,
    flag("--conversation", "search turns, files, notes and scratchpads instead of memories"),
    repeatableOption("--speaker <name>", "show only turns of this speaker"),
    repeatableOption("--role <role>", `show only this role: ${Role.literals.join(", ")}`, oneOfParser(Role.literals)),
    repeatableOption(
      "--kind <kind>",
      "show only this kind: turn, file, note or scratchpad",
      oneOfParser(conversationKinds)
    ),
    flag("--explain", "explain how the query was interpreted and why each hit matches"),
    option("--mode <mode>", "set the mode: enhanced (default) or classic (full text only, 5 hits)", oneOfParser(modes)),
    option("--at <time>", 'set the time of the query; "last month" is relative to it', parseTimeOrWords),
    flag("--near", "leave out memories that hardly match, even if no hit remains"),
    flag("--gate", "skip the search if the query is a message that needs no memory"),
    option("--rerank <name>", "reorder the first hits: lexical, none, cohere, voyage/MODEL, …", parseNonEmpty),
    option(
      "--top-k <n>",
      "combine the n best matches by words and the n best by meaning",
      wholeNumberParser(1, limits.topK)
    ),
    option("--vector-weight <n>", "set the weight of meaning in ranking, 0 or more", parseWeight),
    option("--text-weight <n>", "set the weight of words in ranking, 0 or more", parseWeight),
    flag("--record", "save this search, so that 'daybook recall' can show it"),
    asOfOption
  ],
  examples: [
    'search "when do we deploy"',
    "search trust model --type decision --after 2026-01-01 --limit 5",
    'search "harbour type:decision after:2026-01-01 -pilot" --explain',
    'search "how are backups made" --rerank voyage --explain',
    'search --conversation "what did Mira say about the harbour"',
    "search 東京 --as-of 2026-03-01 --json"
  ],
  details: [
    "--speaker, --role and --kind need --conversation.",
    "--type, --tier, --person, --project and --near cannot be used with --conversation."
  ],
  needsNoRules: true,
  run: (call, options, [words]) =>
    Effect.gen(function* () {
      const { out } = call
      const text = words.join(" ")
      const conversation = options.conversation === true
      const unsupportedFilter = (conversation ? memoryFilters : conversationFilters).find(
        (name) => options[name] !== undefined
      )
      if (unsupportedFilter !== undefined) {
        const problem = conversation ? "cannot be used with --conversation" : "needs --conversation"
        return yield* new InvalidInput({ field: `--${unsupportedFilter}`, problem })
      }
      if (options.record === true && options.asOf !== undefined) {
        return yield* new InvalidInput({ field: "--record", problem: "cannot be used with --as-of" })
      }
      const memory = yield* call.reader(options.asOf)
      const score = { name: "score", cell: (hit: { score: number }) => hit.score.toFixed(3), alignRight: true }
      const filter = yield* filterOf(call, options)
      const { gate, mode, textWeight, topK, vectorWeight } = options
      const fusion = { textWeight, topK, vectorWeight }
      const request = { text, mode, gate, at: yield* call.resolveTime(options.at), ...fusion }
      if (!conversation) {
        const query = { ...filter, ...request, near: options.near }
        const columns = [idColumn, score, ...indexColumns]
        if (options.explain !== true) {
          const hits = yield* memory.search(query)
          if (hits.length === 0) yield* noteUnknownFilters(out, memory, options)
          if (hits.length === 0 || hits.some(({ near }) => near))
            return yield* out.show(hits, () => table<Hit>(out, hits, columns))
          // A score only compares hits with each other. The evidence shows that no hit is near.
          const absolute = { name: "evidence", cell: (hit: Hit) => hit.evidence.toFixed(3), alignRight: true }
          return yield* out.show(
            hits,
            async () =>
              `${nothingNearText}; the closest are:\n${await table<Hit>(out, hits, [idColumn, absolute, ...indexColumns])}`
          )
        }
        const answer = yield* memory.explain(query)
        return yield* out.show(answer, () =>
          explanationOf(
            out,
            answer,
            (hits) => table<Hit>(out, hits, columns),
            ({ life }) => (life === undefined ? [] : [describeLifeScore(life)])
          )
        )
      }
      const { kind, role, session, speaker } = options
      const { after, anyTags, before, limit, stores, tags } = filter
      const sessions = session === undefined ? [] : [session]
      const query = {
        sessions,
        speakers: speaker,
        roles: role,
        kinds: kind,
        tags,
        anyTags,
        stores,
        after,
        before,
        limit,
        ...request
      }
      const columns = [
        { name: "source", cell: sourceOf, colour: "cyan" },
        { name: "place", cell: placeOf },
        score,
        { name: "day", cell: ({ occurredAt }) => dayText(occurredAt) },
        { name: "who", cell: (hit) => (hit.kind === "turn" ? (hit.speaker ?? hit.role) : "") },
        { name: "text", cell: ({ text }) => text, elastic: true }
      ] satisfies ReadonlyArray<Column<ConversationHit>>
      if (options.explain !== true) {
        const hits = yield* memory.sessions.search(query)
        return yield* out.show(hits, () => table<ConversationHit>(out, hits, columns))
      }
      const answer = yield* memory.sessions.explain(query)
      yield* out.show(answer, () => explanationOf(out, answer, (hits) => table<ConversationHit>(out, hits, columns)))
    })
}

/** The file, note or session of a hit. */
const sourceOf = (hit: ConversationHit): string => {
  if (hit.kind === "file") return hit.file.path
  return hit.kind === "note" ? hit.id : (hit.session ?? "")
}

/** The position of a hit in its session or file. */
const placeOf = (hit: ConversationHit): string => {
  if (hit.kind === "turn") return `turn ${hit.sequence}`
  if (hit.kind !== "file") return hit.kind
  const { line, lineEnd } = hit.file
  return line === lineEnd ? `line ${line}` : `lines ${line}-${lineEnd}`
}

/** Prints how the query was interpreted, then each hit with its reasons below it. */
const explanationOf = async <Hit>(
  out: Output,
  { explanation, hits }: Explained<Hit>,
  draw: (hits: ReadonlyArray<Hit>) => Promise<string>,
  extraLines: (hit: Hit) => ReadonlyArray<string> = () => []
): Promise<string> => {
  const [head, ...rows] = (await draw(hits)).split("\n")
  const reasons = hits.map((hit, index) => {
    const { before = index + 1, why } = hit
    const moveNote =
      before === index + 1 ? [] : [`was at place ${before} before ${explanation.reranker} reordered the hits`]
    return [why.join("; "), ...moveNote, ...extraLines(hit)].map((line) => out.colours.dim(`    ${line}`))
  })
  const places = hits.map(({ before }) => before)
  const order = places.length === 0 || places.includes(undefined) ? [] : [`${"before".padEnd(11)}${places.join(", ")}`]
  return [
    ...explanationLines(explanation),
    ...order,
    "",
    head,
    ...rows.flatMap((row, index) => [row, ...(reasons[index] ?? [])])
  ].join("\n")
}
