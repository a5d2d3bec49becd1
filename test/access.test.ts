import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "effect/FastCheck"
import { canUse } from "../layers/access/Caller.js"
import * as TokenFile from "../layers/access/TokenFile.js"
import { temporaryFolder } from "./support/engine.js"

const caller = (agents: string) => ({ agents, trust: "inner" as const, token: "t" })

describe("the pattern of a token", () => {
  it.each([
    ["coop", "coop", true],
    ["coop", "coop2", false],
    ["coop", "Coop", false],
    ["*", "anything", true],
    ["team-*", "team-a", true],
    ["team-*", "team-", true],
    ["team-*", "xteam-a", false],
    ["*-bot", "sales-bot", true],
    ["*-bot", "-bots", false],
    ["a*b*c", "a-b-c", true],
    ["a*b*c", "a-c-b", false],
    ["ab*ba", "aba", false],
    ["a.c", "abc", false],
    ["[ab]", "a", false],
    ["caf\u00e9", "cafe\u0301", true],
    ["*", "", true],
    ["", "coop", false]
  ])("%s and the name %s: %s", (pattern, name, permitted) => {
    expect(canUse(caller(pattern), name)).toBe(permitted)
  })

  it("permits nothing that is not a text", () => {
    for (const value of [["coop"], undefined, null, 1, {}]) expect(canUse(caller("*"), value as never)).toBe(false)
  })

  const letters = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 12 })
  const names = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 })
  it.prop("permits what the same regular expression permits", [letters, names], ([pattern, name]) => {
    const expected = new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(name)
    expect(canUse(caller(pattern), name)).toBe(expected)
  })
})

describe("the token file", () => {
  const made = Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const tokens = TokenFile.open(folder)
    return { file: join(folder, "tokens.jsonl"), folder, tokens }
  })
  const idOf = (checked: ReturnType<TokenFile.TokenFile["check"]>) => Either.getOrThrow(checked)?.id

  it.scoped("keeps digests only, is for its owner alone, and knows each token until it is revoked", () =>
    Effect.gen(function* () {
      const { file, folder, tokens } = yield* made
      expect(yield* tokens.list).toEqual([])
      expect(idOf(tokens.check("daybook_x"))).toBeUndefined()
      const first = yield* tokens.add({ agents: "coop", trust: "inner", name: "editor" })
      // Another process: it sees what the first one writes.
      const other = TokenFile.open(folder)
      const second = yield* other.add({ agents: "team-*", trust: "full" })
      expect(idOf(tokens.check(first.text))).toBe(first.token.id)
      expect(idOf(tokens.check(second.text))).toBe(second.token.id)
      expect(yield* tokens.list).toMatchObject([
        { agents: "coop", trust: "inner", name: "editor" },
        { agents: "team-*" }
      ])
      // The secret may have "_" in it.
      const secret = first.text.split("_").slice(2).join("_")
      expect(readFileSync(file, "utf8")).not.toContain(secret)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      for (const text of ["", first.token.id, secret, first.text.toUpperCase(), ` ${first.text}`, `${first.text}A`])
        expect(idOf(tokens.check(text)), text).toBeUndefined()
      expect(idOf(tokens.check(first.text.replace(first.token.id, second.token.id)))).toBeUndefined()
      yield* other.revoke(first.token.id)
      expect(idOf(tokens.check(first.text))).toBeUndefined()
      expect(tokens.isValid(first.token.id)).toBe(false)
      expect(idOf(tokens.check(second.text))).toBe(second.token.id)
      expect(yield* Effect.flip(tokens.revoke(first.token.id))).toMatchObject({ _tag: "TokenNotFound" })
    })
  )

  it.scoped.each([
    ["is open to others", (file: string) => chmodSync(file, 0o644), /chmod 600/],
    ["has a damaged line", (file: string) => appendFileSync(file, '{"revoke":"\n'), /line 3 is damaged/],
    [
      "is a folder",
      (file: string) => {
        rmSync(file)
        mkdirSync(file)
      },
      /is not a file/
    ]
  ] as const)("refuses to answer when it %s", ([, damage, problem]) =>
    Effect.gen(function* () {
      const { file, tokens } = yield* made
      const { text, token } = yield* tokens.add({ agents: "coop", trust: "inner" })
      damage(file)
      for (const error of [
        yield* Either.flip(tokens.check(text)),
        yield* Effect.flip(tokens.list),
        yield* Effect.flip(tokens.add({ agents: "coop", trust: "full" })),
        yield* Effect.flip(tokens.revoke(token.id))
      ])
        expect(error).toMatchObject({ _tag: "TokensUnavailable", message: expect.stringMatching(problem) })
      expect(tokens.isValid(token.id)).toBe(false)
    })
  )

  it.scoped("goes on after a last line that was cut at any byte, and counts a whole one", () =>
    Effect.gen(function* () {
      const { file, folder, tokens } = yield* made
      const first = yield* tokens.add({ agents: "coop", trust: "inner" })
      const before = readFileSync(file, "utf8")
      const revocation = `\n{"revoke":"${first.token.id}","revokedAt":5}`
      for (let length = 0; length <= revocation.length; length++) {
        writeFileSync(file, before + revocation.slice(0, length))
        const expected = length === revocation.length ? undefined : first.token.id
        const reopened = TokenFile.open(folder)
        expect(idOf(reopened.check(first.text)), `${length}`).toBe(expected)
        const second = yield* reopened.add({ agents: "coop", trust: "inner" })
        for (const reader of [reopened, TokenFile.open(folder)])
          expect([first, second].map(({ text }) => idOf(reader.check(text)))).toEqual([expected, second.token.id])
      }
    })
  )

  it.scoped.each([
    ["agent", { agents: "", trust: "full" as const }],
    ["agent", { agents: "a b", trust: "full" as const }],
    ["agent", { agents: "a".repeat(65), trust: "full" as const }],
    ["name", { agents: "a", trust: "full" as const, name: "a\nb" }],
    ["trust", { agents: "a", trust: "root" as never }]
  ] as const)("refuses a token with a wrong %s, and writes nothing", ([field, token]) =>
    Effect.gen(function* () {
      const { file, tokens } = yield* made
      expect(yield* Effect.flip(tokens.add(token))).toMatchObject({ _tag: "InvalidInput", field })
      expect(existsSync(file)).toBe(false)
    })
  )
})
