import { type Layout, layoutOf, type PageFile, pagesOf, pointerBytes } from "../../../events/erasure/pages.js"
import { isYieldDue, type Steps } from "../../../events/turns.js"
import type { ReportHit } from "./databaseHits.js"
import { lowerBytes, type Needle } from "./needle.js"

/** A text that starts on one page and continues on another. */
interface Split {
  /** The index of the text in the list of searched texts. */
  readonly text: number
  /** The bytes on each side of the border, in lower case. */
  readonly before: string
  readonly after: string
}

/**
 * Reports texts that continue on another page. It also finds texts that no row contains any more, in free pages and in
 * the write-ahead log. SQLite continues a long value on overflow pages. Each overflow page begins with the number of
 * the next one, and the cell of the row ends with the number of the first one. Free pages keep these numbers, except
 * pages that list other free pages. So a text is found if the page where it starts contains the number of a page where
 * it continues.
 */
export const findTextsAcrossPages = function* (
  database: string,
  needles: ReadonlyArray<Needle>,
  add: ReportHit
): Steps<void> {
  const files: ReadonlyArray<PageFile> = [
    { path: database, fileHeader: 0, pageHeader: 0 },
    { path: `${database}-wal`, fileHeader: 32, pageHeader: 24 }
  ]
  const layout = layoutOf(database)
  const continued = yield* continuedPages(files, layout, splitsOf(needles, layout))
  if (continued.size === 0) return
  let newest = 0
  for (const page of continued.keys()) newest = Math.max(newest, page)
  const isContinued = new Uint8Array(newest + 1)
  for (const page of continued.keys()) isContinued[page] = 1
  for (const file of files) {
    for (const { bytes } of pagesOf(file, layout)) {
      if (isYieldDue()) yield
      for (const text of textsFrom(bytes.subarray(0, layout.usableBytes), isContinued, continued))
        add(text, "bytes across a page border")
    }
  }
}

/** All ways to split the texts in two, by the first byte after the border. */
const splitsOf = (
  needles: ReadonlyArray<Needle>,
  { usableBytes }: Layout
): ReadonlyMap<string, ReadonlyArray<Split>> => {
  const splits = new Map<string, Array<Split>>()
  // A text that is longer than a page counts if it fills the page.
  const capacity = usableBytes - pointerBytes
  for (const [text, { bytes }] of needles.entries()) {
    for (const form of bytes) {
      for (let at = 1; at < form.length; at++) {
        const split = { text, before: form.slice(Math.max(0, at - capacity), at), after: form.slice(at, at + capacity) }
        const others = splits.get(form[at]!)
        if (others === undefined) splits.set(form[at]!, [split])
        else others.push(split)
      }
    }
  }
  return splits
}

/** The pages on which a text from another page continues, by page number. */
const continuedPages = function* (
  files: ReadonlyArray<PageFile>,
  layout: Layout,
  splits: ReadonlyMap<string, ReadonlyArray<Split>>
): Steps<ReadonlyMap<number, ReadonlyArray<Split>>> {
  const continued = new Map<number, ReadonlyArray<Split>>()
  for (const file of files) {
    for (const { bytes, number } of pagesOf(file, layout)) {
      if (isYieldDue()) yield
      const candidates = splits.get(lowerBytes(bytes.subarray(pointerBytes, pointerBytes + 1)))
      if (candidates === undefined) continue
      const found = candidates.filter(({ after }) => {
        const content = bytes.subarray(pointerBytes, pointerBytes + after.length)
        return lowerBytes(content) === after
      })
      if (found.length > 0) continued.set(number, [...(continued.get(number) ?? []), ...found])
    }
  }
  return continued
}

/** The texts that start on a page and continue on a page whose number occurs anywhere in the first page. */
const textsFrom = function* (
  page: Buffer,
  isContinued: Uint8Array,
  continued: ReadonlyMap<number, ReadonlyArray<Split>>
): Iterable<number> {
  let content: string | undefined
  let number = 0
  for (let end = 1; end <= page.length; end++) {
    number = ((number << 8) | page[end - 1]!) >>> 0
    if (number >= isContinued.length || isContinued[number] === 0 || end < pointerBytes) continue
    content ??= lowerBytes(page)
    for (const { before, text } of continued.get(number)!) {
      if (content.endsWith(before) || content.endsWith(before, end - pointerBytes)) yield text
    }
  }
}
