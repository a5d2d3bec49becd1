import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { InvalidPolicy } from "../src/model/errors.js"
import { decode, type PolicyValues } from "../src/ports/Policy.js"
import { readSetting } from "./settings.js"

/** `$DAYBOOK_DATA`, or `~/.local/share/daybook`. */
export const defaultFolder: Effect.Effect<string> = Effect.map(
  readSetting("DAYBOOK_DATA"),
  (folder) => folder ?? join(homedir(), ".local", "share", "daybook")
)

/**
 * Reads the policy of a data folder: the given file, else the file of `$DAYBOOK_POLICY`, else `policy.toml` or
 * `policy.json` in the folder, else the defaults.
 */
export const readPolicy = (folder: string, givenFile?: string): Effect.Effect<PolicyValues, InvalidPolicy> =>
  Effect.gen(function* () {
    const named = givenFile ?? (yield* readSetting("DAYBOOK_POLICY"))
    const file = named ?? ["policy.toml", "policy.json"].map((name) => join(folder, name)).find(existsSync)
    if (file === undefined) return yield* decode({})
    const refused = (problem: string) => new InvalidPolicy({ file, problems: [problem] })
    const text = yield* Effect.try({ try: () => readFileSync(file, "utf8"), catch: () => refused("cannot be read") })
    const json = file.endsWith(".json")
    // Loaded on demand: most folders have no policy.
    const parse = json ? JSON.parse : (yield* Effect.promise(() => import("smol-toml"))).parse
    const document = yield* Effect.try({
      try: (): unknown => parse(text),
      catch: (error) => {
        const { column, line } = error as { line?: number; column?: number }
        return refused(
          `is not ${json ? "JSON" : "TOML"}${line === undefined ? "" : `, in line ${line} at column ${column}`}`
        )
      }
    })
    return yield* Effect.mapError(decode(document), ({ problems }) => new InvalidPolicy({ file, problems }))
  })
