import fs, { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import { withStaging } from "../src/backup/copyFiles.js"

/** Makes paths with this name impossible to remove, until the scope ends. */
const lock = (name: string) => {
  const { rmSync } = fs
  const replace = (remove: typeof fs.rmSync) =>
    Effect.sync(() => {
      fs.rmSync = remove
      syncBuiltinESMExports()
    })
  return Effect.acquireRelease(
    replace((path, options) => {
      if (String(path).includes(name)) throw Object.assign(new Error("locked"), { code: "EBUSY" })
      rmSync(path, options)
    }),
    () => replace(rmSync)
  )
}

const scratch = () => mkdtempSync(join(tmpdir(), "daybook-staging-"))

const logged = (messages: Array<string>) =>
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => void messages.push(String(message)))
  )

describe("a staging folder that cannot be removed", () => {
  it.scoped("is a warning that names it: the answer and the error of the copy stay", () =>
    Effect.gen(function* () {
      const parent = scratch()
      const messages: Array<string> = []
      yield* lock(".daybook-part-")
      const staged = (result: Effect.Effect<string, string>) =>
        Effect.provide(
          withStaging(parent, () => result),
          logged(messages)
        )
      expect(yield* staged(Effect.succeed("copied"))).toBe("copied")
      expect(yield* Effect.exit(staged(Effect.fail("refused")))).toEqual(Exit.fail("refused"))
      expect(readdirSync(parent)).toHaveLength(2)
      expect(messages).toHaveLength(2)
      for (const message of messages) expect(message).toMatch(/\.daybook-part-.*EBUSY/)
    })
  )

  it.scoped("of a killed process stops no later copy", () =>
    Effect.gen(function* () {
      const parent = scratch()
      const host = hostname().replace(/\W/g, "")
      // No process has this number.
      const [stuck, old] = ["a", "b"].map((end) => join(parent, `.daybook-part-${host}-4194399-${end}`))
      for (const path of [stuck!, old!]) {
        mkdirSync(path)
        writeFileSync(join(path, "log.db"), "half")
      }
      yield* lock("4194399-a")
      expect(yield* withStaging(parent, () => Effect.succeed("copied"))).toBe("copied")
      expect([existsSync(stuck!), existsSync(old!)]).toEqual([true, false])
    })
  )
})
