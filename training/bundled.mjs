// @ts-nocheck: a maintainers' tool.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build } from "esbuild"

/** The folder of the repository. */
export const root = fileURLToPath(new URL("..", import.meta.url))

/**
 * Bundles and imports what TypeScript code exports; its imports are relative to the repository. The bundle is two folders
 * below the repository, where the code finds `assets`.
 */
export const bundled = async (contents) => {
  mkdirSync(join(root, "dist"), { recursive: true })
  const folder = mkdtempSync(join(root, "dist/train-"))
  const outfile = join(folder, "bundle.mjs")
  const stdin = { contents, resolveDir: root, loader: "ts" }
  await build({ stdin, outfile, bundle: true, platform: "node", format: "esm", target: "node22" })
  try {
    return await import(pathToFileURL(outfile))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
