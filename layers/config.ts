import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { parse as parseToml } from "smol-toml"
import { InvalidPolicy } from "../src/errors.js"
import { decode, type PolicyValues } from "../src/Policy.js"

/** `$DAYBOOK_DATA`, or `~/.local/share/daybook`. */
export const defaultFolder = (environment: NodeJS.ProcessEnv = process.env): string =>
  environment.DAYBOOK_DATA || join(homedir(), ".local", "share", "daybook")

/**
 * The policy of a data folder: the file that `$DAYBOOK_POLICY` names, else
 * `policy.toml` or `policy.json` in the folder, else the defaults.
 */
export const readPolicy = (
  folder: string,
  environment: NodeJS.ProcessEnv = process.env
): Effect.Effect<PolicyValues, InvalidPolicy> =>
  Effect.gen(function* () {
    const named = environment.DAYBOOK_POLICY
    const file = named || ["policy.toml", "policy.json"].map((name) => join(folder, name)).find(existsSync)
    if (file === undefined) return yield* decode({})
    const document = yield* Effect.try({
      try: (): unknown => {
        const text = readFileSync(file, "utf8")
        return file.endsWith(".json") ? JSON.parse(text) : parseToml(text)
      },
      catch: () =>
        new InvalidPolicy({ problems: [`${file} cannot be read as ${file.endsWith(".json") ? "JSON" : "TOML"}`] })
    })
    return yield* decode(document)
  })
