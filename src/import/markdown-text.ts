import { toString as textOf } from "mdast-util-to-string"
import { isTableHead, splitCells } from "./markdown-tables.js"
import { type Node, parseSlice } from "./parseSlice.js"

/**
 * `text` is the visible text. `prose` is the same text without code and URLs. Hashtags and mentions are searched only
 * in `prose`.
 */
export interface VisibleText {
  readonly text: string
  readonly prose: string
}

/** The URLs of `[name]: url` lines by their identifier. */
export type Definitions = ReadonlyMap<string, string>

/**
 * Makes any string well formed: lone surrogates become U+FFFD, NUL and byte order marks are removed, line ends become
 * "\n".
 */
export const cleanText = (text: string): string =>
  text
    .replace(/\p{Surrogate}/gu, "\uFFFD")
    .replace(/[\0\uFEFF]/g, "")
    .replace(/\r\n?/g, "\n")

/** Reduces white space and control characters to single spaces, with none at the ends. */
export const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ").trim()

/** Returns true if a text has a letter, digit, symbol or punctuation mark. */
export const hasVisibleText = (text: string): boolean => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text)

/**
 * Reduces inline markup to its text. A link becomes its text, followed by its URL in parentheses if the URL differs
 * from the text. An image becomes its description. Hard breaks become "\n", soft ones a space. `[[Page|name]]` becomes
 * the name.
 */
export const visibleTextOf = (nodes: ReadonlyArray<Node>, definitions: Definitions): VisibleText => {
  const text: Array<string> = []
  const prose: Array<string> = []
  const addBoth = (value: string) => {
    text.push(value)
    prose.push(value)
  }
  const link = (node: Node, url: string | undefined) => {
    if ("children" in node) node.children.forEach(visit)
    const linkText = textOf(node)
    if (url && url !== linkText && url !== `mailto:${linkText}`) text.push(linkText ? ` (${url})` : url)
  }
  const visit = (node: Node): void => {
    if (node.type === "text") addBoth(plainText(node.value))
    else if (node.type === "break") addBoth("\n")
    else if (node.type === "html") addBoth(/^<br\b/i.test(node.value) ? "\n" : "")
    else if (node.type === "image" || node.type === "imageReference") addBoth(node.alt ?? "")
    else if (node.type === "link") link(node, node.url)
    else if (node.type === "linkReference") link(node, definitions.get(node.identifier))
    else if ("children" in node) node.children.forEach(visit)
    else {
      text.push(textOf(node).replaceAll("\n", " "))
      prose.push(" ")
    }
  }
  nodes.forEach(visit)
  const lines = text
    .join("")
    .split("\n")
    .map((line) => line.trim())
  return { text: lines.filter(Boolean).join("\n"), prose: prose.join("") }
}

/** Returns true if all nodes are images (bare, linked or emphasised), white space or inline HTML. */
export const hasOnlyImages = (nodes: ReadonlyArray<Node>): boolean =>
  nodes.every((node) => {
    if (node.type === "image" || node.type === "imageReference") return true
    if (node.type === "text") return !hasVisibleText(node.value)
    if (node.type === "html" || node.type === "break") return true
    return "children" in node && node.children.length > 0 && hasOnlyImages(node.children)
  })

/**
 * Returns the text of an HTML block without comments, scripts, styles and tags. Returns "" for a block that is only a
 * comment.
 */
export const htmlText = (html: string): string => {
  let remainder = html
  let text = ""
  for (let open = remainder.indexOf("<!--"); open >= 0; open = remainder.indexOf("<!--")) {
    text += remainder.slice(0, open)
    const closeIndex = remainder.indexOf("-->", open + 2)
    remainder = closeIndex < 0 ? "" : remainder.slice(closeIndex + 3)
  }
  text += remainder
  if (/^\s*<(script|style)\b/i.test(text)) return ""
  return oneLine(text.replace(/<[^<>]*>/g, " "))
}

/** Reduces a piece of markdown source to one line of inline text; never reads it as a block. */
export const visibleTextOfSource = (source: string): VisibleText => {
  if (!/[\\`*_[\]<>&!~]/.test(source)) return { text: oneLine(source), prose: source }
  // The prefix ". " prevents a cell such as "- " or "1." from being read as a block. Emphasis can open after the
  // prefix.
  const { text, prose } = visibleTextOf(parseSlice(`. ${source}`).nodes, new Map())
  return { text: oneLine(text.slice(1)), prose: prose.slice(1) }
}

/** A table in the lines of a paragraph: the index of its header line, and its cells. */
export interface Table {
  readonly start: number
  readonly header: ReadonlyArray<VisibleText>
  readonly rows: ReadonlyArray<ReadonlyArray<VisibleText>>
}

/**
 * Finds the first line that is followed by a delimiter line with the same number of columns. All lines after these two
 * are rows.
 */
export const findTable = (lines: ReadonlyArray<string>): Table | undefined => {
  const start = lines.findIndex((line, index) => isTableHead(line, lines[index + 1]))
  if (start < 0) return undefined
  const cells = (line: string) => splitCells(line).map(visibleTextOfSource)
  return { start, header: cells(lines[start] ?? ""), rows: lines.slice(start + 2).map(cells) }
}

/**
 * Cuts a line to `limit` characters and appends "…". The cut is after the last complete sentence that ends beyond a
 * third of the limit, else after a word, else between two characters.
 */
export const cutTitle = (line: string, limit = 120): string => {
  if (line.length <= limit) return line
  let end = line.lastIndexOf(" ", limit - 1)
  if (end < limit / 3) end = cutPosition(line, limit - 1)
  for (let i = limit - 2; i >= limit / 3; i--) {
    if ("。！？".includes(line.charAt(i)) || (".!?".includes(line.charAt(i)) && line[i + 1] === " ")) {
      end = i + 1
      break
    }
  }
  const withoutComment = line.slice(0, end)
  return `${withoutComment.replace(/[\s.,;:–—-]+$/, "") || withoutComment}…`
}

/**
 * Splits a text into pieces of at most `limit` characters: preferably between paragraphs, else between lines, sentences
 * or words.
 */
export const splitLong = (text: string, limit: number): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  let rest = text
  while (rest.length > limit) {
    const cutIndex = boundary(rest, limit)
    pieces.push(rest.slice(0, cutIndex).trim())
    rest = rest.slice(cutIndex).trimStart()
  }
  return [...pieces, pieces.length ? rest.trim() : rest].filter(hasVisibleText)
}

/**
 * Converts a text to lower case, with "-" for everything but letters, digits and "_". The result has at most 64
 * characters and may be "".
 */
export const slug = (text: string): string => {
  const dashed = text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, "-")
    .replace(/^-/, "")
  return dashed.slice(0, cutPosition(dashed, 64)).replace(/-$/, "")
}

/** Finds the words after "#" that contain a letter. "a#b", "# a" and "#1" are not hashtags. */
export function* hashtags(prose: string): Generator<string> {
  for (const [, tag = ""] of prose.matchAll(/(?<=^|[\s([{,;"'])#([\p{L}\p{M}\p{N}_/-]+)/gu))
    if (/\p{L}/u.test(tag)) yield tag
}

/** Finds the names after "@", without closing punctuation. "a@b.c" and the package "@a/b" are not mentions. */
export function* mentions(prose: string): Generator<string> {
  const names = /(?<=^|[\s([{,;"'])@(\p{L}[\p{L}\p{M}\p{N}_.-]*)(?![\p{L}\p{M}\p{N}_./-])/gu
  for (const [, name = ""] of prose.matchAll(names)) yield name.replace(/[._-]+$/, "")
}

const plainText = (value: string): string =>
  value
    .replaceAll("\n", " ")
    .replace(/!?\[\[([^[\]|]+)(?:\|([^[\]|]+))?\]\]/g, (_, page: string, name?: string) => name ?? page)
    .replace(/~~([^~]+)~~/g, "$1")

const cutPosition = (text: string, index: number): number =>
  /[\uD800-\uDBFF]/.test(text.charAt(index - 1)) && index < text.length ? index - 1 : index

const boundary = (text: string, limit: number): number => {
  const half = Math.floor(limit / 2)
  const lastMarkIndex = (mark: string) => text.lastIndexOf(mark, limit - mark.length)
  const ends = ["\n\n", "\n"].map(lastMarkIndex)
  ends.push(
    Math.max(...[". ", "! ", "? ", "。", "！", "？"].map((mark) => lastMarkIndex(mark) + 1)),
    lastMarkIndex(" ")
  )
  return ends.find((end) => end > half) ?? cutPosition(text, limit)
}
