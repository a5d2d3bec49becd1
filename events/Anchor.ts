import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeSync
} from "node:fs"
import { dirname } from "node:path"
import {
  type AnchorState,
  advance,
  applyLine,
  type FirstLine,
  formatLine,
  isFirstFormat,
  type LineContent
} from "./anchorLines.js"
import { StorageError, storageError } from "./errors.js"
import { statIfAny } from "./folder.js"

/**
 * The file beside the log that names the head of each stream, one line after each commit. A log whose tail was cut still
 * chains, but no longer reaches its anchor; the log names a line of the anchor in turn, so a cut anchor is found too.
 * A process holds the write lock of the log while it appends or replaces; otherwise two processes would fork the chain.
 */
export interface Anchor {
  /** The state with all lines that other processes appended since. With `repair` an unfinished last line is cut off. */
  readonly read: (options: { readonly repair: boolean }) => AnchorRead
  readonly append: (content: Omit<LineContent, "line">) => AnchorState
  /** Puts a new file in the place of the old one, on disk before it returns. */
  readonly replace: (content: FirstLine) => AnchorState
  /** Whether the file has grown so large that it should be replaced by one that says the same. */
  readonly isLarge: () => boolean
  /** Brings every line so far to disk. */
  readonly sync: () => void
  readonly syncInBackground: (done: (error: Error | null) => void) => void
  readonly close: () => void
}

export type AnchorRead =
  | { readonly kind: "missing" }
  | { readonly kind: "firstFormat"; readonly text: string }
  | { readonly kind: "broken"; readonly problem: string; readonly isEmpty: boolean }
  | {
      readonly kind: "state"
      readonly state: AnchorState
      /** The hash of a line by its number; undefined where it is not in this file, nor the last of the file before. */
      readonly hashAt: (line: number) => string | undefined
      /** All of these hashes. The same array as long as the file is the same. */
      readonly hashes: ReadonlyArray<string>
      /** Bytes of an unfinished last line; 0 where there is none, or it was cut off. */
      readonly unfinished: number
    }

/** An anchor is replaced by a shorter one once it has so many bytes more than its first line. */
export const maxAnchorBytes = 1 << 20

interface Opened {
  readonly descriptor: number
  readonly inode: number
  readonly firstBytes: number
  readonly firstLine: number
  /** Hash of the last line of the file before, then of each line. */
  readonly hashes: Array<string>
  /** Bytes of complete lines. */
  size: number
  state: AnchorState
}

export const make = (file: string): Anchor => {
  let opened: Opened | undefined
  const close = () => {
    if (opened !== undefined) closeSync(opened.descriptor)
    opened = undefined
  }

  /** Adds complete lines of the text. Returns a problem, or null. */
  const addLines = (target: Opened, bytes: Buffer): string | null => {
    const complete = bytes.lastIndexOf(10) + 1
    for (const line of linesOf(bytes.subarray(0, complete))) {
      const state = applyLine(target.state, line)
      if (state === null) return `line ${target.state.line + 1} does not follow from the line before`
      target.state = state
      target.hashes.push(state.hash)
    }
    target.size += complete
    return null
  }

  const openWhole = (): AnchorRead | Opened => {
    close()
    if (statIfAny(file) === undefined) return { kind: "missing" }
    const descriptor = openSync(file, "r+")
    try {
      const bytes = readFileSync(descriptor)
      const text = bytes.subarray(0, 32).toString("latin1")
      if (isFirstFormat(text)) return { kind: "firstFormat", text: bytes.toString("utf8") }
      const end = bytes.indexOf(10)
      const first = bytes.subarray(0, Math.max(end, 0)).toString("utf8")
      const state = applyLine(undefined, first)
      if (state === null) return broken("its first line is not sound", bytes.length === 0)
      const { after } = JSON.parse(first.slice(65)) as FirstLine
      const size = end + 1
      const { ino: inode } = statSync(file)
      const target: Opened = {
        ...{ descriptor, inode, size, state, firstBytes: size, firstLine: state.line },
        hashes: [after, state.hash]
      }
      const problem = addLines(target, bytes.subarray(size))
      if (problem !== null) return broken(problem)
      opened = target
      return target
    } finally {
      if (opened === undefined) closeSync(descriptor)
    }
  }

  const read: Anchor["read"] = ({ repair }) => {
    const stats = statIfAny(file)
    let bytes = stats?.size ?? 0
    if (stats === undefined || opened === undefined || stats.ino !== opened.inode || bytes < opened.size) {
      const whole = openWhole()
      if ("kind" in whole) return whole
      bytes = statSync(file).size
    }
    const target = opened!
    if (bytes > target.size) {
      const added = Buffer.alloc(bytes - target.size)
      readSync(target.descriptor, added, 0, added.length, target.size)
      const problem = addLines(target, added)
      if (problem !== null) {
        close()
        return broken(problem)
      }
    }
    const unfinished = bytes - target.size
    if (unfinished > 0 && repair) ftruncateSync(target.descriptor, target.size)
    return {
      kind: "state",
      state: target.state,
      hashAt: (line) => target.hashes[line - target.firstLine + 1],
      hashes: target.hashes,
      unfinished
    }
  }

  const usable = (): Opened => {
    if (opened === undefined) throw new StorageError({ kind: "failed", where: "anchor.log", code: "NOT_OPEN" })
    return opened
  }

  return guarded({
    read,
    append: (content) => {
      const target = usable()
      const line = { line: target.state.line + 1, ...content }
      const { hash, text } = formatLine(target.state.hash, line)
      const bytes = Buffer.from(text)
      writeAll(target.descriptor, bytes, target.size)
      target.state = advance(target.state, line, hash)
      target.hashes.push(hash)
      target.size += bytes.length
      return target.state
    },
    replace: (content) => {
      close()
      replaceFile(file, formatLine(content.after, content).text)
      const whole = read({ repair: false })
      if (whole.kind !== "state") throw new StorageError({ kind: "failed", where: "anchor.log", code: "NOT_WRITTEN" })
      return whole.state
    },
    isLarge: () => opened !== undefined && opened.size - opened.firstBytes > maxAnchorBytes,
    sync: () => fdatasyncSync(usable().descriptor),
    syncInBackground: (done) => fdatasync(usable().descriptor, done),
    close
  })
}

/** Keeps a copy of a damaged or superseded anchor as `<file>.<name>`. */
export const keep = (file: string, name: string): void => {
  if (existsSync(file)) replaceFile(`${file}.${name}`, readFileSync(file))
}

/** A reader sees either the old file or the new one, a power cut leaves either of them. */
const replaceFile = (file: string, content: string | Uint8Array): void => {
  const descriptor = openSync(`${file}.new`, "w", 0o600)
  try {
    writeAll(descriptor, Buffer.from(content), 0)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(`${file}.new`, file)
  const folder = openSync(dirname(file), "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

const writeAll = (descriptor: number, bytes: Uint8Array, position: number): void => {
  for (let written = 0; written < bytes.length; ) {
    const count = writeSync(descriptor, bytes, written, bytes.length - written, position + written)
    if (count === 0) throw new StorageError({ kind: "full", where: "anchor.log", code: "SHORT_WRITE" })
    written += count
  }
}

/** Failures of the file system name the anchor. */
const guarded = (anchor: Anchor): Anchor => {
  const guard =
    <Args extends ReadonlyArray<unknown>, A>(work: (...args: Args) => A) =>
    (...args: Args): A => {
      try {
        return work(...args)
      } catch (cause) {
        throw storageError("anchor.log")(cause)
      }
    }
  return {
    ...anchor,
    read: guard(anchor.read),
    append: guard(anchor.append),
    replace: guard(anchor.replace),
    sync: guard(anchor.sync)
  }
}

const broken = (problem: string, isEmpty = false): AnchorRead => ({ kind: "broken", problem, isEmpty })

const linesOf = (bytes: Buffer): ReadonlyArray<string> => {
  const text = bytes.toString("utf8")
  return text === "" ? [] : text.slice(0, -1).split("\n")
}
