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
  statSync
} from "node:fs"
import { dirname } from "node:path"
import {
  type AnchorState,
  advanceAnchorState,
  applyLine,
  type FirstLine,
  formatLine,
  isFirstFormat,
  type LineContent
} from "./anchorLines.js"
import { syncFolder, writeAll } from "./durable.js"
import { StorageError, withStorageErrors } from "./errors.js"
import { statIfExists } from "./folder.js"

/**
 * The anchor file `anchor.log`, next to `log.db`. After each commit, Daybook appends one line with the new stream
 * heads. If somebody cuts events off the end of the log, the log no longer reaches the heads in the anchor. The log
 * stores the number and hash of an anchor line, so a cut anchor is detected too.
 *
 * Callers of `append` and `replace` hold the write lock of the log. Otherwise two processes could fork the chain of
 * lines.
 */
export interface Anchor {
  /** Reads the state, including the lines that other processes appended. `repair` cuts off an unfinished last line. */
  readonly read: (options: { readonly repair: boolean }) => AnchorRead
  readonly append: (content: Omit<LineContent, "line">) => AnchorState
  /** Replaces the file. The new file is on disk before this returns. */
  readonly replace: (content: FirstLine) => AnchorState
  /** True if the file should be replaced by a shorter file with the same state. */
  readonly isLarge: () => boolean
  /** Flushes all lines to disk. */
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
      /**
       * The hash of the line with this number. For lines of earlier files, only the hash of the previous file's last
       * line is known.
       */
      readonly hashAt: (line: number) => string | undefined
      /** All hashes that `hashAt` returns. After a replacement of the file, the array is a new one. */
      readonly hashes: ReadonlyArray<string>
      /** Bytes of an unfinished last line; 0 if there is none or it was cut off. */
      readonly unfinished: number
    }

/**
 * Replace the anchor file once the lines after its first line exceed this many bytes. The first write of a process reads
 * all lines, some 2,800 in 10 ms.
 */
export const maxAnchorBytes = 512 << 10

interface Opened {
  readonly descriptor: number
  readonly inode: number
  readonly firstBytes: number
  readonly firstLine: number
  /** The hash of the previous file's last line, then the hash of each line of this file. */
  readonly hashes: Array<string>
  /** Bytes of complete lines. */
  size: number
  state: AnchorState
}

// Longer than 80 lines: its functions share the open file.
export const make = (file: string): Anchor => {
  let opened: Opened | undefined
  const close = () => {
    if (opened !== undefined) closeSync(opened.descriptor)
    opened = undefined
  }

  /** Applies the complete lines in `bytes`. Returns a problem, or null. */
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
    if (statIfExists(file) === undefined) return { kind: "missing" }
    const descriptor = openSync(file, "r+")
    try {
      const bytes = readFileSync(descriptor)
      const text = bytes.subarray(0, 32).toString("latin1")
      if (isFirstFormat(text)) return { kind: "firstFormat", text: bytes.toString("utf8") }
      const end = bytes.indexOf(10)
      const first = bytes.subarray(0, Math.max(end, 0)).toString("utf8")
      const state = applyLine(undefined, first)
      if (state === null) return broken("its first line is damaged", bytes.length === 0)
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
    const stats = statIfExists(file)
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
      writeAll(target.descriptor, bytes, target.size, "anchor.log")
      target.state = advanceAnchorState(target.state, line, hash)
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

/** Copies a damaged or replaced anchor to `<file>.<name>`. */
export const backUp = (file: string, name: string): void => {
  if (existsSync(file)) replaceFile(`${file}.${name}`, readFileSync(file))
}

/** Replaces a file atomically: readers see the old file or the new file, even after a power cut. */
const replaceFile = (file: string, content: string | Uint8Array): void => {
  const descriptor = openSync(`${file}.new`, "w", 0o600)
  try {
    writeAll(descriptor, Buffer.from(content), 0, "anchor.log")
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(`${file}.new`, file)
  syncFolder(dirname(file))
}

/** Converts errors of the file system into `StorageError`s that name `anchor.log`. */
const guarded = (anchor: Anchor): Anchor => {
  const guard = withStorageErrors("anchor.log")
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
