import { existsSync } from "node:fs"

/** The `assets` folder relative to this file: in the sources or a bundle, and in the built package. */
const folders = ["../assets/", "../../assets/"]

/** A file of the package's `assets` folder; undefined if it is missing. */
export const assetFile = (name: string): URL | undefined =>
  folders.map((folder) => new URL(folder + name, import.meta.url)).find((url) => existsSync(url))
