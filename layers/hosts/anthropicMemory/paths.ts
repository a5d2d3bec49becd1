import { limits } from "../../../src/model/limits.js"

/** The folder that contains all files of the memory tool. */
export const memoryRoot = "/memories"

/** A problem that the model reads, in the words of the tool's documentation. */
export class FileProblem extends Error {
  override readonly name = "FileProblem"
}

/** Checks a path and normalises its slashes. Refuses everything that could name a file outside the folder. */
export const checkPath = (path: unknown): string => {
  if (typeof path !== "string") throw new FileProblem("The path must be text")
  if (path !== memoryRoot && !path.startsWith(`${memoryRoot}/`)) {
    throw new FileProblem(`Path must start with ${memoryRoot}, got: ${path}`)
  }
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".")
  if (segments.includes("..") || outside.test(path)) {
    throw new FileProblem(`Path ${path} would escape ${memoryRoot} directory`)
  }
  const normal = `/${segments.join("/")}`
  if (normal.length > limits.key) throw new FileProblem(`Path ${path} is longer than ${limits.key} characters`)
  return normal
}

/** Backslashes, control characters, and dots and slashes in URL encoding. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const outside = /[\\\0-\x1f\x7f]|%(?:25)*(?:2e|2f|5c|00)/i

/** True if there are files below the path. The root is always a folder. */
export const isFolder = (paths: Iterable<string>, path: string): boolean =>
  path === memoryRoot || [...paths].some((other) => other.startsWith(`${path}/`))

/** Sizes as `du -h` prints them. */
const sizeText = (bytes: number): string => {
  const unit = bytes === 0 ? 0 : Math.min(3, Math.floor(Math.log(bytes) / Math.log(1024)))
  const size = bytes / 1024 ** unit
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${"BKMG"[unit]}`
}

const maxDepth = 2

/**
 * Lists the files and folders below a folder, two levels deep. The size of a folder is the total of its files. `shown`
 * is the folder's path as the model wrote it.
 */
export const listFolder = (files: ReadonlyMap<string, string>, folder: string, shown: string): string => {
  const sizes = [...files].map(([path, text]) => ({ path, bytes: Buffer.byteLength(text) }))
  const totalBelow = (path: string) =>
    sizes.reduce((sum, file) => (file.path === path || file.path.startsWith(`${path}/`) ? sum + file.bytes : sum), 0)
  const linesBelow = (parent: string, depth: number): ReadonlyArray<string> => {
    const names = sizes.flatMap(({ path }) =>
      path.startsWith(`${parent}/`) ? [path.slice(parent.length + 1).split("/")[0]!] : []
    )
    return [...new Set(names)].sort().flatMap((name) => {
      if (name.startsWith(".") || name === "node_modules") return []
      const path = `${parent}/${name}`
      const line = `${sizeText(totalBelow(path))}\t${shown}${path.slice(folder.length)}`
      if (!isFolder(files.keys(), path)) return [line]
      return [`${line}/`, ...(depth < maxDepth ? linesBelow(path, depth + 1) : [])]
    })
  }
  const header = `Here're the files and directories up to 2 levels deep in ${shown}, excluding hidden items and node_modules:`
  return [header, `${sizeText(totalBelow(folder))}\t${shown}`, ...linesBelow(folder, 1)].join("\n")
}

/** Lines with their numbers from `first`, as the tool shows them. */
export const withLineNumbers = (lines: ReadonlyArray<string>, first: number): string =>
  lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`).join("\n")
