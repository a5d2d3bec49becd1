import { pointerBytes } from "./pages.js"

// The cells of a page: rows of a table, or entries of an index. https://www.sqlite.org/fileformat2.html, section 1.6.

/** The first byte of a page is its kind. */
const kinds = { innerIndex: 2, innerTable: 5, leafIndex: 10, leafTable: 13 } as const

/**
 * The bytes of a page that belong neither to a cell, nor to the list of cells, nor to the header, which begins at
 * `header`. Undefined if the page is not valid.
 */
export const bytesBetweenCells = (page: Buffer, header: number): ReadonlyArray<Buffer> | undefined => {
  const kind = page[header]!
  const isInner = kind === kinds.innerIndex || kind === kinds.innerTable
  if (!isInner && kind !== kinds.leafIndex && kind !== kinds.leafTable) return undefined
  const list = header + (isInner ? 12 : 8)
  const count = page.readUInt16BE(header + 3)
  let end = list + 2 * count
  if (end > page.length) return undefined
  const starts = Uint16Array.from({ length: count }, (_, index) => page.readUInt16BE(list + 2 * index)).sort()
  const between: Array<Buffer> = []
  for (const start of starts) {
    if (start < end || start + minCellBytes > page.length) return undefined
    if (start > end) between.push(page.subarray(end, start))
    end = start + Math.max(cellBytes(page, start, kind), minCellBytes)
    if (end > page.length) return undefined
  }
  if (end < page.length) between.push(page.subarray(end))
  return between
}

/** SQLite gives each cell at least this many bytes, because a free block needs them. */
const minCellBytes = 4

/** The number of bytes that a cell uses on its own page. */
const cellBytes = (page: Buffer, start: number, kind: number): number => {
  if (kind === kinds.innerTable) return varint(page, start + pointerBytes).next - start
  const payload = varint(page, kind === kinds.innerIndex ? start + pointerBytes : start)
  const content = kind === kinds.leafTable ? varint(page, payload.next).next : payload.next
  return content - start + bytesOnPage(payload.value, page.length, kind)
}

/**
 * The number of payload bytes on the page of the cell. If the rest is on an overflow page, the number includes the four
 * bytes of the pointer to that page.
 */
const bytesOnPage = (payload: number, usable: number, kind: number): number => {
  const most = kind === kinds.leafTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  if (payload <= most) return payload
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const fitting = least + ((payload - least) % (usable - pointerBytes))
  return (fitting <= most ? fitting : least) + pointerBytes
}

/**
 * Reads a number of one to nine bytes, high bits first. Each of the first eight bytes has seven bits of the number, and
 * a bit that says whether another byte follows.
 */
const varint = (page: Buffer, at: number): { readonly value: number; readonly next: number } => {
  let value = 0
  for (let next = at; next < at + 8; next++) {
    const byte = page[next] ?? 0
    value = value * 128 + (byte & 127)
    if (byte < 128) return { value, next: next + 1 }
  }
  return { value: value * 256 + (page[at + 8] ?? 0), next: at + 9 }
}
