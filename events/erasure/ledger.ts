import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, renameSync } from "node:fs"
import { dirname } from "node:path"
import { noHash } from "../anchorLines.js"
import { syncFolder, writeAll } from "../durable.js"
import { StorageError, storageError, withStorageErrors } from "../errors.js"
import { statIfExists } from "../folder.js"
import type { NameColumn } from "../names.js"
import { sha256Hex } from "../sha256.js"
import type { DeletedStream, EraseReason, EraseSelector, LedgerRecord } from "./EraseRequest.js"
import type { KeptParts } from "./keptParts.js"

/** One erasure. It identifies events by number and hash, and contains no text and no names. */
export interface LedgerEntry {
  /** The id of the installation. */
  readonly log: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Reason and selector are absent in an entry that records an accepted loss of the ledger. */
  readonly reason?: EraseReason
  readonly selector?: EraseSelector
  /** The erased events: sequence and hash. */
  readonly events: ReadonlyArray<EventKey>
  /** The remains of events. Each entry has the event, the type and schema of its remains, and their parts. */
  readonly kept: ReadonlyArray<readonly [...EventKey, type: string, schema: number, parts: KeptParts]>
  /**
   * Events that lost names but may keep content, with the columns of the lost names. Absent in lines of earlier
   * releases.
   */
  readonly names?: ReadonlyArray<readonly [...EventKey, columns: ReadonlyArray<NameColumn>]>
  /** Streams that were deleted. */
  readonly streams: ReadonlyArray<DeletedStream>
}

export type EventKey = readonly [sequence: number, hash: string]

/** A line of the ledger. Each hash covers the hash of the line before. */
export interface LedgerLine extends LedgerEntry {
  readonly line: number
  /** Only in the first line of a file that replaces a lost ledger: the hash of that ledger's last line. */
  readonly after?: string
  readonly hash: string
}

/** The erasures that lines record. A line without a reason records the loss of an earlier ledger, so it is left out. */
export const recordsOf = (lines: ReadonlyArray<LedgerLine>): ReadonlyArray<LedgerRecord> =>
  lines.flatMap(({ at, events, hash, names = [], reason, selector, streams }) => {
    if (reason === undefined) return []
    const changed = new Set([...events, ...names].map(([sequence]) => sequence)).size
    return [{ hash, at, reason, ...(selector === undefined ? {} : { selector }), events: changed, streams }]
  })

/** The name of the ledger's file in the data folder. */
export const ledgerName = "erasures.log"

export interface LedgerHead {
  readonly line: number
  readonly hash: string
}

export const emptyLedger: LedgerHead = { line: 0, hash: noHash }

/**
 * The ledger of erasures, `erasures.log` next to `log.db`. A line is on disk before its events are erased. Each process
 * that opens the log erases the events that the ledger names. So neither a crash nor a restored copy brings erased text
 * back. Callers of `append` hold the write lock of the log.
 */
export interface Ledger {
  /** All lines. `problem` says why they cannot be trusted; null if they can. A missing ledger has no lines. */
  readonly read: () => { readonly lines: ReadonlyArray<LedgerLine>; readonly problem: string | null }
  /** Appends a line after `head` to the ledger and its copy. The line is on disk when this returns. */
  readonly append: (head: LedgerHead, entry: LedgerEntry) => LedgerHead
  /** Renames the old files, and starts a new ledger that continues after a lost line. */
  readonly restart: (head: LedgerHead, entry: LedgerEntry) => LedgerHead
  /** True if the ledger and its copy have the same number of lines. */
  readonly isComplete: () => boolean
  /** Adds missing lines to the ledger from its copy, and to the copy from the ledger. */
  readonly complete: () => void
}

/** `copy` is a second place for the ledger, for example on another disk. Reads use the longer of the two files. */
export const make = (file: string, copy?: string): Ledger => {
  const files = copy === undefined || copy === file ? [file] : [file, copy]
  let cached: { readonly key: string; readonly state: ReturnType<Ledger["read"]> } | undefined
  const read = () => {
    const key = files.map(keyOf).join()
    if (cached?.key !== key) cached = { key, state: readAll() }
    return cached.state
  }
  const readAll = () => {
    const all = files.map((path) => parseLedger(textOf(path)))
    const longest = all.reduce((a, b) => (b.lines.length > a.lines.length ? b : a))
    const sound = all.every(({ lines }) => lines.every(({ hash }, index) => hash === longest.lines[index]!.hash))
    return sound ? longest : { ...longest, problem: "the ledger of erasures and its copy differ" }
  }
  const write = (lines: ReadonlyArray<LedgerLine>, added: LedgerLine): LedgerHead => {
    appendDurably(files, lines.map(formatLine).join(""), formatLine(added))
    cached = undefined
    return { line: added.line, hash: added.hash }
  }
  return guarded({
    read,
    append: (head, entry) => {
      const { lines } = read()
      return write(lines, lineAfter(head, entry, lines.length === 0 && head.line > 0))
    },
    restart: (head, entry) => {
      for (const path of files) if (existsSync(path)) renameSync(path, `${path}.before-line-${head.line + 1}`)
      cached = undefined
      return write([], lineAfter(head, entry, true))
    },
    isComplete: () => isComplete(files, read().lines.length),
    complete: () => {
      const { lines, problem } = read()
      if (problem !== null || isComplete(files, lines.length)) return
      appendDurably(files, lines.map(formatLine).join(""), "")
      cached = undefined
    }
  })
}

/** A cache key. It changes with each append, and if another file replaces the ledger. */
const keyOf = (file: string): string => {
  const { ctimeMs, ino, size } = statIfExists(file) ?? { ino: 0, size: 0, ctimeMs: 0 }
  return `${ino} ${size} ${ctimeMs}`
}

const lineAfter = ({ hash, line }: LedgerHead, entry: LedgerEntry, isFirst: boolean): LedgerLine => {
  const content = { line: line + 1, ...(isFirst ? { after: hash } : {}), ...entry }
  return { ...content, hash: sha256Hex(hash + JSON.stringify(content)) }
}

const formatLine = ({ hash, ...content }: LedgerLine): string => `${hash} ${JSON.stringify(content)}\n`

/** The complete lines of a ledger. A crash may leave an unfinished last line, whose events were not erased. */
export const parseLedger = (text: string): ReturnType<Ledger["read"]> => {
  const lines: Array<LedgerLine> = []
  for (const line of text.split("\n").slice(0, -1)) {
    const json = line.slice(65)
    const content = parse(json)
    const last = lines.at(-1)
    const before = last?.hash ?? content?.after ?? noHash
    const hash = line.slice(0, 64)
    const isNext = content !== undefined && (last === undefined || content.line === last.line + 1)
    if (!isNext || sha256Hex(before + json) !== hash)
      return { lines, problem: `the ledger of erasures was changed at line ${(last?.line ?? 0) + 1}` }
    lines.push({ ...content, hash })
  }
  return { lines, problem: null }
}

const parse = (json: string): Omit<LedgerLine, "hash"> | undefined => {
  try {
    const content = JSON.parse(json)
    const isLine =
      Number.isInteger(content.line) && [content.events, content.kept, content.streams].every(Array.isArray)
    return isLine ? content : undefined
  } catch {
    return undefined
  }
}

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "")

const isComplete = (files: ReadonlyArray<string>, lines: number): boolean =>
  files.length === 1 || files.every((path) => parseLedger(textOf(path)).lines.length === lines)

/** A file of the ledger that is open for writing. */
interface OpenFile {
  readonly path: string
  readonly isNew: boolean
  readonly descriptor: number
}

/**
 * Appends to each file first the part of `before` that is missing from the file, then `added`. All files are opened
 * before the first file is changed. So if a disk is missing, all files stay unchanged.
 */
const appendDurably = (files: ReadonlyArray<string>, before: string, added: string): void => {
  const opened: Array<OpenFile> = []
  try {
    for (const path of files) opened.push(openFile(path))
    for (const file of opened) appendTo(file, before, added)
  } finally {
    for (const { descriptor } of opened) closeSync(descriptor)
  }
}

const openFile = (path: string): OpenFile => {
  const isNew = !existsSync(path)
  try {
    return { path, isNew, descriptor: openSync(path, isNew ? "w" : "r+", 0o600) }
  } catch (cause) {
    throw cannotWrite(path, cause)
  }
}

/** Appends to one file. First cuts off an unfinished last line. */
const appendTo = ({ descriptor, isNew, path }: OpenFile, before: string, added: string): void => {
  try {
    const text = textOf(path)
    const complete = text.slice(0, text.lastIndexOf("\n") + 1)
    const end = Buffer.byteLength(complete)
    ftruncateSync(descriptor, end)
    const bytes = Buffer.from(before.slice(complete.length) + added)
    writeAll(descriptor, bytes, end, ledgerName)
    fsyncSync(descriptor)
    if (isNew) syncFolder(dirname(path))
  } catch (cause) {
    throw cannotWrite(path, cause)
  }
}

/** The error names the file, because the ledger can have two files. */
const cannotWrite = (path: string, cause: unknown): StorageError => {
  const { code, kind } = storageError(ledgerName)(cause)
  const detail = `${path}: the ledger of erasures cannot be written here; nothing was erased`
  return new StorageError({ kind, where: ledgerName, code, detail })
}

/**
 * The ledger is too short, was changed, or belongs to another log. No stream can be written, because erased text could
 * come back.
 */
export const ledgerDamagedError = (problem: string): StorageError =>
  new StorageError({
    kind: "damaged",
    where: "erasures.log",
    code: "LEDGER_DAMAGED",
    detail: `erasures.log: ${problem}; nothing was written. Put the ledger file of this folder back. To apply the ledger of another copy, run 'daybook erase --ledger FILE'. To continue without the ledger, run 'daybook verify --without-ledger'`
  })

const guarded = (ledger: Ledger): Ledger => {
  const guard = withStorageErrors(ledgerName)
  return {
    read: guard(ledger.read),
    append: guard(ledger.append),
    restart: guard(ledger.restart),
    isComplete: guard(ledger.isComplete),
    complete: guard(ledger.complete)
  }
}
