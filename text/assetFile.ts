import { existsSync } from "node:fs"

/** Paths of the folder from the sources and from a bundle, and from the built package. */
const folders = ["../assets/", "../../assets/"]

/** A file of the package's `assets` folder; undefined if it is missing. */
export const assetFile = (name: string): URL | undefined =>
  folders.map((folder) => new URL(folder + name, import.meta.url)).find((url) => existsSync(url))
