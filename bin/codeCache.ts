import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { getHeapCodeStatistics } from "node:v8"
import type { Script } from "node:vm"

/**
 * Caches V8's compiled code of the program for the next run, because compiling takes a third of a short command's time.
 *
 * Node's own compile cache (`module.enableCompileCache`) is written before the program has run. It lacks every function
 * that V8 compiles on its first call. `daybook search` takes 0.26 s of CPU with Node's cache, 0.19 s with this one and
 * 0.31 s with none.
 */
export interface CodeCache {
  /** The cached code; undefined if there is none or it is damaged. */
  readonly read: () => Buffer | undefined
  /** Caches the code of a program that has run, if it compiled enough new code. Never throws. */
  readonly keep: (script: Script) => void
}

const digestBytes = 32
const sizeBytes = 8

/** A run replaces the cached code if it compiled at least this many times the cached size. */
const minGrowth = 1.05

/**
 * Opens the cache of one program under this release of Node. It is in the user's own cache folder, because in a shared
 * folder another user could plant code. Undefined if NODE_DISABLE_COMPILE_CACHE is set.
 */
export const open = (program: string): CodeCache | undefined => {
  const { LOCALAPPDATA, NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env
  if (NODE_DISABLE_COMPILE_CACHE) return undefined
  const folder = join(XDG_CACHE_HOME || LOCALAPPDATA || join(homedir(), ".cache"), "daybook")
  const name = `${program}.${process.version}-${process.platform}-${process.arch}.compiled`
  let cachedSize = 0
  return {
    read: () => {
      try {
        const content = readFileSync(join(folder, name))
        const body = content.subarray(digestBytes)
        if (!digestOf(body).equals(content.subarray(0, digestBytes))) return undefined
        cachedSize = Number(body.readBigUInt64LE())
        return body.subarray(sizeBytes)
      } catch {
        return undefined
      }
    },
    keep: (script) => {
      try {
        const size = getHeapCodeStatistics().bytecode_and_metadata_size
        if (script.cachedDataRejected !== true && size < cachedSize * minGrowth) return
        const header = Buffer.alloc(sizeBytes)
        header.writeBigUInt64LE(BigInt(size))
        const body = Buffer.concat([header, script.createCachedData()])
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        const draft = join(folder, `${name}.${process.pid}.tmp`)
        writeFileSync(draft, Buffer.concat([digestOf(body), body]), { mode: 0o600 })
        renameSync(draft, join(folder, name))
        if (cachedSize === 0) removeOldest(folder)
      } catch {
        // Without a writable cache folder, the next run takes a tenth of a second longer.
      }
    }
  }
}

/** Maximum number of cached files: one for each program and release of Node. */
const maxFiles = 4

const removeOldest = (folder: string) => {
  const files = readdirSync(folder).flatMap((entry) => (entry.endsWith(".compiled") ? [join(folder, entry)] : []))
  const writtenAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  for (const file of files.sort((a, b) => writtenAt(b) - writtenAt(a)).slice(maxFiles)) rmSync(file, { force: true })
}

const digestOf = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest()
