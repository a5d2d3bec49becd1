import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { getHeapCodeStatistics } from "node:v8"
import type { Script } from "node:vm"
// An unsupported Node may have no `crc32`. An import by name would then fail before the launcher can print its error.
import zlib from "node:zlib"

/**
 * Caches V8's compiled code of the program for the next run, because compiling takes a third of a short command's time.
 *
 * Node's own compile cache (`module.enableCompileCache`) is written before the program has run, so it does not contain
 * the functions that V8 compiles on their first call. Measured with `daybook search`: 0.26 s of CPU with Node's cache,
 * 0.19 s with this cache and 0.31 s without a cache.
 */
export interface CodeCache {
  /** The cached code; undefined if there is none or it is damaged. */
  readonly read: () => Buffer | undefined
  /** Caches the code of a program that has run, if it compiled enough new code. Never throws. */
  readonly keep: (script: Script) => void
}

/** A run replaces the cached code if its compiled code is at least this many times as large as the cached code. */
const minGrowth = 1.05
/** The share of runs that measure the size of their code, because measuring it takes 10 ms. */
const measuredShare = 1 / 8
/** The start of a cached file: the CRC-32 of the rest, and the size of the code in the heap of the writing process. */
const headerBytes = 4 + 8

/**
 * Opens the cache for a run of a command. Each command has its own file, because V8 loads all code of a file: a search
 * that loads the code of many commands takes a quarter longer. The file's name contains a hash of the command, because
 * a mistyped command may be private text. The file is valid for one program and one release of Node. It is in the
 * user's own cache folder, because in a shared folder another user could plant code. Undefined if
 * NODE_DISABLE_COMPILE_CACHE is set.
 */
export const openCodeCache = (program: string, command: string): CodeCache | undefined => {
  const { LOCALAPPDATA, NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env
  if (NODE_DISABLE_COMPILE_CACHE) return undefined
  const folder = join(XDG_CACHE_HOME || LOCALAPPDATA || join(homedir(), ".cache"), "daybook")
  const hash = zlib.crc32(command).toString(16).padStart(8, "0")
  const name = `${program}.${hash}.${process.version}-${process.platform}-${process.arch}.compiled`
  let cachedSize = 0
  return {
    read: () => {
      try {
        const file = readFileSync(join(folder, name))
        if (zlib.crc32(file.subarray(4)) !== file.readUInt32LE()) return undefined
        cachedSize = Number(file.readBigUInt64LE(4))
        return file.subarray(headerBytes)
      } catch {
        return undefined
      }
    },
    keep: (script) => {
      try {
        // A call that failed early has compiled little of its command.
        const isNew = (cachedSize === 0 && !process.exitCode) || script.cachedDataRejected === true
        if (!isNew && (cachedSize === 0 || Math.random() >= measuredShare)) return
        const size = getHeapCodeStatistics().bytecode_and_metadata_size
        if (!isNew && size < cachedSize * minGrowth) return
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        const draft = join(folder, `${name}.${process.pid}.tmp`)
        writeFileSync(draft, fileOf(size, script.createCachedData()), { mode: 0o600 })
        renameSync(draft, join(folder, name))
        if (cachedSize === 0) removeOldest(folder)
      } catch {
        // Without a writable cache folder, the next run takes a tenth of a second longer.
      }
    }
  }
}

const fileOf = (size: number, code: Buffer): Buffer => {
  const header = Buffer.alloc(headerBytes)
  header.writeBigUInt64LE(BigInt(size), 4)
  const file = Buffer.concat([header, code])
  file.writeUInt32LE(zlib.crc32(file.subarray(4)))
  return file
}

/** Maximum number of cached files, about 3 MB each. Each command that is used has one file per release of Node. */
const maxFiles = 16

const removeOldest = (folder: string) => {
  const files = readdirSync(folder).flatMap((entry) => (entry.endsWith(".compiled") ? [join(folder, entry)] : []))
  const writtenAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  for (const file of files.sort((a, b) => writtenAt(b) - writtenAt(a)).slice(maxFiles)) rmSync(file, { force: true })
}
