import { crc32 } from "node:zlib"
import { sha256Hex } from "./sha256.js"

/**
 * The lines of an anchor. Each line is `<hash> <JSON>`; the hash is SHA-256(hash of the previous line ‖ JSON). A line
 * that was edited, removed, added or moved breaks the chain. The first line of a file contains the whole state of the
 * previous file and that file's last hash.
 */

/** The version of the stream check. Streams that were verified by another version of the check are verified again. */
export const checkVersion = 1

/**
 * `[stream, version, hash, check]`. `check` is the `checkVersion` with which the stream was verified up to `version`; 0
 * if it was not verified.
 */
export type HeadEntry = readonly [stream: string, version: number, hash: string, check: number]

/** Inode, bytes and change time (milliseconds) of `log.db`. */
export type FileState = readonly [inode: number, bytes: number, changed: number]

export interface LineContent {
  /** Line number, counted from 1 across all anchor files of this log. */
  readonly line: number
  /** The sequence of the newest event that the anchor covers. */
  readonly sequence: number
  readonly heads: ReadonlyArray<HeadEntry>
  /** The verified version of each stream that is not verified up to its head. */
  readonly marks?: ReadonlyArray<HeadEntry>
  /** The state of `log.db` when Daybook last closed it. */
  readonly file?: FileState
  /** Invalidates the marks (verified versions) of earlier lines, because another program changed `log.db`. */
  readonly unmarked?: true
  /** Where the next slice (small part) of the background check starts. */
  readonly slice?: readonly [stream: string, version: number]
  /** The last line of the ledger of erasures. */
  readonly ledger?: { readonly line: number; readonly hash: string }
  /** The repairs of the anchor that this line completed. */
  readonly repaired?: ReadonlyArray<string>
}

/** A restore of the log from a copy. Times are milliseconds since the epoch. */
export interface RestoreEntry {
  /** The kind of copy: a backup file, or the JSON lines of an export. */
  readonly from: "backup" | "export"
  readonly at: number
  /** When the copy was made. */
  readonly createdAt: number
  /** False if nothing outside the copy confirmed that the copy is unchanged. Only an import sets this field. */
  readonly vouched?: boolean
  /** The last anchor line of the log that the copy replaced. */
  readonly replaced?: { readonly line: number; readonly hash: string }
  /** The events that are in the replaced log but not in the copy: `[stream, after version, to version]`. */
  readonly lost?: ReadonlyArray<readonly [stream: string, after: number, to: number]>
}

/** The first line of a file. */
export interface FirstLine extends LineContent {
  /** The id of the installation. */
  readonly log: string
  /** A counter, incremented each time an operator accepts damage or restores a copy. */
  readonly epoch: number
  /** Hash of the previous file's last line; zeros for the first file. */
  readonly after: string
  /** Every restore of this log, oldest first. */
  readonly restored?: ReadonlyArray<RestoreEntry>
}

interface Place {
  readonly version: number
  readonly hash: string
}

/** The state of an anchor after its last line. */
export interface AnchorState {
  readonly log: string
  readonly epoch: number
  readonly line: number
  readonly hash: string
  readonly sequence: number
  readonly heads: Map<string, Place>
  readonly marks: Map<string, Place>
  readonly file: FileState | undefined
  readonly slice: readonly [stream: string, version: number] | undefined
  readonly ledger: LineContent["ledger"]
  readonly repaired: ReadonlyArray<string>
  readonly restored: ReadonlyArray<RestoreEntry>
}

export const noHash = "0".repeat(64)

/** The text of a line and its hash. */
export const formatLine = (before: string, content: LineContent): { readonly text: string; readonly hash: string } => {
  const json = JSON.stringify(content)
  const hash = sha256Hex(before + json)
  return { text: `${hash} ${json}\n`, hash }
}

/**
 * Reads one line and returns the next state. `state` is undefined for the first line of a file. Returns null if the
 * line is invalid.
 */
export const applyLine = (state: AnchorState | undefined, line: string): AnchorState | null => {
  const content = parse(line)
  if (content === null) return null
  const hash = line.slice(0, 64)
  const before = state?.hash ?? (content as Partial<FirstLine>).after
  if (before === undefined || sha256Hex(before + line.slice(65)) !== hash) return null
  if (state === undefined) return stateOfFirst(content as FirstLine, hash)
  return content.line === state.line + 1 ? advanceAnchorState(state, content, hash) : null
}

/** The state after one more line. */
export const advanceAnchorState = (state: AnchorState, content: LineContent, hash: string): AnchorState => {
  if (content.unmarked === true) state.marks.clear()
  addHeads(state, content)
  const {
    file = state.file,
    ledger = state.ledger,
    line: number,
    repaired = [],
    sequence,
    slice = state.slice
  } = content
  return { ...state, line: number, hash, sequence, file, slice, ledger, repaired: [...state.repaired, ...repaired] }
}

const stateOfFirst = (content: FirstLine, hash: string): AnchorState | null => {
  const { epoch, file, ledger, line, log, repaired = [], restored = [], sequence, slice } = content
  if (typeof log !== "string" || !Number.isInteger(epoch)) return null
  const state: AnchorState = {
    log,
    epoch,
    line,
    hash,
    sequence,
    file,
    slice,
    ledger,
    repaired,
    restored,
    heads: new Map(),
    marks: new Map()
  }
  addHeads(state, content)
  return state
}

const addHeads = ({ heads, marks }: AnchorState, content: LineContent) => {
  for (const [stream, version, hash, check] of content.heads) {
    heads.set(stream, { version, hash })
    if (check === checkVersion) marks.set(stream, { version, hash })
  }
  for (const [stream, version, hash, check] of content.marks ?? []) {
    if (check === checkVersion) marks.set(stream, { version, hash })
  }
}

/** The heads and verified versions of all streams, for the first line of the next anchor file. */
export const entriesOf = ({ heads, marks }: Pick<AnchorState, "heads" | "marks">) => {
  const isMarked = (stream: string, { version }: Place) => marks.get(stream)?.version === version
  return {
    heads: [...heads].map(
      ([stream, place]): HeadEntry => [stream, place.version, place.hash, isMarked(stream, place) ? checkVersion : 0]
    ),
    marks: [...marks]
      .filter(([stream, mark]) => heads.get(stream)?.version !== mark.version)
      .map(([stream, { hash, version }]): HeadEntry => [stream, version, hash, checkVersion])
  }
}

const parse = (line: string): LineContent | null => {
  try {
    const content = JSON.parse(line.slice(65)) as LineContent
    const isLine =
      content !== null &&
      Number.isInteger(content.line) &&
      Number.isInteger(content.sequence) &&
      Array.isArray(content.heads)
    return isLine ? content : null
  } catch {
    return null
  }
}

/** Reads an anchor of the first format. Its lines are `1 stream version hash crc32` and are not chained. */
export const readFirstFormat = (
  text: string,
  installation: string
): { readonly heads: ReadonlyMap<string, Place>; readonly problem: string | null } => {
  const [header = "", ...lines] = text.split("\n")
  const heads = new Map<string, Place>()
  if (header !== withChecksum(`daybook-anchor 1 ${installation}`))
    return { heads, problem: "does not belong to this log" }
  // A killed process leaves an unfinished last line, and the next process appends to that line. Skip such lines.
  for (const line of lines) {
    const [, stream, version, hash] = line.split(" ")
    const separator = line.lastIndexOf(" ")
    if (separator < 0 || withChecksum(line.slice(0, separator)) !== line || hash === undefined) continue
    const name = nameIn(stream!)
    if (name === null) return { heads, problem: "has a line with an unreadable stream name" }
    if (Number(version) >= (heads.get(name)?.version ?? 0)) heads.set(name, { version: Number(version), hash })
  }
  return { heads, problem: null }
}

export const isFirstFormat = (text: string): boolean => text.startsWith("daybook-anchor 1 ")

const withChecksum = (line: string): string => `${line} ${crc32(line).toString(16)}`

const nameIn = (encoded: string): string | null => {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return null
  }
}
