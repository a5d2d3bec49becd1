import { readFileSync, readSync } from "node:fs"
import { basename } from "node:path"
import { gunzipSync } from "node:zlib"
import { openRawFile } from "../../../events/rawFile.js"
import type { Steps } from "../../../events/turns.js"
import type { ReportHit } from "./databaseHits.js"
import { foldedText, lowerBytes, type Needle } from "./needle.js"

/** Bytes that are read at once. */
const chunkBytes = 4 << 20

interface Options {
  readonly add: ReportHit
  /**
   * Whether word borders can be recognized. In a database they cannot, because the bytes of another column may follow
   * directly.
   */
  readonly isText: boolean
}

/**
 * Reports the texts that a file contains in its name, its bytes or, if it is compressed with gzip, its content. Returns
 * false if the content is compressed in another way, so that it cannot be searched.
 */
export const findTextsInFile = function* (
  file: string,
  needles: ReadonlyArray<Needle>,
  { add, isText }: Options
): Steps<boolean> {
  const found = new Set<number>()
  const search = (content: string, place: string) => {
    for (const [index, { bytes, wholeWords }] of needles.entries()) {
      const has = isText && wholeWords ? hasAlone : hasAnywhere
      if (found.has(index) || !bytes.some((form) => has(content, form))) continue
      found.add(index)
      add(index, place)
    }
  }
  const name = foldedText(basename(file))
  for (const [index, { isIn }] of needles.entries()) if (isIn(name)) add(index, "name of the file")
  // One extra byte on each side shows where a word ends.
  const overlap = Math.max(...needles.flatMap(({ bytes }) => bytes.map((form) => form.length))) + 2
  const { close, descriptor } = openRawFile(file)
  let start = ""
  try {
    const buffer = Buffer.alloc(chunkBytes)
    for (let tail = "", at = 0; ; ) {
      const read = readSync(descriptor, buffer, 0, chunkBytes, at)
      if (read === 0) break
      at += read
      if (start === "") start = buffer.toString("latin1", 0, Math.min(read, 16))
      const content = tail + lowerBytes(buffer.subarray(0, read))
      search(content, "bytes of the file")
      tail = content.slice(-overlap)
      yield
    }
  } finally {
    close()
  }
  if (packedStarts.some((packed) => start.startsWith(packed))) return false
  if (!start.startsWith(gzipStart)) return true
  try {
    search(lowerBytes(gunzipSync(readFileSync(file))), "unpacked content")
    return true
  } catch {
    return false
  }
}

/** The first bytes of gzip files, and of zip, xz, zstd, bzip2, 7z, lz4 and rar files. */
const gzipStart = "\x1f\x8b\x08"
const packedStarts = ["PK\x03\x04", "\xfd7zXZ\0", "(\xb5/\xfd", "BZh", "7z\xbc\xaf", '\x04"M\x18', "Rar!\x1a"]

const hasAnywhere = (content: string, form: string): boolean => content.includes(form)

/**
 * Returns true if the content has the form without an ASCII letter or digit next to it. All other bytes end a word,
 * because they may be punctuation. Escapes of JSON and URLs end a word too.
 */
const hasAlone = (content: string, form: string): boolean => {
  for (let at = content.indexOf(form); at >= 0; at = content.indexOf(form, at + 1)) {
    const before = content.slice(Math.max(0, at - 6), at)
    const startsWord = !isWordByte(before.at(-1)) || escapeAtEnd.test(before)
    if (startsWord && !isWordByte(content[at + form.length])) return true
  }
  return false
}

const escapeAtEnd = /(\\[bfnrt]|\\u[0-9a-f]{4}|%[0-9a-f]{2})$/

const isWordByte = (byte: string | undefined): boolean => byte !== undefined && /[a-z0-9]/.test(byte)
