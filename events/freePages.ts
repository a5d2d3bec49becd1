import { closeSync, openSync, readSync } from "node:fs"
import { type Db, sql } from "./statement.js"

/**
 * Whether every byte of the database file that holds no content is zero, so that no erased text is left. Follows the file
 * format: space between cells and in free blocks of b-tree pages, the ends of overflow pages, and free pages. The caller
 * holds the write lock, and the write-ahead log is empty. https://sqlite.org/fileformat2.html
 */
export const hasOnlyContent = (db: Db): boolean => {
  const { count, size, free } = sql(
    db,
    `SELECT page_count AS count, page_size AS size, freelist_count AS free
      FROM pragma_page_count, pragma_page_size, pragma_freelist_count`
  ).get()
  // Free pages would have to be told apart from pages that hold lists of them. Rewriting the file removes both.
  if (free > 0) return false
  const kinds = new Map<number, { readonly pagetype: string; readonly unused: number }>()
  for (const row of sql(db, "SELECT pageno, pagetype, unused FROM dbstat").iterate()) kinds.set(row.pageno, row)
  const descriptor = openSync(db.name, "r")
  try {
    const pagesInRead = Math.max(1, Math.floor(bytesInRead / size))
    const bytes = Buffer.alloc(pagesInRead * size)
    for (let first = 1; first <= count; first += pagesInRead) {
      const pages = Math.min(pagesInRead, count - first + 1)
      if (readSync(descriptor, bytes, 0, pages * size, (first - 1) * size) < pages * size) return false
      for (let index = 0; index < pages; index++) {
        const kind = kinds.get(first + index)
        const page = bytes.subarray(index * size, (index + 1) * size)
        if (kind === undefined) return false
        const isClean =
          kind.pagetype === "overflow" ? isZero(page, size - kind.unused, size) : isTreePageClean(page, first + index)
        if (!isClean) return false
      }
    }
    return true
  } finally {
    closeSync(descriptor)
  }
}

const bytesInRead = 4 << 20

/** Page 1 begins with the header of the file. */
const isTreePageClean = (page: Buffer, number: number): boolean => {
  const header = number === 1 ? 100 : 0
  const type = page[header]
  const isLeaf = type === 10 || type === 13
  if (!isLeaf && type !== 2 && type !== 5) return false
  const cells = page.readUInt16BE(header + 3)
  const content = page.readUInt16BE(header + 5) || 65_536
  if (!isZero(page, header + (isLeaf ? 8 : 12) + 2 * cells, content)) return false
  for (let block = page.readUInt16BE(header + 1); block !== 0; ) {
    const next = page.readUInt16BE(block)
    if (next !== 0 && next <= block) return false
    if (!isZero(page, block + 4, block + page.readUInt16BE(block + 2))) return false
    block = next
  }
  return true
}

const zeros = Buffer.alloc(65_536)

const isZero = (page: Buffer, from: number, to: number): boolean =>
  to <= from || page.compare(zeros, 0, to - from, from, to) === 0
