import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { getHeapCodeStatistics } from "node:v8"
import type { Script } from "node:vm"

/**
 * What V8 compiled of the program, kept for the next run: compiling is a third of what a short command costs.
 *
 * Node's own compile cache (`module.enableCompileCache`) is taken before the program has run and lacks every function
 * that V8 compiles when it is first called: `daybook search` takes 0.26 s of CPU with it, 0.19 s with this one and
 * 0.31 s with none.
 */
export interface CodeCache {
  /** The kept code; undefined where there is none, or where it is damaged. */
  readonly read: () => Buffer | undefined
  /** Keeps the code of a program that has run, if it compiled much that was not kept yet. Never throws. */
  readonly keep: (script: Script) => void
}

const digestBytes = 32
const sizeBytes = 8

/** A run that compiled this much more than is kept replaces what is kept. */
const growth = 1.05

/**
 * The cache of one program under this release of Node, in the user's own cache folder: in a shared one, another user
 * could plant code. Undefined where NODE_DISABLE_COMPILE_CACHE is set.
 */
export const open = (program: string): CodeCache | undefined => {
  const { LOCALAPPDATA, NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env
  if (NODE_DISABLE_COMPILE_CACHE) return undefined
  const folder = join(XDG_CACHE_HOME || LOCALAPPDATA || join(homedir(), ".cache"), "daybook")
  const name = `${program}.${process.version}-${process.platform}-${process.arch}.compiled`
  let keptSize = 0
  return {
    read: () => {
      try {
        const whole = readFileSync(join(folder, name))
        const body = whole.subarray(digestBytes)
        if (!digestOf(body).equals(whole.subarray(0, digestBytes))) return undefined
        keptSize = Number(body.readBigUInt64LE())
        return body.subarray(sizeBytes)
      } catch {
        return undefined
      }
    },
    keep: (script) => {
      try {
        const size = getHeapCodeStatistics().bytecode_and_metadata_size
        if (size < keptSize * growth) return
        const header = Buffer.alloc(sizeBytes)
        header.writeBigUInt64LE(BigInt(size))
        const body = Buffer.concat([header, script.createCachedData()])
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        const draft = join(folder, `${name}.${process.pid}.tmp`)
        writeFileSync(draft, Buffer.concat([digestOf(body), body]), { mode: 0o600 })
        renameSync(draft, join(folder, name))
        if (keptSize === 0) removeOldest(folder)
      } catch {
        // A folder that cannot be written costs the next run a tenth of a second.
      }
    }
  }
}

/** Programs and releases of Node that are kept at once. */
const keptFiles = 4

const removeOldest = (folder: string) => {
  const files = readdirSync(folder).flatMap((entry) => (entry.endsWith(".compiled") ? [join(folder, entry)] : []))
  const writtenAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  for (const file of files.sort((a, b) => writtenAt(b) - writtenAt(a)).slice(keptFiles)) rmSync(file, { force: true })
}

const digestOf = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest()
