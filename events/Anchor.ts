import {
  appendFileSync,
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { crc32 } from "node:zlib"
import type { Head, Problem } from "./EventLog.js"

/**
 * The heads of all streams, written beside the database after each commit. A log whose tail was cut still chains, but
 * no longer reaches its anchor. A log ahead of its anchor was only killed between the two writes.
 *
 * One line per head, `epoch stream version hash checksum`; a torn line is skipped. A file that has grown too large is
 * rewritten with the newest heads only.
 */
export interface Anchor {
  /** Writes the header of a new log's anchor; leaves an existing one alone. */
  readonly create: () => void
  readonly append: (heads: ReadonlyArray<Pick<Head, "stream" | "version" | "hash">>) => void
  readonly read: () => AnchorContent
  /** Replaces the anchor by one of these heads. The old file stays as `<file>.old`. */
  readonly replace: (heads: ReadonlyArray<Pick<Head, "stream" | "version" | "hash">>) => void
  readonly close: () => void
}

export interface AnchorContent {
  readonly heads: ReadonlyMap<string, { readonly version: number; readonly hash: string }>
  readonly problems: ReadonlyArray<Problem>
}

/** An anchor file is rewritten when it is larger than this many bytes. */
export const maxAnchorBytes = 1 << 20

export const make = (file: string, installation: string): Anchor => {
  const header = withChecksum(`daybook-anchor 1 ${installation}`)
  const read = (): AnchorContent => {
    if (!existsSync(file)) return { heads: new Map(), problems: [problem("the anchor file is missing")] }
    const [first, ...lines] = readFileSync(file, "utf8").split("\n")
    const heads = new Map<string, { version: number; hash: string }>()
    const problems: Array<Problem> = []
    if (first !== header) problems.push(problem("the anchor file does not belong to this log"))
    for (const line of lines) {
      const [, stream, version, hash] = line.split(" ")
      if (!isSealed(line) || stream === undefined || version === undefined || hash === undefined) continue
      const name = decodeURIComponent(stream)
      if (Number(version) >= (heads.get(name)?.version ?? 0)) heads.set(name, { version: Number(version), hash })
    }
    return { heads, problems }
  }
  const lineOf = (stream: string, version: number, hash: string) =>
    `${withChecksum(`1 ${encodeURIComponent(stream)} ${version} ${hash}`)}\n`
  const linesOf = (heads: Parameters<Anchor["append"]>[0]): string =>
    heads.map((head) => lineOf(head.stream, head.version, Buffer.from(head.hash).toString("hex"))).join("")
  /** Atomic: a concurrent reader sees either the old file or the new one. */
  const replaceFile = (text: string) => {
    close()
    writeFileSync(`${file}.new`, text, { mode: 0o600 })
    renameSync(`${file}.new`, file)
    size = text.length > maxAnchorBytes / 2 ? 0 : text.length
  }
  let size = existsSync(file) ? statSync(file).size : 0
  let descriptor: number | undefined
  const close = () => {
    if (descriptor !== undefined) closeSync(descriptor)
    descriptor = undefined
  }
  return {
    create: () => {
      try {
        appendFileSync(file, `${header}\n`, { mode: 0o600, flag: "ax" })
      } catch (cause) {
        // Another process created it at the same time, or the file existed already.
        if (!existsSync(file)) throw cause
      }
    },
    append: (heads) => {
      const text = linesOf(heads)
      // Another process may have replaced the file.
      if (descriptor !== undefined && fstatSync(descriptor).nlink === 0) close()
      descriptor ??= openSync(file, "a", 0o600)
      writeSync(descriptor, text)
      size += text.length
      if (size <= maxAnchorBytes) return
      const { heads: newest, problems } = read()
      // A damaged anchor is evidence: leave it as it is.
      if (problems.length > 0) return
      replaceFile(`${header}\n${[...newest].map(([stream, head]) => lineOf(stream, head.version, head.hash)).join("")}`)
    },
    read,
    replace: (heads) => {
      if (existsSync(file)) copyFileSync(file, `${file}.old`)
      replaceFile(`${header}\n${linesOf(heads)}`)
    },
    close
  }
}

const withChecksum = (line: string): string => `${line} ${crc32(line).toString(16)}`

const isSealed = (line: string): boolean => {
  const separatorIndex = line.lastIndexOf(" ")
  return separatorIndex > 0 && withChecksum(line.slice(0, separatorIndex)) === line
}

const problem = (description: string): Problem => ({ stream: null, version: null, what: description })
