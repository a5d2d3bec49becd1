import type { DaybookEvent } from "../events/catalogue.js"
import type { File, Media } from "../events/File.js"
import { levelOf, levels, minOpennessOf, type Store, type TrustLevel } from "../events/Trust.js"
import { bounds, cutBytes } from "../text/normalise/bounds.js"
import { chunkNumber, cutIntoChunks, type TextChunk } from "../text/normalise/chunks.js"
import { toIndexText } from "../text/normalise/indexText.js"
import { dateWords } from "../text/when/dateWords.js"
import { chunkTextIndex, removeChunks } from "./chunkText.js"
import { type Db, type Lookup, sql } from "./Projection.js"

/** An indexed file, without its text. */
export interface IndexedFile {
  readonly id: string
  readonly path: string
  readonly store: Store
  /** The file's session, or null. Forgetting the session also forgets the file. */
  readonly session: string | null
  readonly media: Media
  /** SHA-256 of the text, hexadecimal. */
  readonly digest: string
  readonly characters: number
  readonly lines: number
  /** Tokens that reading the file costs. */
  readonly tokens: number
  readonly chunks: number
  /** When the file was changed, or added if the caller gave no time, in milliseconds since the epoch. */
  readonly occurredAt: number
}

/** Indexes a file, and removes the earlier file that it replaces at the same path. */
export const addFile = (db: Db, event: Extract<DaybookEvent, { type: "FILE" }>, lookup: Lookup) => {
  const { file, replaces } = event.payload
  const { id, media, occurredAt, path, session = null, store, text } = file
  const openness = lookup.opennessOf(file)
  const filling = lookup.isFilledLater?.("conversation") === true
  if (replaces !== undefined) {
    removeChunks(db, replaces, filling)
    sql(db, "DELETE FROM files WHERE born = ?").run(replaces)
  }
  const pieces = piecesOf(file)
  sql(
    db,
    `INSERT INTO files (born, id, path, store, openness, level, session, media, digest, characters, lines, tokens, chunks,
      occurred_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  ).run(
    event.version,
    id,
    path,
    store,
    openness,
    minOpennessOf(levelOf(file)),
    session,
    media,
    file.digest,
    text.length,
    text === "" ? 0 : countNewlines(text.endsWith("\n") ? text.slice(0, -1) : text) + 1,
    file.tokens,
    pieces.length,
    occurredAt
  )
  const day = dateWords(occurredAt)
  for (const { headings, line, lineEnd, part, text } of pieces) {
    const born = chunkNumber(event.version, part)
    sql(
      db,
      `INSERT INTO chunks (born, turn, id, session, store, openness, path, media, line, line_end, occurred_at, last_at,
        previous, next, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?)`
    ).run(
      born,
      event.version,
      id,
      session,
      store,
      openness,
      path,
      media,
      line,
      lineEnd,
      occurredAt,
      occurredAt,
      headings,
      text
    )
    chunkTextIndex.add(
      db,
      { born, id, openness, columns: [toIndexText(text), toIndexText(headings), "", day] },
      filling
    )
  }
}

const selectFiles = `SELECT id, path, store, session, media, digest, characters, lines, tokens, chunks,
  occurred_at AS occurredAt FROM files WHERE openness >= ?`

/** The files that a level may read, newest first. */
export const findFiles = (
  db: Db,
  level: TrustLevel,
  page: { readonly limit: number; readonly offset: number }
): ReadonlyArray<IndexedFile> =>
  sql(db, `${selectFiles} ORDER BY born DESC LIMIT ? OFFSET ?`).all(minOpennessOf(level), page.limit, page.offset)

/** The files at a path that a level may read, one for each store, newest first. */
export const findIndexedFilesByPath = (db: Db, level: TrustLevel, path: string): ReadonlyArray<IndexedFile> =>
  sql(db, `${selectFiles} AND path = ? ORDER BY born DESC`).all(minOpennessOf(level), path)

/** The file at a path in one store, with the version of the event that added it; undefined if there is none. */
export const findFile = (
  db: Db,
  path: string,
  store: Store
): (Pick<IndexedFile, "id" | "digest" | "session" | "chunks"> & StoredFile) | undefined => {
  const row = sql(
    db,
    `SELECT born, id, level, store, digest, session, chunks FROM files WHERE path = ? AND store = ?
      ORDER BY born DESC LIMIT 1`
  ).get(path, store)
  return row === undefined ? undefined : { ...row, level: levels[row.level]! }
}

/** The id, path, store and text digest of the file that the event with this version added. */
export const findFileRow = (
  db: Db,
  born: number
): (Pick<IndexedFile, "id" | "path" | "store" | "session" | "digest"> & { readonly level: number }) | undefined =>
  sql(db, "SELECT digest, id, level, path, session, store FROM files WHERE born = ?").get(born)

/** The version of the event that added a file, its store, and the level that wrote it. */
export interface StoredFile {
  readonly born: number
  readonly store: Store
  readonly level: TrustLevel
}

/** The files at a path that a level may read. */
export const findStoredFilesByPath = (db: Db, level: TrustLevel, path: string): ReadonlyArray<StoredFile> =>
  sql(db, "SELECT born, store, level FROM files WHERE path = ? AND openness >= ? ORDER BY born")
    .all(path, minOpennessOf(level))
    .map((row) => ({ ...row, level: levels[row.level]! }))

/** True if a file has this id. */
export const hasFile = (db: Db, id: string): boolean =>
  sql(db, "SELECT 1 FROM files WHERE id = ?").get(id) !== undefined

interface Piece {
  readonly part: number
  readonly text: string
  /** The first and the last line, from 1. */
  readonly line: number
  readonly lineEnd: number
  /** The path and the headings above the piece. They are indexed together with the piece. */
  readonly headings: string
}

export const piecesOf = ({ media, path, text }: File): ReadonlyArray<Piece> => {
  const allHeadings = media === "markdown" ? headingsOf(text) : []
  const titles: Array<string> = []
  let next = 0
  let offset = 0
  let line = 1
  return cutIntoChunks(cutBytes(text, bounds.indexedBytes)).flatMap(({ from, text: piece }: TextChunk, part) => {
    for (; next < allHeadings.length && allHeadings[next]!.offset <= from; next++) {
      const { depth, title } = allHeadings[next]!
      titles.length = depth - 1
      titles[depth - 1] = title
    }
    line += countNewlines(text.slice(offset, from))
    offset = from
    if (piece.trim() === "") return []
    const lineEnd = line + countNewlines(piece.endsWith("\n") ? piece.slice(0, -1) : piece)
    const headings = [path, ...titles.filter((title) => title !== undefined)].join("\n").slice(0, maxHeadingCharacters)
    return [{ part, text: piece, line, lineEnd, headings: headings.toWellFormed() }]
  })
}

/** Maximum characters of path and headings that are indexed with a piece. */
const maxHeadingCharacters = 400

const headingsOf = (text: string): ReadonlyArray<{ offset: number; depth: number; title: string }> =>
  [...text.matchAll(/^(#{1,6})[ \t]+(\S.*)$/gmu)].map((match) => ({
    offset: match.index,
    depth: match[1]!.length,
    title: match[2]!.trim()
  }))

const countNewlines = (text: string): number => {
  let count = 0
  for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", index + 1)) count++
  return count
}
