import { join } from "node:path"
import * as Anchor from "./Anchor.js"
import { acceptedCount } from "./accepted.js"
import {
  type AnchorState,
  checkVersion,
  entriesOf,
  type FirstLine,
  type HeadEntry,
  type LineContent,
  noHash,
  type RestoreEntry,
  readFirstFormat
} from "./anchorLines.js"
import { anchorDamagedError } from "./damage.js"
import type { Head } from "./EventLog.js"
import { removeCopiesNaming, removeStreamsFromAnchor } from "./erasure/deletedStreams.js"
import { appliedLine } from "./erasure/ledgerReference.js"
import { headEntry, headsSince, newestSequence, soundHeads } from "./heads.js"
import { type LogFiles, sameFileState } from "./logFiles.js"
import { type Db, sql } from "./statement.js"
import { checkSlice } from "./streamCheck.js"

/**
 * Writes the lines of the anchor file, and stores in the log a reference to the last line. Callers hold the write lock.
 */
export interface AnchorWriter {
  readonly anchor: Anchor.Anchor
  /** Creates the anchor of a new log, or converts an anchor of the first format. Run it in its own transaction. */
  readonly adopt: () => void
  /** The anchor's state. Throws if the anchor is damaged. */
  readonly current: () => AnchorState
  /** Appends one line for everything that any process committed since the last line. */
  readonly appendLine: (line: AppendLineOptions) => AnchorState
  /** Stores in the log a reference to an anchor line that is on disk, within the caller's transaction. */
  readonly refer: (line: LineReference) => void
  /** Starts a new anchor file from the heads in the log, after accepted damage or a restore. Keeps the old file. */
  readonly startEpoch: (restored?: RestoreEntry) => void
  /** Replaces the anchor file by a file that does not name these deleted streams. */
  readonly forget: (streams: ReadonlyArray<string>) => void
  /** Runs one slice of the background check; undefined if no stream has a mark (verified version). */
  readonly slice: (reader: Db, millis: number) => Partial<LineContent> | undefined
}

export interface AppendLineOptions {
  /**
   * True if only this process changed `log.db` since the anchor recorded the state of the file. If absent, the line
   * records no state.
   */
  readonly fileIsKnown?: boolean
  /**
   * This process's last transaction. `after` is the sequence number before its first event; `last` is the sequence
   * number of its last event.
   */
  readonly ownEvents?: { readonly heads: ReadonlyArray<Head>; readonly after: number; readonly last: number }
  readonly additions?: Partial<LineContent> | undefined
}

export interface LineReference {
  readonly line: number
  readonly hash: string
}

interface Options {
  readonly folder: string
  readonly installation: string
  readonly writer: Db
  readonly files: LogFiles
  /** True if this process verified the stream before it wrote to the stream. */
  readonly isChecked: (stream: string) => boolean
}

export const make = ({ files, folder, installation, isChecked, writer }: Options): AnchorWriter => {
  const anchor = Anchor.make(join(folder, "anchor.log"))
  let opened: unknown

  const refer = ({ hash, line }: LineReference) =>
    void sql(writer, "UPDATE anchor_reference SET line = ?, hash = ?").run(line, Buffer.from(hash, "hex"))

  const adopt = () => {
    const reference = readAnchorReference(writer)
    if (reference?.line === 0) refer(adoptAnchor(anchor, installation, writer))
  }

  const current = (): AnchorState => {
    const read = anchor.read({ repair: true })
    if (read.kind === "state" && read.hashes === opened) return read.state
    const problem = anchorProblem(read, readAnchorReference(writer), installation)
    if (problem !== null || read.kind !== "state") throw anchorDamagedError(problem!)
    opened = read.hashes
    return read.state
  }

  const appendLine: AnchorWriter["appendLine"] = ({ fileIsKnown, additions = {}, ownEvents }) => {
    const state = current()
    const newest = newestSequence(writer)
    const isOwn = state.sequence === ownEvents?.after && newest === ownEvents.last
    const heads = isOwn ? ownEvents.heads.map(headEntry) : newest > state.sequence ? headsSince(writer, state) : []
    const written = new Map(ownEvents?.heads.map(({ stream, version }) => [stream, version]))
    const file = files.state()
    const isNoted = fileIsKnown === undefined || sameFileState(state.file, file)
    const note = isNoted ? {} : fileIsKnown ? { file } : { file, unmarked: true as const }
    if (heads.length === 0 && Object.keys({ ...note, ...additions }).length === 0) return state
    return anchor.append({
      sequence: Math.max(newest, state.sequence),
      heads: heads.map(([stream, version, hash]) => {
        const check = written.get(stream) === version && isChecked(stream) ? checkVersion : 0
        return [stream, version, hash, check]
      }),
      ...note,
      ...additions
    })
  }

  const slice: AnchorWriter["slice"] = (reader, millis) => {
    const read = anchor.read({ repair: false })
    if (read.kind !== "state") return undefined
    const checked = checkSlice(reader, read.state, millis)
    if (checked === null) return undefined
    const { damaged, next } = checked
    return { slice: next, ...(damaged === null ? {} : { marks: [[damaged, 0, noHash, checkVersion]] }) }
  }

  const startEpoch: AnchorWriter["startEpoch"] = (restored) => {
    const file = join(folder, "anchor.log")
    const read = anchor.read({ repair: false })
    const state = read.kind === "state" ? read.state : undefined
    const reference = readAnchorReference(writer) ?? { line: 0, hash: noHash }
    const epoch = Math.max(1 + acceptedCount(writer), 1 + (state?.epoch ?? 0))
    const restores = [...(state?.restored ?? []), ...(restored === undefined ? [] : [restored])]
    Anchor.backUp(file, `before-epoch-${epoch}`)
    const last = state !== undefined && state.line >= reference.line ? state : reference
    const heads = soundHeads(writer).map(headEntry)
    const sequence = newestSequence(writer)
    const ledger = appliedLine(writer)
    const first: FirstLine = {
      ...{ line: last.line + 1, log: installation, epoch, after: last.hash, sequence, heads },
      ...(restores.length === 0 ? {} : { restored: restores }),
      ...(ledger.line === 0 ? {} : { ledger })
    }
    sql(writer, "DELETE FROM anchor_reference").run()
    sql(writer, "INSERT INTO anchor_reference (line, hash) VALUES (0, zeroblob(32))").run()
    refer(anchor.replace(first))
  }

  const forget: AnchorWriter["forget"] = (streams) => {
    refer(anchor.replace(nextFirstLine(...removeStreamsFromAnchor(current(), streams))))
    removeCopiesNaming(folder, streams)
  }

  return { anchor, adopt, current, appendLine, refer, startEpoch, forget, slice }
}

/** The log's reference to an anchor line; null if the reference is damaged. */
export const readAnchorReference = (db: Db): LineReference | null => {
  const rows = sql(db, "SELECT line, hash FROM anchor_reference").all()
  const [row] = rows
  const isIntact = rows.length === 1 && Number.isInteger(row.line) && row.hash instanceof Uint8Array
  return isIntact ? { line: row.line, hash: Buffer.from(row.hash).toString("hex") } : null
}

/** Compares an anchor with the log's reference. Returns the problem; null if there is none. */
export const anchorProblem = (
  read: Anchor.AnchorRead,
  reference: LineReference | null,
  installation: string
): string | null => {
  if (reference === null) return "the log has no valid reference to a line of the anchor file"
  if (read.kind === "missing") return "the anchor file is missing"
  if (read.kind === "firstFormat") return firstFormatProblem(read.text, reference, installation)
  if (read.kind === "broken") return `the anchor file was changed: ${read.problem}`
  const { hashAt, state } = read
  if (state.log !== installation) return "the anchor file does not belong to this log"
  if (reference.line === 0)
    return state.line === 1 ? null : "the log does not refer to the anchor file, which has several lines"
  const hash = hashAt(reference.line)
  if (hash === reference.hash) return null
  return state.line < reference.line
    ? `the anchor file was cut: it ends with line ${state.line}, and the log refers to line ${reference.line}`
    : `the anchor file was changed: line ${reference.line} differs from the line that the log refers to`
}

const firstFormatProblem = (text: string, reference: LineReference, installation: string): string => {
  if (reference.line > 0) return "the anchor file has an older format than the log expects"
  const { problem } = readFirstFormat(text, installation)
  return problem === null
    ? "the anchor file has the first format and is not converted yet"
    : `the anchor file ${problem}`
}

/**
 * For a log that has no reference to an anchor line yet: creates the anchor, or converts an anchor of the first format.
 */
const adoptAnchor = (anchor: Anchor.Anchor, installation: string, db: Db): AnchorState => {
  const read = anchor.read({ repair: false })
  const first = (heads: FirstLine["heads"], repaired: ReadonlyArray<string>): FirstLine => ({
    line: 1,
    log: installation,
    epoch: 1,
    after: noHash,
    heads,
    sequence: heads.length === 0 ? 0 : newestSequence(db),
    ...(repaired.length === 0 ? {} : { repaired })
  })
  const isNew = newestSequence(db) === 0
  if (isNew && (read.kind === "missing" || (read.kind === "broken" && read.isEmpty)))
    return anchor.replace(first([], []))
  if (read.kind === "firstFormat") {
    const { heads, problem } = readFirstFormat(read.text, installation)
    if (problem !== null) throw anchorDamagedError(`the anchor file ${problem}`)
    return anchor.replace(first(sealedHeads(db, heads), ["an anchor of the first format was converted"]))
  }
  // An earlier process created or converted the anchor and was killed before its transaction was committed.
  if (read.kind === "state" && read.state.line === 1 && read.state.log === installation) return read.state
  throw anchorDamagedError(anchorProblem(read, { line: 0, hash: noHash }, installation)!)
}

/**
 * The heads of an anchor of the first format. If the stream in the log continues from the anchored head, its newer head
 * replaces the anchored head.
 */
const sealedHeads = (db: Db, old: ReadonlyMap<string, { readonly version: number; readonly hash: string }>) => {
  const heads = new Map(
    [...old].map(([stream, { hash, version }]) => [stream, [stream, version, hash, 0] as HeadEntry])
  )
  for (const head of soundHeads(db)) {
    const anchored = old.get(head.stream)
    const [, version, hash] = headEntry(head)
    const isReached =
      anchored === undefined ||
      (anchored.version === version
        ? anchored.hash === hash
        : hashAtVersion(db, head.stream, anchored.version) === anchored.hash)
    if (isReached) heads.set(head.stream, headEntry(head))
  }
  return [...heads.values()]
}

const hashAtVersion = (db: Db, stream: string, version: number): string | undefined => {
  const hash = sql(db, "SELECT hash FROM events WHERE stream = ? AND version = ?").get(stream, version)?.hash
  return hash instanceof Uint8Array ? Buffer.from(hash).toString("hex") : undefined
}

/** The first line of the next anchor file. It contains the whole state of the current file. */
export const nextFirstLine = (state: AnchorState, changes: Partial<FirstLine> = {}): FirstLine => ({
  line: state.line + 1,
  log: state.log,
  epoch: state.epoch,
  after: state.hash,
  sequence: state.sequence,
  ...entriesOf(state),
  ...(state.file === undefined ? {} : { file: state.file }),
  ...(state.slice === undefined ? {} : { slice: state.slice }),
  ...(state.ledger === undefined ? {} : { ledger: state.ledger }),
  ...(state.restored.length === 0 ? {} : { restored: state.restored }),
  ...changes
})
