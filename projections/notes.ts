import { afterImages, type DaybookEvent } from "../events/catalogue.js"
import { isNoteId, type Memory } from "../events/Memory.js"
import type { Store, TrustLevel } from "../events/Trust.js"
import { bounds, cutBytes } from "../text/normalise/bounds.js"
import { chunkNumber, chunkTextsOf } from "../text/normalise/chunks.js"
import { toIndexText } from "../text/normalise/indexText.js"
import { dateWords } from "../text/when/dateWords.js"
import { chunkTextIndex, removeChunks } from "./chunkText.js"
import { conditionOf, type Filters } from "./memoryFilters.js"
import { type Db, type Lookup, sql } from "./Projection.js"

/** The text of a note. The title is left out, because it repeats the first line. */
export const noteText = ({ narrative, title }: Pick<Memory, "title" | "narrative">): string => narrative ?? title

/** Indexes the notes that an event changed, and removes their earlier chunks. */
export const indexNotes = (db: Db, event: DaybookEvent, lookup: Lookup, filling: boolean) => {
  for (const memory of afterImages(event)) {
    if (!isNoteId(memory.id)) continue
    const versions = sql(db, "SELECT DISTINCT turn FROM chunks WHERE media = 'note' AND id = ?").pluck().all(memory.id)
    for (const version of versions) removeChunks(db, version, filling)
    // A note that can expire is not indexed, because reads of chunks do not check expiry.
    if (memory.status !== "active" || memory.expiresAt !== undefined) continue
    addPieces(
      db,
      {
        version: event.version,
        id: memory.id,
        session: memory.session ?? null,
        store: memory.store,
        openness: lookup.opennessOf(memory),
        media: "note",
        title: memory.title,
        text: noteText(memory),
        occurredAt: memory.createdAt,
        lastAt: memory.updatedAt
      },
      filling
    )
  }
}

/** Indexes a scratchpad, and removes the chunks of the scratchpad that it replaces. */
export const indexScratchpad = (
  db: Db,
  event: Extract<DaybookEvent, { type: "SCRATCHPAD" }>,
  lookup: Lookup,
  filling: boolean
) => {
  const { replaces, scratchpad, session, store } = event.payload
  if (replaces !== undefined) removeChunks(db, replaces, filling)
  if (scratchpad === null) return
  addPieces(
    db,
    {
      ...{ session, store },
      version: event.version,
      id: `scratchpad ${session}`,
      openness: lookup.opennessOf({ id: "", store }),
      media: "scratchpad",
      title: "",
      text: scratchpad.items.join("\n"),
      occurredAt: event.recordedAt,
      lastAt: event.recordedAt
    },
    filling
  )
}

/** A text that belongs to no turn and no file. */
interface Text {
  /** The version of the event that wrote it. */
  readonly version: number
  readonly id: string
  readonly session: string | null
  readonly store: Store
  readonly openness: number
  readonly media: "note" | "scratchpad"
  /** Indexed with each piece except the first. */
  readonly title: string
  readonly text: string
  readonly occurredAt: number
  readonly lastAt: number
}

const addPieces = (db: Db, { text, title, version, ...row }: Text, filling: boolean) => {
  const [first, last] = [dateWords(row.occurredAt), dateWords(row.lastAt)]
  const days = first === last ? first : `${first} ${last}`
  for (const [part, piece] of chunkTextsOf(cutBytes(text, bounds.indexedBytes)).entries()) {
    if (piece.trim() === "") continue
    const born = chunkNumber(version, part)
    const previous = part === 0 ? "" : title
    const { id, lastAt, media, occurredAt, openness, session, store } = row
    sql(
      db,
      `INSERT INTO chunks (born, turn, id, session, store, openness, media, occurred_at, last_at, previous, next, text)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?)`
    ).run(born, version, id, session, store, openness, media, occurredAt, lastAt, previous, piece)
    const columns = [toIndexText(piece), toIndexText(previous), "", days]
    chunkTextIndex.add(db, { born, id, openness, columns }, filling)
  }
}

/** The notes that a level may read and that pass the filters, the most recently changed first. */
export const findNotes = (
  db: Db,
  level: TrustLevel,
  filters: Filters,
  now: number,
  { limit, offset }: { readonly limit: number; readonly offset: number }
): ReadonlyArray<Memory> => {
  const condition = conditionOf(db, { level, filters, now })
  return sql(
    db,
    `SELECT memory FROM observations o WHERE ${condition.sql} AND o.id >= 'note-' AND o.id < 'note.'
      ORDER BY o.changed DESC, o.born DESC LIMIT ? OFFSET ?`
  )
    .pluck()
    .all(...condition.params, limit, offset)
    .map((text) => JSON.parse(text) as Memory)
}
