import { oneLine, slug } from "./markdown-text.js"

export type Store = "private" | "shared" | "social"

/** The front matter that the import uses, and the text with the front matter's lines made blank. */
export interface FrontMatter {
  readonly tags: ReadonlyArray<string>
  readonly people: ReadonlyArray<string>
  readonly store: Store | undefined
  readonly body: string
}

/** A heading above a block, and the type, date, tag and person that the heading gives to the block. */
export interface Heading {
  readonly depth: number
  readonly text: string
  readonly type: string | undefined
  readonly date: number | undefined
  readonly tag: string | undefined
  readonly person: string | undefined
}

/**
 * Reads the front matter: the lines between two lines of "---" at the top of a file; blank lines may precede them. The
 * first line of the front matter must be a `key: value`; the others may also be `- item`, indented, comments or blank.
 * Only `tags`, `people` and `store` are read: one value, several values separated by commas, `[a, b]`, or `- item`
 * lines. Front matter is searched only in the first 16,384 characters. Without front matter, all text is body.
 */
export const frontMatter = (text: string): FrontMatter => {
  const lines = text.slice(0, maxFrontMatter).split("\n")
  const open = lines.findIndex((line) => line.trim() !== "")
  const closingLine = lines.findIndex((line, i) => i > open && /^(?:---|\.\.\.)\s*$/.test(line))
  const inner = lines.slice(open + 1, Math.max(closingLine, 0))
  const hasFrontMatter =
    open >= 0 &&
    closingLine > 0 &&
    /^---\s*$/.test(lines[open] ?? "") &&
    KEY.test(inner[0] ?? "") &&
    inner.every((line) => KEY.test(line) || /^(?:\s|#|- |-?$)/.test(line))
  if (!hasFrontMatter) return { tags: [], people: [], store: undefined, body: text }
  const values = new Map<string, Array<string>>()
  let current: Array<string> = []
  for (const line of inner) {
    const [, key, value] = KEY.exec(line) ?? []
    if (key !== undefined) {
      current = scalars(value ?? "")
      values.set(key.toLowerCase(), current)
    } else if (/^\s*- /.test(line)) current.push(unquote(line.trim().slice(2)))
  }
  const list = (key: string) => (values.get(key) ?? []).map(oneLine).filter(Boolean)
  return {
    tags: list("tags").map(slug).filter(Boolean),
    people: list("people")
      .map((name) => name.replace(/^[@[]+|\]+$/g, "").trim())
      .filter(Boolean),
    store: STORES.find((store) => store === list("store")[0]),
    body: "\n".repeat(closingLine) + text.slice(lines.slice(0, closingLine + 1).join("\n").length)
  }
}

/** Maximum characters at the start of a file that are searched for front matter. */
const maxFrontMatter = 16_384

/** The type that a heading names: the first type in `TYPES` with one of the heading's words. */
export const headingType = (text: string): string | undefined => {
  const words = text
    .toLowerCase()
    .replace(/\bto-do\b/g, "todo")
    .split(/[^\p{L}\p{N}.]+/u)
    .map((word) => word.replace(/\.+$/, ""))
  if (` ${words.join(" ")} `.includes(" about me ")) return "identity"
  return TYPES.find(([, typeWords]) => words.some((word) => typeWords.has(word)))?.[0]
}

/** The type named by the first word of a text, before a colon ("Decision: …"); a date may precede the word. */
export const labelType = (text: string): string | undefined => {
  const label = /^([\p{L}-]+|about me)\s?:(?=\s|$)/iu.exec(text.replace(LEADING_DATE, "").trimStart())?.[1]
  return label === undefined ? undefined : headingType(label)
}

/**
 * Returns the path of headings for the blocks below a heading: its higher headings, then the heading itself. A heading
 * directly below "People" or "Contacts" is a person, unless it is a date or a generic word, or has its own type.
 * `title` is true for the only H1 of a file. Such a heading gives no tag; neither do dates, times of day and generic
 * words.
 */
export const enterHeading = (
  path: ReadonlyArray<Heading>,
  depth: number,
  text: string,
  title: boolean
): ReadonlyArray<Heading> => {
  const ancestors = path.filter((heading) => heading.depth < depth)
  const type = headingType(text)
  const words = slug(text.replace(ANY_DATE, " ").replace(/\b\d{1,2}:\d{2}(?::\d{2})?\b/g, " "))
  const tag = words === "" || words.split("-").every((word) => GENERIC.has(word)) ? undefined : words
  const listed = /\b(?:people|persons?|contacts)\b/i.test(ancestors.at(-1)?.text ?? "")
  const person = listed && type === undefined && tag !== undefined ? personName(text) : undefined
  const date = headingDate(text)
  return [...ancestors, { depth, text, type, date, tag: title ? undefined : tag, person }]
}

/** The name in a heading such as "Ada Lovelace (CTO)", "Ada Lovelace - CTO" or "@ada". */
export const personName = (text: string): string =>
  text
    .replace(/(?:\s[-–—|]\s|\s?[(,:]).*$/, "")
    .replace(/^@/, "")
    .trim() || text

/** UTC midnight of the date in a file name: 2026-03-14.md, 2026_03_14.md, 20260314.md, journal-2026-03-14.md. */
export const fileDate = (file: string): number | undefined => {
  const name = file.slice(file.lastIndexOf("/") + 1)
  const dates = Array.from(name.matchAll(/(?<!\d)((?:19|20|21)\d\d)([-_.]?)(\d\d)\2(\d\d)(?!\d)/g), midnight)
  return dates.find((date) => date !== undefined)
}

/**
 * The tier of the items of a file: `core` for MEMORY.md, which is written for the prompt, and `daily` for a file with a
 * date in its name.
 */
export const fileTier = (file: string): "core" | "daily" | undefined => {
  if (/(?:^|\/)MEMORY\.(?:md|markdown)$/i.test(file)) return "core"
  return fileDate(file) === undefined ? undefined : "daily"
}

/** UTC midnight of the date at the start of a text: "2026-03-14 …", "2026-03-14: …", "2026/03/14 - …", "(2026-03-14) …". */
export const leadingDate = (text: string): number | undefined => {
  const leadingText = LEADING_DATE.exec(text)?.[0]
  return leadingText === undefined ? undefined : midnight(ANY_DATE_ONCE.exec(leadingText))
}

/** Returns true if a file is in a folder called people, at any depth. */
export const isInPeopleFolder = (file: string): boolean =>
  file
    .split("/")
    .slice(0, -1)
    .some((folder) => folder.toLowerCase() === "people")

const STORES: ReadonlyArray<Store> = ["private", "shared", "social"]
const KEY = /^([A-Za-z][\w-]*)\s*:(?:\s(.*))?$/
const ANY_DATE_ONCE = /(?<!\d)(\d{4})([-/._])(\d\d)\2(\d\d)(?!\d)/
const ANY_DATE = new RegExp(ANY_DATE_ONCE, "g")
const LEADING_DATE =
  /^(?:\d{4}([-/._])\d\d\1\d\d\s?(?:[:–—]|-(?=\s))|\d{4}-\d\d-\d\d(?=\s|$)|[([]\d{4}([-/._])\d\d\2\d\d[)\]]:?)/

const TYPES: ReadonlyArray<readonly [string, ReadonlySet<string>]> = (
  [
    ["decision", "decision decisions"],
    ["preference", "preference preferences likes dislikes"],
    ["person", "people person persons contacts team"],
    ["task", "task tasks todo todos next tomorrow"],
    ["identity", "identity who"],
    ["config", "config configuration settings setup"],
    ["solution", "solution solutions fix fixes"],
    ["technical", "technical architecture infrastructure stack"],
    ["event", "event events meeting meetings incident incidents"],
    ["discovery", "discovery discoveries learned findings finding"],
    ["conversation", "conversation conversations"]
  ] as const
).map(([type, words]) => [type, new Set(words.split(" "))])

const GENERIC: ReadonlySet<string> = new Set(
  (
    "a and for of on the this notes note log logs journal diary daily day entry entries misc miscellaneous other " +
    "general overview summary introduction intro contents toc today yesterday tomorrow morning noon afternoon " +
    "evening night monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun"
  ).split(" ")
)

const headingDate = (text: string): number | undefined => {
  const match = ANY_DATE_ONCE.exec(text)
  if (match === null) return undefined
  const before = slug(text.slice(0, match.index))
  const after = text.slice(match.index + match[0].length)
  const isLeading = before === "" || before.split("-").every((word) => GENERIC.has(word))
  return isLeading || !/[\p{L}\p{N}]/u.test(after) ? midnight(match) : undefined
}

const midnight = (match: RegExpExecArray | RegExpMatchArray | null): number | undefined => {
  const [year, month, day] = [match?.[1], match?.[3], match?.[4]].map(Number)
  const date = new Date(Date.UTC(year ?? NaN, (month ?? NaN) - 1, day))
  const same = date.getUTCFullYear() === year && date.getUTCMonth() + 1 === month && date.getUTCDate() === day
  return same ? date.getTime() : undefined
}

const scalars = (value: string): Array<string> => {
  const withoutComment = value.replace(/(?:^|\s)#\s.*$/, "").trim()
  const flowList = /^\[(.*)\]$/.exec(withoutComment)?.[1]
  if (flowList === undefined && /^["']/.test(withoutComment)) return [unquote(withoutComment)]
  return (flowList ?? withoutComment).split(",").map(unquote).filter(Boolean)
}

const unquote = (value: string): string => {
  const trimmed = value.trim()
  return /^(["']).*\1$/.test(trimmed) && trimmed.length > 1 ? trimmed.slice(1, -1) : trimmed
}
