// Collects the licences of bundled packages.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/**
 * The text of THIRD-PARTY-LICENSES.txt: each package once, sorted by name, with its own licence file.
 * @param {string} root the checkout @param {ReadonlyArray<string>} files the bundled files, relative to `root`
 */
export const licencesOf = (root, files) => {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [])
  const licences = [...new Set(folders)].sort().map((folder) => licenceOf(join(root, folder)))
  return `The files of this folder contain these packages.\n\n${licences.join("\n")}`
}

/** @param {string} folder */
const licenceOf = (folder) => {
  const { license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? `Licence: ${license}\n` : readFileSync(join(folder, file), "utf8")
  return `${"-".repeat(80)}\n${name} ${version} (${license})\n\n${text.trimEnd()}\n`
}
