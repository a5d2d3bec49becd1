import { fileURLToPath } from "node:url"

/** The full path of a file in the package. This source file is in `bin/` or, bundled, in `dist/`. */
const pathOf = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** The program and the plugin of this installation. */
export const installation = {
  program: pathOf("dist/daybook.mjs"),
  plugin: pathOf("plugin"),
  node: process.execPath
}
