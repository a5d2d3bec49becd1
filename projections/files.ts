import type { DaybookEvent } from "../events/catalogue.js"
import type { File, Media } from "../events/File.js"
import { floorOf, type Store, type TrustLevel } from "../events/Trust.js"
import { type Cut, chunkNumber, cutsOf } from "../text/normalise/chunks.js"
import { indexed } from "../text/normalise/text.js"
import { chunkText, dateWords, removeChunks } from "./chunkText.js"
import { type Db, type Lookup, sql } from "./Projection.js"

/** A file that is indexed, without its text. */
export interface IndexedFile {
  readonly id: string
  readonly path: string
  readonly store: Store
  /** The session that takes it along when it is forgotten. */
  readonly session: string | null
  readonly media: Media
  /** SHA-256 of its text, hexadecimal. */
  readonly digest: string
  readonly characters: number
  readonly lines: number
  /** Tokens that reading it costs. */
  readonly tokens: number
  readonly chunks: number
  /** Milliseconds since the epoch: when it was changed, as far as whoever added it said so; else when it was added. */
  readonly occurredAt: number
}

/** Indexes a file in place of what its path said before. */
export const addFile = (db: Db, event: Extract<DaybookEvent, { type: "FILE" }>, lookup: Lookup) => {
  const { file, replaces } = event.payload
  const { id, media, occurredAt, path, session = null, store, text } = file
  const openness = lookup.opennessOf(file)
  const filling = lookup.filling?.("conversation") === true
  if (replaces !== undefined) {
    removeChunks(db, replaces, filling)
    sql(db, "DELETE FROM files WHERE born = ?").run(replaces)
  }
  const pieces = piecesOf(file)
  sql(
    db,
    `INSERT INTO files (born, id, path, store, openness, session, media, digest, characters, lines, tokens, chunks,
      occurred_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  ).run(
    event.version,
    id,
    path,
    store,
    openness,
    session,
    media,
    file.digest,
    text.length,
    text === "" ? 0 : newlines(text.endsWith("\n") ? text.slice(0, -1) : text) + 1,
    file.tokens,
    pieces.length,
    occurredAt
  )
  const day = dateWords(occurredAt)
  for (const { above, line, lineEnd, part, text } of pieces) {
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
      above,
      text
    )
    chunkText.add(db, { born, id, openness, columns: [indexed(text), indexed(above), "", day] }, filling)
  }
}

/** The files that a level may read, the last added first. */
export const findFiles = (
  db: Db,
  level: TrustLevel,
  page: { readonly limit: number; readonly offset: number }
): ReadonlyArray<IndexedFile> =>
  sql(
    db,
    `SELECT id, path, store, session, media, digest, characters, lines, tokens, chunks, occurred_at AS occurredAt
      FROM files WHERE openness >= ? ORDER BY born DESC LIMIT ? OFFSET ?`
  ).all(floorOf(level), page.limit, page.offset)

/** What a path holds in one store, and the version that added it; undefined where it holds nothing. */
export const findFile = (
  db: Db,
  path: string,
  store: Store
): (Pick<IndexedFile, "id" | "digest" | "session" | "chunks"> & { readonly born: number }) | undefined =>
  sql(
    db,
    "SELECT born, id, digest, session, chunks FROM files WHERE path = ? AND store = ? ORDER BY born DESC LIMIT 1"
  ).get(path, store)

/** The versions that added what a path holds, as far as a level may read it, and its stores. */
export const findFilesAt = (
  db: Db,
  level: TrustLevel,
  path: string
): ReadonlyArray<{ readonly born: number; readonly store: Store }> =>
  sql(db, "SELECT born, store FROM files WHERE path = ? AND openness >= ? ORDER BY born").all(path, floorOf(level))

/** Whether a file has this id. */
export const hasFile = (db: Db, id: string): boolean =>
  sql(db, "SELECT 1 FROM files WHERE id = ?").get(id) !== undefined

interface Piece {
  readonly part: number
  readonly text: string
  /** The lines in which it begins and ends, from 1. */
  readonly line: number
  readonly lineEnd: number
  /** What is indexed beside it: the path, and the headings that it stands under. */
  readonly above: string
}

export const piecesOf = ({ media, path, text }: File): ReadonlyArray<Piece> => {
  const headings = media === "markdown" ? headingsOf(text) : []
  const under: Array<string> = []
  let next = 0
  let at = 0
  let line = 1
  return cutsOf(text).flatMap(({ from, text: piece }: Cut, part) => {
    for (; next < headings.length && headings[next]!.at <= from; next++) {
      const { depth, title } = headings[next]!
      under.length = depth - 1
      under[depth - 1] = title
    }
    line += newlines(text.slice(at, from))
    at = from
    if (piece.trim() === "") return []
    const lineEnd = line + newlines(piece.endsWith("\n") ? piece.slice(0, -1) : piece)
    const above = [path, ...under.filter((title) => title !== undefined)].join("\n").slice(0, aboveLength)
    return [{ part, text: piece, line, lineEnd, above: above.toWellFormed() }]
  })
}

/** Characters of path and headings that are indexed beside a piece. */
const aboveLength = 400

const headingsOf = (text: string): ReadonlyArray<{ at: number; depth: number; title: string }> =>
  [...text.matchAll(/^(#{1,6})[ \t]+(\S.*)$/gmu)].map((found) => ({
    at: found.index,
    depth: found[1]!.length,
    title: found[2]!.trim()
  }))

const newlines = (text: string): number => {
  let count = 0
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++
  return count
}
