import * as Effect from "effect/Effect"
import * as z from "zod"
import type { HistoryEntry } from "../../../src/history.js"
import type { Related, Why, WhySource, WhyVersion } from "../../../src/why.js"
import { quotedText, visibleLine } from "../../../text/normalise/visibleText.js"
import { toIso } from "../../../text/when/dates.js"
import { readOnlyEffects, tool } from "../Tool.js"
import { cut } from "../text.js"
import { rowsSchema, textSchema } from "./fields.js"

/** Maximum versions of a memory in one answer, and maximum characters of a value in them. */
const maxVersions = 20
const maxValue = 400

const versions = z.object({ versions: rowsSchema })

export const memoryHistory = tool({
  name: "memory_history",
  title: "Memory history",
  description: "List the versions of a memory.",
  annotations: readOnlyEffects,
  input: z.strictObject({ id: textSchema }),
  output: versions,
  run: ({ id }, { reader }) =>
    Effect.map(reader.history(id), (entries) => {
      const shown = entries.slice(-maxVersions).map(entryOf)
      const earlier = entries.length - shown.length
      return {
        data: { versions: shown, ...(earlier === 0 ? {} : { earlier }) },
        text: [
          ...(earlier === 0 ? [] : [`${earlier} earlier versions are left out`]),
          ...shown.map(
            ({ actor, at, event, reason, revision, status, title }) =>
              `${revision} ${at} ${event} by ${visibleLine(actor)}, ${status}: ${quotedText(title)}${reason === undefined ? "" : ` (${visibleLine(reason)})`}`
          )
        ].join("\n")
      }
    })
})

const entryOf = ({ actor, decision, memory, recordedAt, revision, type }: HistoryEntry) => ({
  revision,
  at: toIso(recordedAt),
  event: type,
  actor,
  status: memory.status,
  title: cut(memory.title, maxValue),
  ...(decision === null ? {} : { reason: decision.reason })
})

export const memoryWhy = tool({
  name: "memory_why",
  title: "Explain a memory",
  description: "Tell how a memory came to be: decisions, sources.",
  annotations: readOnlyEffects,
  input: z.strictObject({ id: textSchema }),
  output: versions,
  run: ({ id }, { reader }) =>
    Effect.map(reader.why(id, { limit: maxVersions }), (why) => {
      const data = explanationOf(why)
      return { data, text: explanationText(data) }
    })
})

type Explanation = ReturnType<typeof explanationOf>

const explanationOf = ({ earlier, madeOf, memory, sources, supersededBy, supersedes, versions }: Why) => ({
  memory: { id: memory.id, title: cut(memory.title, maxValue), status: memory.status },
  versions: versions.map(versionOf),
  ...(earlier === 0 ? {} : { earlier }),
  ...(supersededBy === null ? {} : { replacedBy: relatedOf(supersededBy) }),
  ...(supersedes.length === 0 ? {} : { replaces: supersedes.map(relatedOf) }),
  ...(sources.length === 0 ? {} : { sources: sources.map(sourceOf) }),
  ...(madeOf.length === 0 ? {} : { derived: madeOf.map(relatedOf) })
})

const versionOf = ({ actor, changes, decision, recordedAt, revision, type }: WhyVersion) => ({
  revision,
  at: toIso(recordedAt),
  actor,
  action: decision?.action ?? type,
  ...(decision === null ? {} : { by: decision.by.name, reason: decision.reason }),
  ...(changes.length === 0
    ? {}
    : {
        changes: changes.map(({ after, before, field }) => ({
          field,
          before: valueText(before),
          after: valueText(after)
        }))
      })
})

const valueText = (value: unknown): string | null =>
  value === null || value === undefined
    ? null
    : cut(typeof value === "string" ? value : JSON.stringify(value), maxValue)

const relatedOf = ({ id, title }: Related) => ({ id, title: cut(title, maxValue) })

const sourceOf = (source: WhySource) => {
  const { kind, reason } = source
  if (source.kind === "file") return { kind, reason, path: source.path }
  if (source.kind === "memory") {
    const { id, memory } = source
    return { kind, reason, id, ...(memory === undefined ? {} : { text: cut(memory.title, maxValue) }) }
  }
  const { id, turn } = source
  return {
    ...{ kind, reason, id },
    ...(turn === undefined ? {} : { session: turn.session, text: cut(turn.text, maxValue) })
  }
}

const explanationText = ({
  derived = [],
  earlier,
  memory,
  replacedBy,
  replaces = [],
  sources = [],
  versions
}: Explanation) => {
  const related = (name: string, { id, title }: { readonly id: string; readonly title: string }) =>
    `${name} ${id} ${quotedText(title)}`
  return [
    `${memory.id} ${memory.status} ${quotedText(memory.title)}`,
    ...(earlier === undefined ? [] : [`${earlier} earlier versions are left out`]),
    ...versions.flatMap(({ action, actor, at, by, changes = [], reason, revision }) => [
      `${revision} ${at} ${action} by ${visibleLine(actor)}${by === undefined ? "" : `; decided by ${visibleLine(by)}: ${visibleLine(reason ?? "")}`}`,
      ...changes.map(
        ({ after, before, field }) =>
          `  ${field}: ${quotedText(before ?? "nothing")} became ${quotedText(after ?? "nothing")}`
      )
    ]),
    ...(replacedBy === undefined ? [] : [related("replaced by", replacedBy)]),
    ...replaces.map((entry) => related("replaces", entry)),
    ...sources.map((source) => `source (${source.reason}): ${source.kind} ${quotedText(JSON.stringify(source))}`),
    ...derived.map((entry) => related("derived", entry))
  ].join("\n")
}
