import { closeSync, constants, fchmodSync, fstatSync, openSync, renameSync, statSync, writeSync } from "node:fs"

export interface TraceLinesOptions {
  readonly file: string
  /** Size in bytes at which the file is renamed to `FILE.1`, which replaces an earlier `FILE.1`, and begun again. */
  readonly maxBytes: number
}

export interface TraceLine {
  /** The line as JSON, without the end of the line. */
  readonly json: () => string
}

/** A file of JSON lines. No call fails: lines that cannot be written are dropped. */
export interface TraceLines {
  /** Adds a line. The line becomes JSON when it is written, up to 0.1 s later. */
  readonly add: (line: TraceLine) => void
  readonly flush: () => void
  /** Writes the waiting lines, and closes the file. */
  readonly close: () => void
  /** The system's code of the last failure; undefined if the last write succeeded. */
  readonly failure: () => string | undefined
}

/** Milliseconds that a line may wait for others, so that one system call writes many lines. */
const maxWaitMillis = 100
/** Maximum waiting lines: about 64 kB. */
const maxWaiting = 256

const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants

/** Opens the file at the first line, for its owner only. Several processes may append to it. */
export const makeTraceLines = ({ file, maxBytes }: TraceLinesOptions): TraceLines => {
  let descriptor: number | undefined
  let isRegular = false
  let failure: string | undefined
  let waiting: Array<TraceLine> = []
  /** The part of a line that the system did not accept. It is written first, so that no line is cut. */
  let rest = Buffer.alloc(0)
  let timer: NodeJS.Timeout | undefined

  const open = () => {
    // Non-blocking, because a pipe without a reader would otherwise block the process.
    descriptor = openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NONBLOCK, 0o600)
    isRegular = fstatSync(descriptor).isFile()
    if (isRegular) fchmodSync(descriptor, 0o600)
    return descriptor
  }
  const release = () => {
    const opened = descriptor
    descriptor = undefined
    if (opened !== undefined) closeSync(opened)
  }
  /** Renames a full file, unless another process renamed it. The next write opens the new file. */
  const rotate = (opened: number) => {
    const { ino, size } = fstatSync(opened)
    if (!isRegular || size < maxBytes) return
    if (statSync(file, { throwIfNoEntry: false })?.ino === ino) renameSync(file, `${file}.1`)
    release()
  }
  const attempt = (work: () => void) => {
    try {
      work()
      failure = undefined
    } catch (error) {
      failure = String(Object(error).code ?? "UNKNOWN")
      // The next flush opens the file again.
      try {
        release()
      } catch {
        descriptor = undefined
      }
    }
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length === 0 && rest.length === 0) return
    const lines = waiting
    waiting = []
    let bytes = rest
    let written = 0
    attempt(() => {
      bytes = Buffer.concat([rest, Buffer.from(lines.map((line) => `${line.json()}\n`).join(""))])
      const opened = descriptor ?? open()
      // A pipe or a full disk may accept only a part of the bytes.
      while (written < bytes.length) written += writeSync(opened, bytes, written)
      rotate(opened)
    })
    if (written > 0) rest = restOfLine(bytes, written)
  }
  // `process.exit` runs no finalizers, only this listener.
  process.on("exit", flush)
  return {
    add: (line) => {
      waiting.push(line)
      if (waiting.length >= maxWaiting) flush()
      else timer ??= setTimeout(flush, maxWaitMillis).unref()
    },
    flush,
    close: () => {
      flush()
      process.off("exit", flush)
      attempt(release)
    },
    failure: () => failure
  }
}

/** The unwritten rest of a partly written line. */
const restOfLine = (bytes: Buffer, written: number): Buffer<ArrayBuffer> =>
  written === 0 || bytes[written - 1] === lineEnd
    ? Buffer.alloc(0)
    : Buffer.from(bytes.subarray(written, bytes.indexOf(lineEnd, written) + 1))

const lineEnd = 10
