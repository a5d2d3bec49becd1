import { realpathSync } from "node:fs"
import * as Effect from "effect/Effect"
import { openDatabase } from "../driver.js"
import { type StorageError, storageError } from "../errors.js"
import { statIfExists } from "../folder.js"
import { type Db, sql } from "../statement.js"
import { isYieldDue, runInTurns, type Steps } from "../turns.js"
import { bytesBetweenCells } from "./cells.js"
import { headerBytes, layoutOf, pagesOf } from "./pages.js"
import type { PieceMatcher } from "./pieces.js"

// The slack of a database: the bytes of its file that belong to no row and no index entry. When SQLite moves rows
// between pages, it leaves copies of them in the slack. `secure_delete` does not zero these copies.

/**
 * Searches the slack of a database for pieces of erased values. Returns "found" also if a free page is not empty,
 * because its content may come from anywhere. Returns "written" if the write-ahead log is not empty; the caller then
 * empties the log and searches again.
 *
 * Other processes can write during the search. They write to the write-ahead log, and each page that they write is
 * derived from a page that is searched here.
 */
export const searchUnusedSpace = (
  file: string,
  pieces: PieceMatcher
): Effect.Effect<"clean" | "found" | "written", StorageError> =>
  Effect.acquireUseRelease(
    attempt(() => {
      const db = openDatabase(file, { readonly: true, fileMustExist: true, timeout: 20 })
      return { db, steps: search(db, pieces) }
    }),
    ({ steps }) => runInTurns(steps, attempt),
    ({ db, steps }) =>
      Effect.sync(() => {
        // An open query would prevent the connection from closing.
        steps.return("written")
        db.close()
      })
  )

const search = function* (db: Db, pieces: PieceMatcher): Steps<"clean" | "found" | "written"> {
  // If the write-ahead log is empty when a read transaction begins, the transaction reads the file itself, and no
  // checkpoint can change the file until the transaction ends.
  db.exec("BEGIN")
  sql(db, "SELECT count(*) FROM sqlite_schema").get()
  if (isWalUsed(db)) return "written"
  const layout = layoutOf(db.name)
  if (layout.usableBytes < layout.pageBytes) return "found"
  const usage = yield* usageOf(db)
  let read = 0
  for (const { bytes, number } of pagesOf(fileOf(db), layout)) {
    if (isYieldDue()) yield
    read++
    if (usage.isFree(number) ? hasContent(bytes, usage.pages) : slackOf(bytes, number, usage).some(pieces.areIn))
      return "found"
  }
  return read < usage.pages ? "found" : "clean"
}

/**
 * The number of free pages of a database that are not empty. With `secure_delete`, SQLite empties a page when it frees
 * it. If the write-ahead log has newer pages, or if the database is damaged, all free pages are counted.
 */
export const freePagesWithContent = function* (db: Db): Steps<number> {
  const count = db.pragma("freelist_count", { simple: true }) as number
  if (count === 0 || isWalUsed(db)) return count
  let full = 0
  try {
    const usage = yield* usageOf(db)
    for (const { bytes, number } of pagesOf(fileOf(db), layoutOf(db.name))) {
      if (isYieldDue()) yield
      if (usage.isFree(number) && hasContent(bytes, usage.pages)) full++
    }
    return full
  } catch {
    return count
  }
}

const isWalUsed = (db: Db): boolean => (statIfExists(`${realpathSync(db.name)}-wal`)?.size ?? 0) > 0

const fileOf = (db: Db) => ({ path: db.name, fileHeader: 0, pageHeader: 0 })

/** How each page of a database is used. */
interface Usage {
  readonly pages: number
  /** The overflow pages, which continue a long value, with the number of unused bytes at their end. */
  readonly overflow: ReadonlyMap<number, number>
  readonly isFree: (page: number) => boolean
}

const usageOf = function* (db: Db): Steps<Usage> {
  const pages = db.pragma("page_count", { simple: true }) as number
  const isUsed = new Uint8Array(pages + 1)
  const overflow = new Map<number, number>()
  for (const [page, kind, unused] of sql(db, "SELECT pageno, pagetype, unused FROM dbstat").raw().iterate()) {
    isUsed[page] = 1
    if (kind === "overflow") overflow.set(page, unused)
    if (isYieldDue()) yield
  }
  return { pages, overflow, isFree: (page) => isUsed[page] !== 1 }
}

/** True if a free page contains more than page numbers. The list of free pages consists of page numbers. */
const hasContent = (bytes: Buffer, pages: number): boolean => {
  for (let at = 0; at + 4 <= bytes.length; at += 4) if (bytes.readUInt32BE(at) > pages) return true
  return false
}

/** The unused bytes of a page. A page with an unexpected format is searched as a whole. */
const slackOf = (bytes: Buffer, number: number, { overflow }: Usage): ReadonlyArray<Buffer> => {
  const unused = overflow.get(number)
  return unused === undefined
    ? (bytesBetweenCells(bytes, number === 1 ? headerBytes : 0) ?? [bytes])
    : [bytes.subarray(bytes.length - unused)]
}

const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: storageError("log.db") })
