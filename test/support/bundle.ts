import { rmSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"

const root = join(import.meta.dirname, "..", "..")

/**
 * Bundles a program of this folder, so that it runs without the tools of the
 * tests. It lies below node_modules, where it finds the packages left out.
 */
export const bundle = async (entry: string) => {
  const file = join(root, "node_modules", ".cache", "daybook-test", `${entry}-${process.pid}.mjs`)
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
