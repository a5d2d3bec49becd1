import { existsSync, fstatSync, readSync } from "node:fs"
import { openRawFile } from "../rawFile.js"

// The pages of a SQLite database as bytes: https://www.sqlite.org/fileformat2.html

/** A file that contains copies of pages: the database, or its write-ahead log. */
export interface PageFile {
  readonly path: string
  /** Bytes before the first page. `pageHeader`: bytes before each page. */
  readonly fileHeader: number
  readonly pageHeader: number
}

export interface Layout {
  readonly pageBytes: number
  /** Bytes of a page without the bytes at its end that extensions of SQLite reserve. */
  readonly usableBytes: number
}

/** The first page begins with the header of the file. */
export const headerBytes = 100

/** Bytes of a page number. */
export const pointerBytes = 4

/** Reads the page size from the header of a database. The value 1 stands for 65,536 bytes. */
export const layoutOf = (database: string): Layout => {
  const header = Buffer.alloc(headerBytes)
  const { close, descriptor } = openRawFile(database)
  try {
    readSync(descriptor, header, 0, header.length, 0)
  } finally {
    close()
  }
  const size = header.readUInt16BE(16)
  const pageBytes = size === 1 ? 65_536 : size
  return { pageBytes, usableBytes: pageBytes - header[20]! }
}

/**
 * The copies of pages in a file, with their numbers. If another process writes a page during the read, the copy may mix
 * old and new bytes.
 */
export const pagesOf = function* ({ fileHeader, pageHeader, path }: PageFile, { pageBytes }: Layout) {
  if (!existsSync(path)) return
  const { close, descriptor } = openRawFile(path)
  try {
    const step = pageHeader + pageBytes
    const buffer = Buffer.alloc(Math.ceil(bytesAtOnce / step) * step)
    const { size } = fstatSync(descriptor)
    for (let from = fileHeader; from + step <= size; ) {
      const whole = Math.floor(readSync(descriptor, buffer, 0, buffer.length, from) / step)
      if (whole === 0) return
      for (let index = 0; index < whole; index++) {
        const start = index * step
        const number = pageHeader === 0 ? (from + start) / step + 1 : buffer.readUInt32BE(start)
        yield { number, bytes: buffer.subarray(start + pageHeader, start + step) }
      }
      from += whole * step
    }
  } finally {
    close()
  }
}

const bytesAtOnce = 1 << 20
