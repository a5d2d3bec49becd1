import { createHash } from "node:crypto"
import { type Draft, readDrafts } from "./markdown-blocks.js"
import {
  type FrontMatter,
  fileDate,
  frontMatter,
  inPeopleFolder,
  labelType,
  leadingDate,
  type Store
} from "./markdown-context.js"
import { clean, cutTitle, hashtags, mentions, oneLine, slug, splitLong, visible } from "./markdown-text.js"

/** One thing worth remembering, read from one block of a markdown file. */
export interface MarkdownItem {
  /** By check box, leading "Decision:", nearest heading with a type, folder people/, dated file (event); discovery. */
  readonly type: string
  /** One line of at most 120 characters, cut after a sentence or word with "…". */
  readonly title: string
  /** The whole text, code included, where the title does not hold all of it. */
  readonly narrative?: string
  /** Nested bullets, one line each; the other cells of a table row as "Header: value". */
  readonly facts: ReadonlyArray<string>
  /** "done" for a ticked box, headings, front matter and #hashtags as slugs: at most 16 of at most 64 characters. */
  readonly tags: ReadonlyArray<string>
  /** From front matter, the H1 of a file in people/ or the heading below "People", and @mentions. */
  readonly people: ReadonlyArray<string>
  /** The line the block starts on, from 1. */
  readonly line: number
  /** UTC midnight in epoch ms of the date the text starts with, of the nearest dated heading, or of the file name. */
  readonly occurredAt?: number
  /** From front matter. */
  readonly store?: Store
  /** Stays the same wherever in the file the block stands; equal blocks are told apart by counting them. */
  readonly key: string
}

/**
 * Reads a markdown file into items. Each paragraph, top-level bullet and table row is one; headings give them type,
 * tags and dates. A paragraph that ends in ":" takes the list after it as its facts, and any paragraph the code after
 * it as its narrative; other code is an item of its own. Block quotes count as what they quote. Comments, rules and
 * lone images are skipped. More than 20,000 characters become several items. Never throws: what the parser cannot
 * take is read as plain paragraphs. `file` is the path below the import root, with "/".
 */
export const parseMarkdown = (text: string, file: string): ReadonlyArray<MarkdownItem> => {
  const front = frontMatter(clean(text))
  const drafts = readDrafts(front.body, inPeopleFolder(file))
  const seen = new Map<string, number>()
  return drafts.flatMap((draft) => pieces(draft).map((piece) => finish(draft, piece, front, file, seen)))
}

interface Piece {
  readonly title: string
  readonly narrative: string
  readonly facts: ReadonlyArray<string>
  readonly code: boolean
}

const LONGEST = 20_000
const CHECK_BOX = /^\[([ xX])\]\s+/

/** What becomes of a draft: one item, or several where it is too long; code alone or too long is apart. */
const pieces = (draft: Draft): ReadonlyArray<Piece> => {
  const text = draft.texts.join("\n\n").replace(CHECK_BOX, "")
  const code = draft.code.join("\n\n")
  const whole = text && code ? `${text}\n\n${code}` : text
  const together = whole.length <= LONGEST
  const words = (together ? [whole] : splitLong(text, LONGEST)).filter(visible).map((part) => {
    const title = cutTitle(oneLine(part.split("\n\n").find(visible) ?? part))
    return { title, narrative: oneLine(part) === title ? "" : part, code: false }
  })
  const apart =
    together && text
      ? []
      : splitLong(code, LONGEST).map((part) => {
          const title = cutTitle(oneLine(`Code: ${part.split("\n").find(visible) ?? ""}`))
          return { title, narrative: `Code: ${part}` === title ? "" : part, code: true }
        })
  return [...words, ...apart].map((piece, i) => ({ ...piece, facts: i === 0 ? draft.facts : [] }))
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
  const other = inPeopleFolder(file) ? "person" : dated !== undefined ? "event" : "discovery"
  const named = labelType(text) ?? nearest.find((heading) => heading.type !== undefined)?.type ?? other
  const type = piece.code ? "technical" : box !== undefined ? "task" : named
  const occurredAt = leadingDate(text) ?? nearest.find((heading) => heading.date !== undefined)?.date ?? dated
  const prose = draft.prose.join(" ")
  const done = box === "x" || box === "X" ? "done" : ""
  const headings = draft.path.map((heading) => heading.tag ?? "")
  const tags = [done, ...headings, ...front.tags, ...hashtags(prose).map(slug)]
  const people = new Map<string, string>()
  for (const name of [...front.people, draft.person ?? "", ...mentions(prose)]) {
    if (name && !people.has(name.toLowerCase())) people.set(name.toLowerCase(), name)
  }
  const content = [type, piece.title, piece.narrative, piece.facts]
  const same = seen.get(JSON.stringify(content)) ?? 0
  seen.set(JSON.stringify(content), same + 1)
  return {
    type,
    title: piece.title,
    ...(piece.narrative && { narrative: piece.narrative }),
    facts: piece.facts,
    tags: [...new Set(tags.filter(Boolean))].slice(0, 16),
    people: [...people.values()],
    line: draft.line,
    ...(occurredAt !== undefined && { occurredAt }),
    ...(front.store && { store: front.store }),
    key: createHash("sha256")
      .update(JSON.stringify([...content, same]))
      .digest("hex")
      .slice(0, 32)
  }
}
