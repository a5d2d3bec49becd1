import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs"
import { join, resolve, sep } from "node:path"
import { limits } from "../model/limits.js"

/** A file of text as it was read, under its absolute path. */
export interface TextFile {
  readonly path: string
  readonly text: string
  /** Milliseconds since the epoch. */
  readonly changedAt: number
}

/** A file that is not taken, and why. */
export interface RefusedFile {
  readonly path: string
  readonly problem: string
}

/** What a path leads to: files that may be read, in order, and what is refused at sight. */
export interface Found {
  readonly paths: ReadonlyArray<string>
  readonly refused: ReadonlyArray<RefusedFile>
}

/**
 * The files of a path: itself, or all below a folder, but nothing whose name
 * begins with a dot, no installed packages, and nothing behind links that lead out.
 */
export const filesOf = (path: string): Found => {
  const paths: Array<string> = []
  const refused: Array<RefusedFile> = []
  const refuse = (path: string, problem: string) => void refused.push({ path, problem })
  const walk = (folder: string, root: string, depth: number) => {
    if (depth > limits.folders) return refuse(folder, `lies more than ${limits.folders} folders deep`)
    const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of entries) {
      if (paths.length > limits.addedFiles) return
      const inner = join(folder, entry.name)
      // What is hidden holds keys and histories more often than anything to be found.
      if (entry.name.startsWith(".")) continue
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name)) walkOrRefuse(inner, root, depth + 1)
      } else if (entry.isFile()) paths.push(inner)
      else if (entry.isSymbolicLink()) link(inner, root)
    }
  }
  const walkOrRefuse = (folder: string, root: string, depth: number) => {
    try {
      walk(folder, root, depth)
    } catch {
      refuse(folder, "cannot be read")
    }
  }
  const link = (path: string, root: string) => {
    try {
      const target = realpathSync(path)
      if (!target.startsWith(root + sep)) refuse(path, "leads out of the folder")
      // What it leads to inside of the folder is found there.
    } catch {
      refuse(path, "leads nowhere")
    }
  }
  const whole = resolve(path)
  const stat = statSync(whole, { throwIfNoEntry: false })
  if (stat === undefined) refuse(whole, "is not there")
  else if (stat.isDirectory()) {
    walkOrRefuse(whole, realpathSync(whole), 0)
    if (paths.length > limits.addedFiles) {
      paths.length = limits.addedFiles
      refuse(whole, `holds more than ${limits.addedFiles} files: the rest is left out`)
    }
  } else if (stat.isFile()) paths.push(whole)
  else refuse(whole, "is no file")
  return { paths, refused }
}

const skipped = new Set(["node_modules", "__pycache__"])

/** Reads a file of UTF-8 text; what is binary, too large or gone is refused. */
export const readTextFile = (path: string): TextFile | RefusedFile => {
  try {
    const { mtimeMs, size } = statSync(path)
    if (size > limits.indexedFile) return { path, problem: `is larger than ${limits.indexedFile} bytes` }
    const bytes = readFileSync(path)
    if (bytes.includes(0)) return { path, problem: "is not text" }
    return { path, text: utf8.decode(bytes), changedAt: Math.floor(mtimeMs) }
  } catch (cause) {
    return { path, problem: cause instanceof TypeError ? "is not UTF-8 text" : "cannot be read" }
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true })
