/** The Node-API version that better-sqlite3 13 needs. Node 22.14, 23.6, 24 and newer releases provide it. */
const nodeApi = 10

/** Systems and processors for which better-sqlite3 includes a binary. Linux binaries exist for glibc and for musl. */
const systems = ["linux", "darwin", "win32"]
const processors = ["x64", "arm64"]

/** The part of `process` that decides whether Daybook can run. */
export interface Runtime {
  readonly version: string
  readonly versions: Readonly<Record<string, string | undefined>>
  readonly platform: string
  readonly arch: string
}

export interface UnsupportedRuntime {
  /** A stable name of the cause, such as `NODE_API_9` or `NO_BINARY`. */
  readonly code: string
  /** A sentence that names the problem and the remedy. */
  readonly problem: string
}

/**
 * The reason why Daybook cannot run here; undefined if it can. Call it before loading better-sqlite3, because loading
 * it in an older Node causes a segmentation fault.
 */
export const unsupportedRuntime = ({ arch, platform, version, versions }: Runtime): UnsupportedRuntime | undefined => {
  const available = Number(versions.napi ?? 0)
  if (available < nodeApi) {
    const problem = `Node ${version.slice(1)} is too old for Daybook: install Node 22 (from 22.14), 24 or 26`
    return { code: `NODE_API_${available}`, problem }
  }
  if (systems.includes(platform) && processors.includes(arch)) return undefined
  const problem = `Daybook does not run on ${platform}-${arch}: better-sqlite3 has binaries for ${systems.join(", ")} on ${processors.join(" and ")} only`
  return { code: "NO_BINARY", problem }
}
