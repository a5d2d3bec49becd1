import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import type { File } from "../events/File.js"
import { conversation } from "../projections/conversation.js"
import { hasFile, piecesOf } from "../projections/files.js"
import { mediaOf } from "../src/conversation/fileInput.js"
import { listFiles, readTextFile } from "../src/import/textFiles.js"
import type { MemoryReader } from "../src/Memory.js"
import { limits } from "../src/model/limits.js"
import { bounds } from "../text/normalise/bounds.js"
import { cutIntoChunks } from "../text/normalise/chunks.js"
import { fresh, temporaryFolder } from "./support/engine.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"
import { lawRuns } from "./support/size.js"

const agent = "ada"
const start = Date.parse("2026-03-14T06:00:00Z")

const prepared = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const { daybook } = yield* fresh()
  return { daybook, memory: yield* daybook.agent(agent, { trust: "full" }) }
})

const placesOf = (memory: MemoryReader, text: string) =>
  Effect.map(memory.sessions.search({ text, limit: 20 }), (hits) =>
    hits.map((hit) => (hit.kind === "file" ? `${hit.file.path}:${hit.file.line}` : `${hit.session} ${hit.sequence}`))
  )

const filler = (lines: number, from = 0) =>
  Array.from({ length: lines }, (_, at) => `line ${from + at} says nothing of it`).join("\n")

describe("a file", () => {
  it.scoped("is found together with turns: by words, path and headings, with line numbers", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const text = `# Emden\n\n${filler(60)}\n\n## Pilots\n\n${filler(20, 60)}\nthe zebra calls at noon\n${filler(30, 80)}\n`
      const zebra = text.split("\n").findIndex((line) => line.includes("zebra")) + 1
      const added = yield* memory.files.add({ path: "docs/harbour.md", text, at: "2023-05-08" })
      expect(added).toMatchObject({ outcome: "added", path: "docs/harbour.md", store: "private", repeated: false })
      yield* memory.sessions.append({ session: "s", text: "the zebra was late" })
      for (const embedded of [false, true]) {
        if (embedded) expect(yield* daybook.backfill(agent)).toMatchObject({ remaining: 0 })
        const hits = yield* memory.sessions.search({ text: "zebra" })
        expect(hits.map(({ kind }) => kind).sort()).toEqual(["file", "turn"])
        const hit = hits.find(({ kind }) => kind === "file")!
        const { line, lineEnd, media, path } = hit.file!
        expect([path, media, hit.session]).toEqual(["docs/harbour.md", "markdown", null])
        expect(
          text
            .split("\n")
            .slice(line - 1, lineEnd)
            .join("\n")
        ).toContain(hit.text.trimEnd())
        expect(line).toBeLessThanOrEqual(zebra)
        expect(lineEnd).toBeGreaterThanOrEqual(zebra)
        expect(lineEnd - line).toBeLessThan(40)
      }
      // The heading stands far above the words; one of a file is enough.
      expect(yield* placesOf(memory, "+pilots +noon")).toHaveLength(1)
      expect(yield* placesOf(memory, "harbour")).toHaveLength(1)
      expect((yield* placesOf(memory, "line 3 says May 2023"))[0]).toMatch(/^docs/)
      const kinds = (kind: "turn" | "file") => memory.sessions.search({ text: "zebra", kinds: [kind] })
      expect((yield* kinds("turn")).map(({ kind }) => kind)).toEqual(["turn"])
      expect((yield* kinds("file")).map(({ kind }) => kind)).toEqual(["file"])
      expect(yield* memory.sessions.search({ text: "zebra", roles: ["user"] })).toHaveLength(1)
      expect(yield* memory.files.list()).toMatchObject([
        { path: "docs/harbour.md", media: "markdown", characters: text.length, lines: 116, session: null }
      ])
      expect((yield* daybook.stats(agent)).conversation).toMatchObject({ files: 1, turns: 1 })
    })
  )

  it.scoped("writes nothing if unchanged; other text replaces the old one within its store", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const first = yield* memory.files.add({ path: "a.md", text: "the green kettle", store: "shared" })
      yield* daybook.backfill(agent)
      const { version } = yield* daybook.stats(agent)
      const again = yield* memory.files.add({
        path: "a.md",
        text: "the green kettle",
        store: "shared",
        at: "2020-01-01"
      })
      expect(again).toEqual({ outcome: "unchanged", id: first.id, path: "a.md", store: "shared", repeated: false })
      expect((yield* daybook.stats(agent)).version).toBe(version)
      // In another store it is another file.
      expect(yield* memory.files.add({ path: "a.md", text: "the green kettle" })).toMatchObject({ outcome: "added" })
      yield* daybook.backfill(agent)
      const then = (yield* daybook.stats(agent)).version
      const second = yield* memory.files.add(
        { path: "a.md", text: "a blue teapot", store: "shared" },
        { commandId: "c" }
      )
      expect(second).toMatchObject({ outcome: "updated", id: first.id })
      const twice = yield* memory.files.add(
        { path: "a.md", text: "a blue teapot", store: "shared" },
        { commandId: "c" }
      )
      expect(twice).toEqual({ ...second, repeated: true })
      const inner = yield* daybook.agent(agent, { trust: "inner" })
      for (const embedded of [false, true]) {
        if (embedded) yield* daybook.backfill(agent)
        expect(yield* placesOf(inner, "kettle")).toEqual([])
        expect(yield* placesOf(inner, "teapot")).toEqual(["a.md:1"])
        expect(yield* placesOf(memory, "kettle")).toEqual(["a.md:1"])
      }
      const { conversation } = yield* daybook.stats(agent)
      expect(conversation).toMatchObject({ files: 2, chunks: 2, embedded: 2 })
      const past = yield* daybook.agent(agent, { trust: "full", asOf: { version: then } })
      expect(yield* placesOf(past, "kettle")).toHaveLength(2)
      expect(yield* placesOf(past, "teapot")).toEqual([])
      // Emptied, it is still there and says nothing.
      expect(yield* memory.files.add({ path: "a.md", text: "" })).toMatchObject({ outcome: "updated" })
      expect(yield* placesOf(memory, "kettle")).toEqual([])
      expect(yield* memory.files.list()).toHaveLength(2)
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scoped("is forgotten with its session or alone, as far as the level may read it", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const inner = yield* daybook.agent(agent, { trust: "inner" })
      yield* inner.sessions.append({ session: "s", text: "a kettle", store: "shared" })
      yield* inner.files.add({ path: "a.md", text: "a kettle", session: "s", store: "shared" })
      yield* memory.files.add({ path: "b.md", text: "a kettle", session: "s" })
      yield* memory.files.add({ path: "c.md", text: "a kettle", session: "t" })
      yield* memory.files.add({ path: "d.md", text: "a kettle" })
      // New text without a session stays with the one that it had.
      yield* memory.files.add({ path: "b.md", text: "two kettles" })
      yield* daybook.backfill(agent)
      expect(yield* memory.sessions.list()).toMatchObject([{ session: "s", store: "shared", turns: 1, files: 1 }])
      const { version } = yield* daybook.stats(agent)
      expect(yield* inner.sessions.forget("s")).toEqual({
        outcome: "forgotten",
        session: "s",
        turns: 1,
        files: 1,
        repeated: false
      })
      expect((yield* placesOf(memory, "kettle")).sort()).toEqual(["b.md:1", "c.md:1", "d.md:1"])
      expect(yield* memory.sessions.forget("s")).toMatchObject({ turns: 0, files: 1, version: expect.any(Number) })
      expect((yield* Effect.flip(memory.sessions.forget("s")))._tag).toBe("SessionNotFound")
      expect(yield* memory.sessions.forget("t")).toMatchObject({ files: 1 })
      expect((yield* Effect.flip(inner.files.forget("d.md")))._tag).toBe("FileNotFound")
      expect(yield* memory.files.forget("d.md")).toMatchObject({ outcome: "forgotten", path: "d.md", files: 1 })
      expect((yield* Effect.flip(memory.files.forget("d.md")))._tag).toBe("FileNotFound")
      expect(yield* placesOf(memory, "kettle")).toEqual([])
      expect(yield* memory.files.list()).toEqual([])
      expect((yield* daybook.stats(agent)).conversation).toMatchObject({ chunks: 0, embedded: 0 })
      const past = yield* daybook.agent(agent, { trust: "full", asOf: { version } })
      expect((yield* placesOf(past, "kettle")).length).toBe(5)
      // What comes back is new.
      expect(yield* memory.files.add({ path: "d.md", text: "a kettle" })).toMatchObject({ outcome: "added" })
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scoped("changes its session only on request, and the answer says so", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const file = { path: "a.md", text: "a kettle" }
      expect(yield* memory.files.add({ ...file, session: "s" })).toMatchObject({ outcome: "added", session: "s" })
      const { version } = yield* daybook.stats(agent)
      expect(yield* memory.files.add(file)).toMatchObject({ outcome: "unchanged", session: "s" })
      expect(yield* memory.files.add({ ...file, session: "s", move: true })).toMatchObject({ outcome: "unchanged" })
      for (const text of ["a kettle", "two kettles"]) {
        const refused = yield* Effect.flip(memory.files.add({ path: "a.md", text, session: "t" }))
        expect(refused).toMatchObject({ _tag: "FileInSession", path: "a.md", session: "s" })
        expect(refused.message).not.toMatch(/\n/)
      }
      expect((yield* Effect.flip(memory.sessions.forget("t")))._tag).toBe("SessionNotFound")
      expect(yield* memory.files.list()).toMatchObject([{ path: "a.md", session: "s" }])
      const counted = (yield* daybook.stats(agent)).version
      yield* daybook.backfill(agent)
      expect(counted).toBe(version)
      const moved = yield* memory.files.add({ ...file, session: "t", move: true }, { commandId: "m" })
      expect(moved).toMatchObject({ outcome: "moved", from: "s", session: "t", repeated: false })
      const again = yield* memory.files.add({ ...file, session: "t", move: true }, { commandId: "m" })
      expect(again).toEqual({ ...moved, repeated: true })
      expect((yield* Effect.flip(memory.sessions.forget("s")))._tag).toBe("SessionNotFound")
      // A file of no session is taken in by the one that is named.
      yield* memory.files.add({ path: "b.md", text: "a pot" })
      expect(yield* memory.files.add({ path: "b.md", text: "a pot", session: "t" })).toMatchObject({
        outcome: "moved",
        from: null,
        session: "t"
      })
      expect(yield* memory.sessions.forget("t")).toMatchObject({ files: 2 })
      expect(yield* Effect.flip(memory.files.add({ path: "c.md", text: " \n" }))).toMatchObject({
        _tag: "InvalidInput",
        field: "text"
      })
    })
  )

  it.scoped("is never less restrictive than its session", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const inner = yield* daybook.agent(agent, { trust: "inner" })
      yield* memory.sessions.append({ session: "s", text: "hello" })
      expect(yield* memory.files.add({ path: "a.md", text: "a kettle", session: "s" })).toMatchObject({
        store: "private"
      })
      for (const store of ["shared", "social"] as const) {
        const refused = yield* Effect.flip(memory.files.add({ path: "a.md", text: "a kettle", session: "s", store }))
        expect(refused).toMatchObject({ _tag: "InvalidInput", field: "store" })
      }
      expect(yield* placesOf(inner, "kettle")).toEqual([])
      expect(yield* inner.files.list()).toEqual([])
      // Whom the private session is hidden from has one of its own under that key.
      expect(yield* inner.files.add({ path: "b.md", text: "a pot", session: "s" })).toMatchObject({ store: "shared" })
      expect(yield* inner.files.list()).toMatchObject([{ path: "b.md", session: "s" }])
    })
  )

  it.scoped("is refused by field if invalid, and nothing is written", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const refused = (file: object) =>
        Effect.map(
          Effect.flip(memory.files.add({ path: "a", text: "b", ...file })),
          (error) => (error as { field?: string }).field
        )
      expect(yield* refused({ path: "" })).toBe("path")
      expect(yield* refused({ path: "x".repeat(limits.file + 1) })).toBe("path")
      expect(yield* refused({ text: "x".repeat(limits.indexedFile + 1) })).toBe("text")
      expect(yield* refused({ text: "lone \ud800" })).toBe("text")
      expect(yield* refused({ text: "a\0b" })).toBe("text")
      expect(yield* refused({ media: "film" })).toBe("media")
      expect(yield* refused({ at: "yesterday" })).toBe("at")
      expect(yield* refused({ extra: 1 })).toBe("extra")
      expect((yield* Effect.flip(memory.files.forget("")))._tag).toBe("InvalidInput")
      expect((yield* daybook.stats(agent)).version).toBe(0)
      expect(yield* memory.files.add({ path: "a", text: "x ".repeat(limits.indexedFile / 2) })).toMatchObject({
        outcome: "added"
      })
    })
  )
})

describe("a file or a turn that is too long", () => {
  it.scoped("is indexed from its start, and the answer has the indexed length", () =>
    Effect.gen(function* () {
      const { memory } = yield* prepared
      const most = bounds.indexedBytes
      const text = `zebra\n${"x\n".repeat(most / 2)}\notter`
      const file = { path: "long.txt", text }
      expect(yield* memory.files.add(file)).toMatchObject({ outcome: "added", indexed: most })
      expect(yield* memory.files.add(file)).toMatchObject({ outcome: "unchanged" })
      expect(yield* memory.files.list()).toMatchObject([{ characters: text.length }])
      const said = text.replaceAll("x", "y")
      expect(yield* memory.sessions.append({ session: "s", text: said })).toMatchObject({
        turn: { sequence: 1, indexed: most }
      })
      expect((yield* memory.sessions.get("s"))[0]!.text).toBe(said)
      expect((yield* placesOf(memory, "zebra")).sort()).toEqual(["long.txt:1", "s 1"])
      expect(yield* placesOf(memory, "otter")).toEqual([])
      const whole = text.slice(0, most)
      expect(yield* memory.files.add({ path: "whole.txt", text: whole })).not.toHaveProperty("indexed")
      expect((yield* memory.sessions.append({ session: "s", text: whole })).turn).not.toHaveProperty("indexed")
    })
  )

  it.scoped("has the same limit for facts of a memory", () =>
    Effect.gen(function* () {
      const { memory } = yield* prepared
      const facts = Array.from({ length: 40 }, (_, index) => `${index} ${"x".repeat(1_900)}`)
      expect(yield* memory.remember({ title: "tea", facts })).toMatchObject({ partlyIndexed: true })
      expect(yield* memory.remember({ title: "tea", facts: facts.slice(0, 30) })).not.toHaveProperty("partlyIndexed")
      expect((yield* memory.search({ text: "tea" })).length).toBe(2)
    })
  )
})

describe("pieces of a file", () => {
  const lines = fc.array(
    fc.constantFrom("word ", "A sentence. ", "\n", "\r\n", "# Title\n", "東京。", "x".repeat(300), " "),
    {
      maxLength: 200
    }
  )

  it("have the right line numbers, and omit only blank lines", () => {
    fc.assert(
      fc.property(lines, (parts) => {
        const text = parts.join("")
        const file: File = {
          id: "x",
          path: "p.md",
          media: "markdown",
          digest: "",
          store: "private",
          text,
          tokens: 0,
          occurredAt: 0
        }
        const pieces = piecesOf(file)
        const rows = text.split("\n")
        for (const { line, lineEnd, part, text: piece } of pieces) {
          expect(cutIntoChunks(text)[part]!.text).toBe(piece)
          expect(rows.slice(line - 1, lineEnd).join("\n")).toContain(piece.replace(/\n$/, ""))
          expect(piece.replace(/\n$/, "").split("\n")).toHaveLength(lineEnd - line + 1)
        }
        expect(pieces.length).toBe(cutIntoChunks(text).filter((cut) => cut.text.trim() !== "").length)
      }),
      { numRuns: lawRuns({ quick: 50, full: 200 }) }
    )
  })

  it("are found by id without a scan", () => {
    const ran: Array<unknown> = []
    const db = new Database(":memory:", { verbose: (statement) => ran.push(statement) })
    db.exec(conversation.tables)
    db.exec(conversation.indexes!)
    expect(hasFile(db, "x")).toBe(false)
    expect(db.prepare(`EXPLAIN QUERY PLAN ${ran.at(-1)}`).all()).toMatchObject([
      { detail: expect.stringMatching(/^SEARCH files USING .*INDEX files_id/) }
    ])
    db.close()
  })

  it("get their kind of text from the file extension", () => {
    expect(["a.md", "b/C.TS", "x.json", "notes", "a.b/README", "z.txt"].map(mediaOf)).toEqual([
      "markdown",
      "code",
      "data",
      "text",
      "text",
      "text"
    ])
  })
})

describe("files of a folder", () => {
  it.scoped("include text, and exclude hidden, installed, binary, large and outside files", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const outside = yield* temporaryFolder
      const write = (path: string, content: string | Buffer) => {
        mkdirSync(join(folder, path, ".."), { recursive: true })
        writeFileSync(join(folder, path), content)
      }
      write("a.md", "\ufeffalpha")
      write("b/c.txt", "beta")
      write(".env", "secret")
      write(".git/config", "secret")
      write("node_modules/x/index.js", "x")
      write("picture.png", Buffer.from([137, 80, 0, 1]))
      write("latin.txt", Buffer.from([0xe4, 0x6e]))
      write("large.txt", "x".repeat(limits.indexedFile + 1))
      writeFileSync(join(outside, "o.md"), "outside")
      symlinkSync(join(outside, "o.md"), join(folder, "out.md"))
      symlinkSync(join(folder, "nowhere"), join(folder, "dead.md"))
      const { paths, refused } = listFiles(folder)
      const name = (path: string) => path.slice(folder.length + 1)
      expect(paths.map(name)).toEqual(["a.md", "b/c.txt", "large.txt", "latin.txt", "picture.png"])
      expect(refused.map(({ path, problem }) => [name(path), problem])).toEqual([
        ["dead.md", "is a broken link"],
        ["out.md", "is a link to a target outside the folder: add the target instead"]
      ])
      expect(paths.map((path) => readTextFile(path)).map((one) => ("problem" in one ? one.problem : one.text))).toEqual(
        [
          "alpha",
          "beta",
          `is larger than ${limits.indexedFile} bytes: split it into smaller files`,
          "is not UTF-8 text: convert it to UTF-8",
          "is not text"
        ]
      )
      expect(listFiles(join(folder, "missing")).refused).toMatchObject([{ problem: "does not exist" }])
    })
  )
})
