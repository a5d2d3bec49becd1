import type { Stale } from "../events/Memory.js"
import type { WholeMemory } from "../src/model/wholeMemory.js"
import { toIso } from "../text/when/dates.js"
import type { Colours } from "./terminalText.js"

/** Unicode controls of writing direction. A memory's text must not reorder what the terminal shows. */
const bidiControls = /[\u202a-\u202e\u2066-\u2069]/g

/**
 * Puts text on one line and removes control characters, so that a memory cannot move the terminal's cursor or colour
 * it.
 */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").replace(bidiControls, "")

/** The author of an event. An erased author is stored as an empty string. */
export const actorText = (actor: string): string => (actor === "" ? "(erased)" : oneLine(actor))

/** Keeps the lines of a text but removes other control characters. */
const lines = (text: string): string => text.split(/\r?\n/).map(oneLine).join("\n")

/** The UTC day of an instant. */
export const dayText = (instant: number): string => toIso(instant).slice(0, 10)

/** An instant in UTC, to the second. */
export const timestampText = (instant: number): string => `${toIso(instant).slice(0, 19).replace("T", " ")}Z`

/**
 * An instant in UTC, to the second. Midnight shows only the day, because a date without a time is stored as midnight.
 */
export const dayOrTimestampText = (instant: number): string =>
  instant % 86_400_000 === 0 ? dayText(instant) : timestampText(instant)

export const countText = (number: number, singular: string, plural = `${singular}s`): string =>
  `${number} ${number === 1 ? singular : plural}`

/** Why a memory may no longer be true. */
export const staleText = ({ kind, of, reason }: Stale): string =>
  `its source, ${kind === "derived" ? "memory" : kind} ${of}, was ${reason}`

/** A memory as text: a line with its id, its content, then every field that is not empty or a default. */
export const memoryText = (memory: WholeMemory, colours: Colours): string => {
  const {
    accesses,
    createdAt,
    expiresAt,
    facts,
    id,
    lastAccessedAt,
    narrative,
    occurredAt,
    source,
    stale,
    store,
    title,
    type,
    updatedAt
  } = memory
  const head = [colours.cyan(id), type, dayOrTimestampText(occurredAt ?? createdAt), store].join("  ")
  const fields: ReadonlyArray<readonly [string, string | undefined]> = [
    ["tags", memory.tags.join(", ")],
    ["people", memory.people.join(", ")],
    ["files", memory.files.join(", ")],
    ["source", [source.kind, source.name, source.place].filter(Boolean).join(", ")],
    ["project", memory.project],
    ["topic", memory.topic],
    ["session", memory.session],
    ["channel", memory.channel],
    ["sender", memory.sender],
    ["level", memory.level === "full" ? "" : memory.level],
    ["tier", memory.tier],
    ["importance", memory.importance === 0 ? "" : String(memory.importance)],
    ["mentions", memory.mentions === 1 ? "" : `${memory.mentions}, last ${timestampText(memory.lastMentionedAt)}`],
    [
      "shown",
      accesses === undefined ? "" : `${countText(accesses, "time")}, last ${timestampText(lastAccessedAt ?? 0)}`
    ],
    ["created", timestampText(createdAt)],
    ["updated", updatedAt === createdAt ? "" : timestampText(updatedAt)],
    ["expires", expiresAt === undefined ? "" : dayOrTimestampText(expiresAt)],
    ["stale", stale === undefined ? "" : staleText(stale)],
    ["tokens", String(memory.tokens)]
  ]
  return [
    head,
    colours.bold(oneLine(title)),
    ...(narrative === undefined ? [] : [lines(narrative)]),
    ...facts.map((fact) => `- ${oneLine(fact)}`),
    ...fields.flatMap(([name, value]) => (value ? `${colours.dim(name.padEnd(10))}  ${oneLine(value)}` : []))
  ].join("\n")
}

/** Quotes a word for a POSIX shell. */
export const quoteForShell = (word: string): string =>
  /^[\w./:@~#-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
