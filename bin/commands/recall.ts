import * as Effect from "effect/Effect"
import type { MemoryReader } from "../../src/Memory.js"
import type { Recall, RecallDifference, RecallRow, Rerun } from "../../src/recalls/RecallReader.js"
import { toIso } from "../../text/when/dates.js"
import { refusalError, usageError } from "../exit.js"
import { countText, timestampText } from "../format.js"
import { type AsOfOptions, asOfOption, type PageOptions, pageOptions } from "../options.js"
import type { Output } from "../output.js"
import { type Column, fieldsTable, table } from "../table.js"
import type { Command } from "./Command.js"

const verbs = ["list", "show", "rerun"] as const
type Verb = (typeof verbs)[number]

export const recall: Command<AsOfOptions & PageOptions, readonly [action: string, number: string | undefined]> = {
  usage: "recall <list|show|rerun> [number]",
  summary: "list, show or rerun recorded searches",
  operator: true,
  options: [...pageOptions, asOfOption],
  examples: ['search "when do we deploy" --record', "recall list --limit 5", "recall show 12", "recall rerun 12"],
  run: ({ out, reader }, { asOf, limit, offset }, [action, number]) =>
    Effect.gen(function* () {
      const verb = verbs.find((name) => name === action)
      if (verb === undefined) return yield* usageError(`action: must be one of ${verbs.join(", ")}`)
      if (verb === "list") {
        if (number !== undefined) return yield* usageError("'recall list' takes no number")
        const memory = yield* reader(asOf)
        const rows = yield* memory.recalls.list({ limit, offset })
        return yield* out.show(rows, () => table<RecallRow>(out, rows, rowColumns))
      }
      if (limit !== undefined || offset !== undefined)
        return yield* usageError("--limit and --offset work only with 'recall list'")
      // The error never quotes the value, as for options.
      if (number === undefined || !/^0*[1-9]\d{0,14}$/.test(number)) {
        return yield* usageError(`'recall ${verb}' needs a number, 1 or more`)
      }
      yield* verbsWithNumber[verb](yield* reader(asOf), Number(number), out)
    })
}

const verbsWithNumber = {
  show: (memory: MemoryReader, number: number, out: Output) =>
    Effect.flatMap(memory.recalls.get(number), (recall) =>
      out.show(recall, async () =>
        [recallText(out, recall), await table(out, withRank(recall.hits), placeColumns)].join("\n")
      )
    ),
  rerun: (memory: MemoryReader, number: number, out: Output) =>
    Effect.gen(function* () {
      const rerun = yield* memory.recalls.rerun(number)
      yield* out.show(rerun, () => rerunText(out, rerun))
      const differing = rerun.differences.filter(({ what }) => what === "hit").length
      if (!rerun.same)
        return yield* refusalError(`recall ${number}: the answer differs in ${countText(differing, "place")}`)
    })
} satisfies Record<Exclude<Verb, "list">, unknown>

const rowColumns: ReadonlyArray<Column<RecallRow>> = [
  { name: "number", cell: ({ number }) => number, alignRight: true, colour: "cyan" },
  { name: "asked", cell: ({ askedAt }) => timestampText(askedAt) },
  { name: "level", cell: ({ level }) => level },
  { name: "kind", cell: ({ kind }) => kind },
  { name: "shown", cell: ({ shown }) => shown, alignRight: true },
  { name: "text", cell: ({ text }) => text, elastic: true }
]

type Place = Recall["hits"][number] & { readonly place: number }

const withRank = (hits: Recall["hits"]): ReadonlyArray<Place> =>
  hits.map((hit, index) => ({ place: index + 1, ...hit }))

const placeColumns: ReadonlyArray<Column<Place>> = [
  { name: "place", cell: ({ place }) => place, alignRight: true },
  { name: "id", cell: ({ id }) => id, colour: "cyan" },
  { name: "score", cell: ({ score }) => score?.toFixed(3) ?? "", alignRight: true }
]

const recallText = (out: Output, recall: Recall): string => {
  const { askedAt, embedder, filters, kind, level, number, policy, position, ranker, recordedAt, text } = recall
  return fieldsTable(out, [
    ["recall", number],
    ["kind", kind],
    ["level", level],
    ["text", text],
    ["filters", pairsText(filters)],
    ["asked", toIso(askedAt)],
    ["recorded", timestampText(recordedAt)],
    ["version", position],
    ["embedder", embedder === null ? "none" : `${embedder.model}, ${embedder.dimensions} dimensions`],
    ["mode", recall.mode ?? "none"],
    ["reranker", recall.reranker ?? "none"],
    ["ranker", ranker],
    ["policy", pairsText(policy)]
  ])
}

/** Prints names and values on one line, without empty lists. */
const pairsText = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .filter(([, value]) => !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${name} ${valueText(value)}`)
    .join("; ")

/** Prints a value; an object in parentheses: `(event 0.5, task 1)`. */
const valueText = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(valueText).join(", ")
  if (typeof value !== "object" || value === null) return String(value)
  return `(${Object.entries(value)
    .map(([name, field]) => `${name} ${valueText(field)}`)
    .join(", ")})`
}

const rerunText = async (out: Output, { differences, hits, recall, same }: Rerun): Promise<string> => {
  const titles = new Map(hits.map((hit) => [hit.id, "title" in hit ? hit.title : hit.text]))
  const answer = hits.map(({ id, ...hit }): Recall["hits"][number] => ({
    id,
    score: "score" in hit ? hit.score : null
  }))
  return [
    fieldsTable(out, [
      ["recall", `${recall.number}, ${recall.kind} at level ${recall.level}`],
      ["text", recall.text],
      ["as of", `version ${recall.position}, ${toIso(recall.askedAt)}`],
      ["same", same ? "yes" : "no"],
      ...differences.map((difference): readonly [string, string] => ["differs", differenceText(difference)])
    ]),
    await table(out, withRank(answer), [
      ...placeColumns,
      { name: "text", cell: ({ id }) => titles.get(id) ?? "", elastic: true }
    ])
  ].join("\n")
}

const differenceText = (difference: RecallDifference): string => {
  if (difference.what !== "hit") return `${difference.what}: ${difference.was}, now ${difference.is}`
  const hitText = (hit: Recall["hits"][number] | null) =>
    hit === null ? "nothing" : hit.score === null ? hit.id : `${hit.id} ${hit.score}`
  return `place ${difference.place}: ${hitText(difference.was)}, now ${hitText(difference.is)}`
}
