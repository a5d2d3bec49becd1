import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs"
import { join, resolve, sep } from "node:path"
import { statIfExists } from "../../events/folder.js"
import { limits } from "../model/limits.js"

/** The text of a file, with its absolute path. */
export interface TextFile {
  readonly path: string
  readonly text: string
  /** The time of the last change, milliseconds since the epoch. */
  readonly changedAt: number
}

/** A refused file and the reason. */
export interface RefusedFile {
  readonly path: string
  readonly problem: string
}

/** The files of a path in order, and the paths that were refused. */
export interface ListedFiles {
  readonly paths: ReadonlyArray<string>
  readonly refused: ReadonlyArray<RefusedFile>
}

/**
 * Lists the file at a path, or all files below a folder. Skips names that begin with a dot and installed packages, and
 * refuses links that lead out of the folder.
 */
export const listFiles = (path: string): ListedFiles => {
  const paths: Array<string> = []
  const refused: Array<RefusedFile> = []
  const refuse = (path: string, problem: string) => void refused.push({ path, problem })
  const walk = (folder: string, root: string, depth: number) => {
    if (depth > limits.folders) return refuse(folder, `is more than ${limits.folders} folders deep`)
    const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of entries) {
      if (paths.length > limits.addedFiles) return
      const inner = join(folder, entry.name)
      // Hidden files contain keys and histories more often than useful text.
      if (entry.name.startsWith(".")) continue
      if (entry.isDirectory()) {
        if (!packageFolders.has(entry.name)) walkOrRefuse(inner, root, depth + 1)
      } else if (entry.isFile()) paths.push(inner)
      else if (entry.isSymbolicLink()) link(inner, root)
    }
  }
  const walkOrRefuse = (folder: string, root: string, depth: number) => {
    try {
      walk(folder, root, depth)
    } catch {
      refuse(folder, "cannot be read: check its permissions")
    }
  }
  const link = (path: string, root: string) => {
    try {
      const target = realpathSync(path)
      if (!target.startsWith(root + sep))
        refuse(path, "is a link to a target outside the folder: add the target instead")
      // If the target is inside the folder, the walk finds it under its own path, so the link is skipped.
    } catch {
      refuse(path, "is a broken link")
    }
  }
  const absolute = resolve(path)
  const stat = statIfExists(absolute)
  if (stat === undefined) refuse(absolute, "does not exist")
  else if (stat.isDirectory()) {
    walkOrRefuse(absolute, realpathSync(absolute), 0)
    if (paths.length > limits.addedFiles) {
      paths.length = limits.addedFiles
      refuse(absolute, `contains more than ${limits.addedFiles} files: the rest was skipped`)
    }
  } else if (stat.isFile()) paths.push(absolute)
  else refuse(absolute, "is neither a file nor a folder")
  return { paths, refused }
}

const packageFolders = new Set(["node_modules", "__pycache__"])

/** Reads a file of UTF-8 text. A file that is binary, too large or missing is refused. */
export const readTextFile = (path: string, maxBytes: number = limits.indexedFile): TextFile | RefusedFile => {
  try {
    const { mtimeMs, size } = statSync(path)
    if (size > maxBytes) return { path, problem: `is larger than ${maxBytes} bytes: split it into smaller files` }
    const bytes = readFileSync(path)
    if (bytes.includes(0)) return { path, problem: "is not text" }
    return { path, text: utf8.decode(bytes), changedAt: Math.floor(mtimeMs) }
  } catch (cause) {
    const isEncoding = cause instanceof TypeError
    return {
      path,
      problem: isEncoding ? "is not UTF-8 text: convert it to UTF-8" : "cannot be read: check its permissions"
    }
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true })
