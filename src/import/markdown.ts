import { createHash } from "node:crypto"
import { doneTag } from "../model/input.js"
import { limits } from "../model/limits.js"
import { type CutPart, type Draft, readDrafts } from "./markdown-blocks.js"
import {
  type FrontMatter,
  fileDate,
  frontMatter,
  isInPeopleFolder,
  labelType,
  leadingDate,
  type Store
} from "./markdown-context.js"
import { cleanText, cutTitle, hashtags, hasVisibleText, mentions, oneLine, slug, splitLong } from "./markdown-text.js"

/** An item to remember, read from one block of a markdown file. */
export interface MarkdownItem {
  /**
   * From a check box, a leading "Decision:", the nearest heading with a type, the folder people/, or a dated file
   * (event). Default: discovery.
   */
  readonly type: string
  /** One line of at most 120 characters, cut after a sentence or word with "…". */
  readonly title: string
  /** The whole text with its code, if the title does not contain all of it. */
  readonly narrative?: string
  /** Nested bullets, one line each; the other cells of a table row as "Header: value". */
  readonly facts: ReadonlyArray<string>
  /** "done" for a ticked box, headings, front matter and #hashtags as slugs: at most 16 of at most 64 characters. */
  readonly tags: ReadonlyArray<string>
  /** From front matter, the H1 of a file in people/ or the heading below "People", and @mentions. */
  readonly people: ReadonlyArray<string>
  /** The line on which the block starts, from 1. */
  readonly line: number
  /**
   * The date at the start of the text, of the nearest dated heading, or of the file name: UTC midnight, in milliseconds
   * since the epoch.
   */
  readonly occurredAt?: number
  /** From front matter. */
  readonly store?: Store
  /** A digest of the content. It does not depend on the block's position; equal blocks are numbered. */
  readonly key: string
}

/** The items of a file, and the parts that were cut. */
export interface ParsedMarkdown {
  readonly items: ReadonlyArray<MarkdownItem>
  readonly cuts: ReadonlyArray<CutPart>
}

/**
 * Reads a markdown file into items. Each paragraph, top-level bullet and table row is an item; headings give the item a
 * type, tags and a date. A list after a paragraph that ends in ":" becomes the paragraph's facts. Code after a
 * paragraph becomes part of its narrative; other code is a separate item. The content of a block quote is read like
 * other content. Comments, rules and lone images are skipped. Text over 20,000 characters becomes several items. Never
 * throws: parts that the parser rejects are read as plain text and listed in `cuts`. `file` is the path below the
 * import root, with "/". Yields about every 20 ms, so that the event loop can run.
 */
export function* parseMarkdown(text: string, file: string): Generator<void, ParsedMarkdown> {
  const front = frontMatter(cleanText(text))
  yield
  const { cuts, drafts } = yield* readDrafts(front.body, isInPeopleFolder(file))
  const seen = new Map<string, number>()
  const items: Array<MarkdownItem> = []
  let characters = 0
  for (const draft of drafts) {
    for (const piece of pieces(draft)) {
      items.push(finish(draft, piece, front, file, seen))
      characters += piece.narrative.length + charactersPerItem
    }
    if (characters < charactersPerStep) continue
    characters = 0
    yield
  }
  return { items, cuts }
}

/** Maximum hashtags that are read from one block. */
const maxHashtags = 200
/** Characters of items between two yields. Each item counts `charactersPerItem` characters in addition to its own. */
const charactersPerStep = 40_000
const charactersPerItem = 200

interface Piece {
  readonly title: string
  readonly narrative: string
  readonly facts: ReadonlyArray<string>
  readonly code: boolean
}

/** Maximum characters of one item. */
const MAX_CHARACTERS = 20_000
const CHECK_BOX = /^\[([ xX])\]\s+/

/**
 * Splits a draft that is too long into several items. Code becomes a separate item if the draft has no other text, or
 * if text and code together are too long.
 */
const pieces = (draft: Draft): ReadonlyArray<Piece> => {
  const text = draft.texts.join("\n\n").replace(CHECK_BOX, "")
  const code = draft.code.join("\n\n")
  const combined = text && code ? `${text}\n\n${code}` : text
  const fitsInOne = combined.length <= MAX_CHARACTERS
  const textPieces = (fitsInOne ? [combined] : splitLong(text, MAX_CHARACTERS)).filter(hasVisibleText).map((part) => {
    const title = cutTitle(oneLine(part.split("\n\n").find(hasVisibleText) ?? part))
    return { title, narrative: oneLine(part) === title ? "" : part, code: false }
  })
  const codePieces =
    fitsInOne && text
      ? []
      : splitLong(code, MAX_CHARACTERS).map((part) => {
          const title = cutTitle(oneLine(`Code: ${part.split("\n").find(hasVisibleText) ?? ""}`))
          return { title, narrative: `Code: ${part}` === title ? "" : part, code: true }
        })
  return [...textPieces, ...codePieces].map((piece, i) => ({ ...piece, facts: i === 0 ? draft.facts : [] }))
}

const finish = (
  draft: Draft,
  piece: Piece,
  front: FrontMatter,
  file: string,
  seen: Map<string, number>
): MarkdownItem => {
  const first = draft.texts[0] ?? ""
  const box = CHECK_BOX.exec(first)?.[1]
  const text = first.replace(CHECK_BOX, "")
  const dated = fileDate(file)
  const nearest = [...draft.path].reverse()
  const byFile = isInPeopleFolder(file) ? "person" : dated !== undefined ? "event" : "discovery"
  const byText = labelType(text) ?? nearest.find((heading) => heading.type !== undefined)?.type ?? byFile
  const type = piece.code ? "technical" : box !== undefined ? "task" : byText
  const occurredAt = leadingDate(text) ?? nearest.find((heading) => heading.date !== undefined)?.date ?? dated
  const prose = draft.prose.join(" ")
  const stateTag = box === "x" || box === "X" ? doneTag : ""
  const headings = draft.path.map((heading) => heading.tag ?? "")
  const tags = new Set([stateTag, ...headings, ...front.tags].filter(Boolean))
  let read = 0
  for (const hashtag of hashtags(prose)) {
    if (tags.size >= limits.tags || ++read > maxHashtags) break
    const tag = slug(hashtag)
    if (tag !== "") tags.add(tag)
  }
  const people = new Map<string, string>()
  const addPerson = (name: string) => {
    if (name && !people.has(name.toLowerCase())) people.set(name.toLowerCase(), name)
  }
  for (const name of [...front.people, draft.person ?? ""]) addPerson(name)
  for (const name of mentions(prose)) {
    // Keeps one name more than the limit, so that the import can detect the excess.
    if (people.size > limits.people) break
    addPerson(name)
  }
  const content = JSON.stringify([type, piece.title, piece.narrative, piece.facts])
  const repeats = seen.get(content) ?? 0
  seen.set(content, repeats + 1)
  return {
    type,
    title: piece.title,
    ...(piece.narrative && { narrative: piece.narrative }),
    facts: piece.facts,
    tags: [...tags].slice(0, limits.tags),
    people: [...people.values()],
    line: draft.line,
    ...(occurredAt !== undefined && { occurredAt }),
    ...(front.store && { store: front.store }),
    key: createHash("sha256")
      .update(`${content.slice(0, -1)},${repeats}]`)
      .digest("hex")
      .slice(0, 32)
  }
}
