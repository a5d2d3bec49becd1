import { toString as textOf } from "mdast-util-to-string"
import { limits } from "../model/limits.js"
import { enterHeading, type Heading, personName } from "./markdown-context.js"
import { type Slice, sliceMarkdown } from "./markdown-slices.js"
import {
  findTable,
  hasOnlyImages,
  hasVisibleText,
  htmlText,
  oneLine,
  type Table,
  type VisibleText,
  visibleTextOf,
  visibleTextOfSource
} from "./markdown-text.js"
import { type Node, parseSlice } from "./parseSlice.js"

/** A block: its paragraphs, code and nested bullets, and the headings above it. */
export interface Draft {
  readonly line: number
  readonly path: ReadonlyArray<Heading>
  readonly person: string | undefined
  readonly texts: Array<string>
  readonly prose: Array<string>
  readonly code: Array<string>
  readonly facts: Array<string>
}

/** A part of a file that was left out or read as plain text: its first line, and the reason. */
export interface CutPart {
  readonly line: number
  readonly problem: string
}

/** The blocks of a file, and the parts that were cut. */
export interface DraftsAndCuts {
  readonly drafts: ReadonlyArray<Draft>
  readonly cuts: ReadonlyArray<CutPart>
}

/**
 * Reads the body of a file block by block, and yields regularly so that the event loop can run. Slices that the
 * markdown library cannot parse are read as plain paragraphs. Blocks after the first `limits.importBlocks` are left
 * out.
 */
export function* readDrafts(body: string, inPeople: boolean): Generator<void, DraftsAndCuts> {
  const cuts: Array<CutPart> = []
  const slices: Array<ReadSlice> = []
  let blocks = 0
  for (const slice of sliceMarkdown(body)) {
    if (blocks >= limits.importBlocks) {
      const problem = `the file has more than ${limits.importBlocks} blocks: everything from this line on was skipped`
      cuts.push({ line: slice.line, problem })
      break
    }
    const { nodes, ...read } = readSlice(slice, cuts)
    slices.push({ ...slice, ...read, nodes })
    blocks += countBlocks(nodes, slice.text)
    yield
  }
  const titles = slices.flatMap(({ nodes }) => nodes.filter((node) => node.type === "heading" && node.depth === 1))
  const person = inPeople ? titles.map((title) => personName(oneLine(textOf(title)))).find(hasVisibleText) : undefined
  const reading: ReadingState = {
    body,
    lineOffset: 0,
    definitions: new Map(),
    onlyH1: titles.length === 1,
    person,
    drafts: [],
    path: []
  }
  for (const { nodes } of slices) collectDefinitions(nodes, reading.definitions)
  for (const { isPlain, lineOffset, nodes, text } of slices) {
    Object.assign(reading, { body: text, lineOffset })
    if (isPlain) readPlain(reading)
    else readBlocks(nodes, reading, false)
    yield
  }
  return { drafts: reading.drafts, cuts }
}

interface ReadSlice extends Slice {
  readonly nodes: ReadonlyArray<Node>
  readonly isPlain: boolean
}

const readSlice = ({ isDeep, lineOffset, text }: Slice, cuts: Array<CutPart>): Pick<ReadSlice, "nodes" | "isPlain"> => {
  const readAsPlain = (line: number, reason: string) =>
    void cuts.push({ line: lineOffset + line, problem: `${reason} and was read as plain text` })
  if (!isDeep) {
    try {
      const { nodes, plainLines } = parseSlice(text)
      for (const line of plainLines) readAsPlain(line, "has too many markup characters in one line")
      return { nodes, isPlain: false }
    } catch {
      // Too deeply nested for the library's stack.
    }
  }
  readAsPlain(1, "is nested too deeply")
  return { nodes: [], isPlain: true }
}

/** The number of blocks, including table rows and bullets. */
const countBlocks = (nodes: ReadonlyArray<Node>, text: string): number =>
  text.startsWith("|")
    ? text.split("\n").length
    : nodes.reduce((sum, node) => sum + (node.type === "list" ? node.children.length : 1), 0)

interface ReadingState {
  /** The slice of the file to read, and the number of lines before it. */
  body: string
  lineOffset: number
  readonly definitions: Map<string, string>
  readonly onlyH1: boolean
  /** The first H1 of a file in people/. */
  readonly person: string | undefined
  readonly drafts: Array<Draft>
  path: ReadonlyArray<Heading>
}

type TextNode = Extract<Node, { type: "paragraph" | "heading" }>

/** Reads a slice as plain paragraphs. */
const readPlain = (reading: ReadingState): void => {
  let draft: Draft | undefined
  for (const [index, line] of reading.body.split("\n").entries()) {
    if (!hasVisibleText(line)) {
      if (line.trim() === "") draft = undefined
      continue
    }
    if (draft === undefined) {
      draft = startDraft(index + 1, reading)
      reading.drafts.push(draft)
    }
    draft.texts[0] = draft.texts.length === 0 ? line.trim() : `${draft.texts[0]}\n${line.trim()}`
    draft.prose[0] = draft.texts[0]
  }
}

const collectDefinitions = (nodes: ReadonlyArray<Node>, definitions: Map<string, string>): void => {
  for (const node of nodes) {
    if (node.type === "definition" && !definitions.has(node.identifier)) definitions.set(node.identifier, node.url)
    else if (node.type === "blockquote" || node.type === "list" || node.type === "listItem")
      collectDefinitions(node.children, definitions)
  }
}

const startDraft = (line: number | undefined, { lineOffset, path, person }: ReadingState): Draft => {
  const named = [...path].reverse().find((heading) => heading.person !== undefined)?.person
  const h1 = path.find((heading) => heading.depth === 1)?.text
  const top = person === undefined || h1 === undefined ? person : personName(h1)
  return { line: (line ?? 1) + lineOffset, path, person: named ?? top, texts: [], prose: [], code: [], facts: [] }
}

const readBlocks = (nodes: ReadonlyArray<Node>, reading: ReadingState, nested: boolean): void => {
  // The paragraph just above the node. Code or a list that follows a paragraph becomes part of it.
  let last: Draft | undefined
  for (const node of nodes) {
    const previousHeading = last
    last = undefined
    const draft = startDraft(node.position?.start.line, reading)
    if (node.type === "heading" && !nested && !underlinedSentence(node, reading)) {
      const text = oneLine(textOf(node))
      reading.path = enterHeading(reading.path, node.depth, text, node.depth === 1 && reading.onlyH1)
    } else if (node.type === "paragraph" || node.type === "heading") last = readParagraph(node, draft, reading)
    else if (node.type === "list" && previousHeading?.texts[0]?.endsWith(":") && previousHeading.code.length === 0) {
      gather([node], previousHeading, reading)
    } else if (node.type === "list") {
      for (const item of node.children) readItem(item, reading)
    } else if (node.type === "blockquote") readBlocks(node.children, reading, true)
    else if (node.type === "code" && hasVisibleText(node.value)) {
      last = previousHeading
      if (previousHeading === undefined) reading.drafts.push(draft)
      ;(previousHeading ?? draft).code.push(node.value)
    } else if (node.type === "html") {
      gather([node], draft, reading)
      if (draft.texts.length > 0) reading.drafts.push(draft)
      else last = previousHeading
    }
  }
}

/** Reads a paragraph that may contain a table: one draft for its text, if it has any, and one for each row. */
const readParagraph = (node: TextNode, draft: Draft, reading: ReadingState): Draft | undefined => {
  const { table, words } = readWords(node, reading)
  draft.texts.push(words.text)
  draft.prose.push(words.prose)
  if (hasVisibleText(words.text)) reading.drafts.push(draft)
  if (table === undefined) return hasVisibleText(words.text) ? draft : undefined
  table.rows.forEach((cells, i) => {
    const first = cells.findIndex((cell) => hasVisibleText(cell.text))
    const row = startDraft(draft.line - reading.lineOffset + table.start + 2 + i, reading)
    row.texts.push(cells[first]?.text ?? "")
    row.prose.push(...cells.map((cell) => cell.prose))
    row.facts.push(...cellFacts(table, cells, first + 1))
    if (first >= 0) reading.drafts.push(row)
  })
  return undefined
}

const readItem = (item: Extract<Node, { type: "listItem" }>, reading: ReadingState): void => {
  const draft = startDraft(item.position?.start.line, reading)
  gather(item.children, draft, reading)
  if (draft.texts.length + draft.code.length > 0) reading.drafts.push(draft)
  else readBlocks(item.children, reading, true)
}

/** Adds the blocks inside a bullet to its draft: paragraphs and code as text, bullets and table rows as facts. */
const gather = (nodes: ReadonlyArray<Node>, into: Draft, reading: ReadingState): void => {
  const add = (text: string, prose: string) => {
    if (!hasVisibleText(text)) return
    into.texts.push(text)
    into.prose.push(prose)
  }
  const addFact = (fact: string) => {
    if (hasVisibleText(fact)) into.facts.push(fact)
  }
  for (const node of nodes) {
    if (node.type === "paragraph" || node.type === "heading") {
      const { table, words } = readWords(node, reading)
      add(words.text, words.prose)
      for (const cells of table?.rows ?? []) addFact(cellFacts(table, cells, 0).join(", "))
    } else if (node.type === "html") add(htmlText(node.value), htmlText(node.value))
    else if (node.type === "code" && hasVisibleText(node.value)) into.code.push(node.value)
    else if (node.type === "blockquote") gather(node.children, into, reading)
    else if (node.type === "list") {
      for (const item of node.children) {
        const bullet: Draft = { ...into, texts: [], code: [], facts: [] }
        gather(item.children, bullet, reading)
        addFact(oneLine([...bullet.texts, ...bullet.code].join(" ")))
        bullet.facts.forEach(addFact)
      }
    }
  }
}

/** The words of a paragraph. If it contains a table: the words above the table, and the table. */
const readWords = (node: TextNode, { body, definitions }: ReadingState): { table?: Table; words: VisibleText } => {
  if (hasOnlyImages(node.children)) return { words: { text: "", prose: "" } }
  const source = body.slice(node.position?.start.offset, node.position?.end.offset)
  const lines = source.split("\n").map((line) => line.replace(/^[\s>]+/, ""))
  const table = findTable(lines)
  if (table === undefined) return { words: visibleTextOf(node.children, definitions) }
  return { table, words: visibleTextOfSource(lines.slice(0, table.start).join("\n")) }
}

const cellFacts = (table: Table | undefined, cells: ReadonlyArray<VisibleText>, from: number): ReadonlyArray<string> =>
  cells.flatMap(({ text }, i) => {
    if (i < from || !hasVisibleText(text)) return []
    const name = table?.header[i]?.text
    return [name ? `${name}: ${text}` : text]
  })

/**
 * Returns true if a heading is a sentence above a line of "---". CommonMark treats such a sentence as a heading, but
 * few authors intend one.
 */
const underlinedSentence = (node: TextNode, { body }: ReadingState): boolean => {
  const text = textOf(node)
  const underlined = node.type === "heading" && node.depth === 2 && body[node.position?.start.offset ?? 0] !== "#"
  return underlined && (text.length > 120 || /[.!?]$/.test(text))
}
