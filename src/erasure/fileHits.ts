import { closeSync, openSync, readFileSync, readSync } from "node:fs"
import { basename } from "node:path"
import { gunzipSync } from "node:zlib"
import type { Steps } from "../../events/turns.js"
import { foldedText, lowerBytes, type Needle } from "./needle.js"

/** Bytes that are read at once. */
const chunkBytes = 4 << 20

/** Reports which texts a file has in its name, its bytes or, if it is compressed by gzip, its content. */
export const fileHits = function* (
  file: string,
  needles: ReadonlyArray<Needle>,
  add: (text: number, place: string) => void
): Steps<void> {
  const found = new Set<number>()
  const search = (content: string, place: string) => {
    for (const [index, { bytes }] of needles.entries()) {
      if (found.has(index) || !bytes.some((form) => content.includes(form))) continue
      found.add(index)
      add(index, place)
    }
  }
  const name = foldedText(basename(file))
  for (const [index, { folded }] of needles.entries()) if (name.includes(folded)) add(index, "name of the file")
  const overlap = Math.max(...needles.flatMap(({ bytes }) => bytes.map((form) => form.length)))
  const descriptor = openSync(file, "r")
  try {
    const buffer = Buffer.alloc(chunkBytes)
    for (let tail = ""; ; ) {
      const read = readSync(descriptor, buffer, 0, chunkBytes, null)
      if (read === 0) break
      const content = tail + lowerBytes(buffer.subarray(0, read))
      search(content, "bytes of the file")
      tail = content.slice(-overlap)
      yield
    }
  } finally {
    closeSync(descriptor)
  }
  if (!file.endsWith(".gz")) return
  try {
    search(lowerBytes(gunzipSync(readFileSync(file))), "unpacked content")
  } catch {
    // A file that only has the name of one is searched by its bytes.
  }
}
