import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { Script } from "node:vm"

declare const DAYBOOK_PROGRAM: string

/**
 * What `daybook` starts: the program, which lies beside it as one file, with
 * what Node compiled of it when it was built, since compiling is most of what
 * a short command does. Another release of Node, or a damaged file, and Node
 * compiles it itself: that is slower by a tenth of a second and the same
 * otherwise. The program's name holds its digest, so that it never meets what
 * was compiled of another one.
 */
const file = fileURLToPath(new URL(`${DAYBOOK_PROGRAM}.cjs`, import.meta.url))

/** Begins with its SHA-256: V8 looks at its length and its release, and runs whatever else it is given. */
const compiled = (): Buffer | undefined => {
  try {
    const { arch, platform, version } = process
    const whole = readFileSync(file.replace(/cjs$/, `${version}-${platform}-${arch}.compiled`))
    const code = whole.subarray(32)
    return createHash("sha256").update(code).digest().equals(whole.subarray(0, 32)) ? code : undefined
  } catch {
    return undefined
  }
}

const cachedData = compiled()
const script = new Script(readFileSync(file, "utf8"), {
  filename: file,
  ...(cachedData === undefined ? {} : { cachedData })
})
script.runInThisContext()(createRequire(file), file, dirname(file))
