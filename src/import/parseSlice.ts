import { fromMarkdown } from "mdast-util-from-markdown"
import { countMarkupCharacters, markupCharacters } from "./markdown-slices.js"
import { isTableHead } from "./markdown-tables.js"

type Root = ReturnType<typeof fromMarkdown>
export type Node = Root["children"][number]

/**
 * Maximum inline markup characters in one line. The library matches them in quadratic time (10,000 take two seconds),
 * so a line with more is read as plain text.
 */
const maxSigns = 300

/** The blocks of a slice, and the numbers of the lines that were read as plain text, from 1. */
export interface ParsedSlice {
  readonly nodes: ReadonlyArray<Node>
  readonly plainLines: ReadonlyArray<number>
}

/** Parses a slice. In lines with too many inline markup characters, these characters are read as plain text. */
export const parseSlice = (text: string): ParsedSlice => {
  if (text.trim() === "") return { nodes: [], plainLines: [] }
  const lines = text.split("\n")
  if (isTableHead(lines[0]!, lines[1]) && lines.every((line) => line.startsWith("|")))
    return { nodes: [paragraph("|", text.length)], plainLines: [] }
  const plainLines =
    countMarkupCharacters(text) <= maxSigns ? [] : lines.flatMap((line, index) => (isPlain(line) ? [index + 1] : []))
  if (plainLines.length === 0) return { nodes: fromMarkdown(text).children, plainLines }
  if (lines.length === 1 && !beginsBlock.test(text)) return { nodes: [paragraph(text, text.length)], plainLines }
  const masked = lines.map((line) => (isPlain(line) ? mask(line) : line)).join("\n")
  const { children } = fromMarkdown(masked)
  unmask(children)
  return { nodes: children, plainLines }
}

const isPlain = (line: string): boolean => countMarkupCharacters(line) > maxSigns

/** A paragraph of plain text. A table inside a paragraph is read from the paragraph's source. */
const paragraph = (value: string, length: number): Node => ({
  type: "paragraph",
  children: [{ type: "text", value }],
  position: { start: { line: 1, column: 1, offset: 0 }, end: { line: 1, column: 1, offset: length } }
})

/** Matches a line that may begin a block other than a paragraph. */
const beginsBlock = /^(?:[ \t]|[-+>#=~|<]|\*[ \t*]|_[ \t_]|`{3,}[^`]*$|\d+[.)]|\[[^\]]*\]:)/u

/**
 * Replaces inline markup characters with Unicode noncharacters while the library parses. Characters that begin a block
 * stay.
 */
const mask = (line: string): string => {
  const from = /^[ \t]*(?:(?:[*+>-]|\d{1,9}[.)])[ \t]+)*/u.exec(line)![0].length
  return line.slice(0, from) + line.slice(from).replace(sign, (sign) => substitutes[markupCharacters.indexOf(sign)]!)
}
const sign = /[*_[\]`!<&\\]/gu
const substitutes = Array.from(markupCharacters, (_, index) => String.fromCharCode(0xfdd0 + index))
const substituted = new RegExp(`[${substitutes.join("")}]`, "gu")

const unmask = (nodes: ReadonlyArray<Node>): void => {
  for (const node of nodes) {
    if ("children" in node) unmask(node.children)
    else if ("value" in node) {
      node.value = node.value.replace(substituted, (sign) => markupCharacters[substitutes.indexOf(sign)]!)
    }
  }
}
