import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { InvalidPolicy } from "../src/model/errors.js"
import { decode, defaults, type PolicyValues } from "../src/ports/Policy.js"
import { readSetting } from "./settings.js"

/** The default data folder: `$DAYBOOK_DATA`, or `~/.local/share/daybook`. */
export const defaultFolder: Effect.Effect<string> = Effect.map(
  readSetting("DAYBOOK_DATA"),
  (folder) => folder ?? join(homedir(), ".local", "share", "daybook")
)

/** A policy file, and the files that are ignored because of it. */
export interface PolicyFile {
  /** The file in use; undefined for the defaults. */
  readonly file: string | undefined
  /** Files of the data folder that would be used without `file`. */
  readonly ignored: ReadonlyArray<string>
}

/**
 * Finds the policy of a data folder, in this order: the given file, the file of `$DAYBOOK_POLICY`, `policy.toml` or
 * `policy.json` in the folder. Without any of them, the defaults apply.
 */
export const findPolicyFile = Effect.fnUntraced(function* (
  folder: string,
  givenFile?: string
): Effect.fn.Return<PolicyFile> {
  if (givenFile !== undefined) return { file: givenFile, ignored: [] }
  const named = yield* readSetting("DAYBOOK_POLICY")
  const own = ["policy.toml", "policy.json"].map((name) => join(folder, name)).filter((file) => existsSync(file))
  const file = named ?? own[0]
  return { file, ignored: own.filter((other) => other !== file) }
})

/** The base of relative paths in the policy: the folder of the policy file, or the data folder if there is no file. */
export const policyFolder = (folder: string): Effect.Effect<string> =>
  Effect.map(findPolicyFile(folder), ({ file }) => (file === undefined ? folder : dirname(file)))

/** Reads the policy of a data folder from its file. Without a file, returns the defaults. */
export const readPolicy = Effect.fnUntraced(function* (
  folder: string,
  givenFile?: string
): Effect.fn.Return<PolicyValues, InvalidPolicy> {
  const { file } = yield* findPolicyFile(folder, givenFile)
  if (file === undefined) return defaults
  return yield* decodePolicy(file, yield* readPolicyDocument(file))
})

/** The path of the second copy of the ledger of erasures, which the policy sets in `[log] ledger`. */
export const ledgerCopyPath = (folder: string, { log }: PolicyValues): string | undefined =>
  log.ledger === undefined ? undefined : resolve(folder, log.ledger)

/** The same path, from the policy of a data folder. Undefined if the policy is unreadable: backups work without it. */
export const readLedgerCopyPath = (folder: string): Effect.Effect<string | undefined> =>
  Effect.match(readPolicy(folder), {
    onFailure: () => undefined,
    onSuccess: (values) => ledgerCopyPath(folder, values)
  })

/** Decodes a policy document. Errors name `file`. */
export const decodePolicy = (file: string | undefined, document: unknown): Effect.Effect<PolicyValues, InvalidPolicy> =>
  Effect.mapError(decode(document), ({ problems }) => new InvalidPolicy({ file, problems }))

/** Reads a policy file without decoding its settings. Without a file, returns an empty document. */
export const readPolicyDocument = Effect.fnUntraced(function* (
  file: string | undefined
): Effect.fn.Return<unknown, InvalidPolicy> {
  if (file === undefined) return {}
  const invalidPolicy = (problem: string) => new InvalidPolicy({ file, problems: [problem] })
  const text = yield* Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: () => invalidPolicy("cannot be read: check the path and the permissions")
  })
  const json = file.endsWith(".json")
  // Loaded on demand: most folders have no policy.
  const parse = json ? JSON.parse : (yield* Effect.promise(() => import("smol-toml"))).parse
  return yield* Effect.try({
    try: (): unknown => parse(text),
    catch: (error) => {
      const { column, line } = error as { line?: number; column?: number }
      return invalidPolicy(
        `is not valid ${json ? "JSON" : "TOML"}${line === undefined ? "" : `: see line ${line}, column ${column}`}`
      )
    }
  })
})
