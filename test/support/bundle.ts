import { mkdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"

const root = join(import.meta.dirname, "..", "..")

/**
 * Bundles a program of this folder, so that it runs without the tools of the
 * tests. It lies below node_modules, where it finds the packages left out. With
 * `assets` it also finds the package's assets; without, it has no word vectors.
 */
export const bundle = async (entry: string, { assets = false }: { readonly assets?: boolean } = {}) => {
  const folder = join(root, "node_modules", ".cache", "daybook-test")
  const file = join(folder, ...(assets ? ["with-assets"] : []), `${entry}-${process.pid}.mjs`)
  if (assets) linkAssets(folder)
  await build({
    absWorkingDir: root,
    entryPoints: [join("test", "support", `${entry}.ts`)],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    external: ["better-sqlite3", "sqlite-vec"],
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"\nconst require = __createRequire(import.meta.url)'
    },
    logLevel: "warning"
  })
  return { file, remove: () => rmSync(file, { force: true }) }
}

/** Sources look for assets in the folder above their own. The link is relative: it stays right in a copy. */
const linkAssets = (folder: string) => {
  mkdirSync(folder, { recursive: true })
  try {
    symlinkSync(join("..", "..", "..", "assets"), join(folder, "assets"))
  } catch (cause) {
    if ((cause as { readonly code?: string }).code !== "EEXIST") throw cause
  }
}
