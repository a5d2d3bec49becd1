import { appendFileSync, copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { exitCodes } from "../bin/exit.js"
import { answerOf, build, daybookIn, lines, newFolder, refusal, removeFolders } from "./support/cli.js"

beforeAll(build, 120_000)
afterAll(removeFolders)

const newDaybook = () => {
  const folder = newFolder()
  return { folder, daybook: daybookIn(folder) }
}

describe("the dry run of daybook erase", () => {
  it("lists every text that goes: turns, files, scratchpads and memories", async () => {
    const { daybook, folder } = newDaybook()
    const notes = join(folder, "notes.txt")
    writeFileSync(notes, "Hugo Lind rents berth 12")
    await daybook("add-turn", "monday", "Hugo Lind called about the rent", "--speaker", "Mira", "--no-extract")
    await daybook("add-file", notes)
    await daybook("scratchpad", "write", "monday", "call Hugo Lind back")
    await daybook("remember", "Hugo Lind pays in cash", "--narrative", "every May")
    const shown = await daybook("erase", "--person", "Hugo Lind", "--dry-run")
    expect(shown.stdout).toMatch(/turn\s+1\s+\S+\s+monday, Mira\s+mention\s+Hugo Lind called about the rent/)
    expect(shown.stdout).toMatch(/file\s+\d+\s+\S+\s+\S*notes\.txt\s+mention\s+Hugo Lind rents berth 12/)
    expect(shown.stdout).toMatch(/memory\s+\d+\s+\S+\s+title\s+mention\s+Hugo Lind pays in cash.*every May/)
    const { agents } = answerOf(await daybook("erase", "--person", "Hugo Lind", "--dry-run", "--json"))
    expect(agents[0].items.map(({ kind, text }: { kind: string; text: string }) => [kind, text])).toEqual(
      expect.arrayContaining([
        ["turns", "Hugo Lind called about the rent"],
        ["files", "Hugo Lind rents berth 12"],
        ["memories", "Hugo Lind pays in cash\nevery May"]
      ])
    )
    const erased = await daybook("erase", "--person", "Hugo Lind", "--yes", "--json")
    expect(erased.stdout).not.toContain("Hugo")
  })

  it("says why each text goes", async () => {
    const { daybook } = newDaybook()
    const { turn } = answerOf(await daybook("--json", "add-turn", "monday", "The rent rises in May", "--no-extract"))
    const made = answerOf(await daybook("--json", "remember", "Rent: more from May", "--from", `turn:${turn.id}`))
    const person = ["update-person", "Ann Oak", "favourite tea=oolong"]
    await daybook(...person)
    const whyOf = async (...args: ReadonlyArray<string>) => {
      const plan = answerOf(await daybook("erase", ...args, "--dry-run", "--json"))
      return plan.agents[0].items.map(({ text, why }: { text: string; why: string }) => [why, text])
    }
    expect(await whyOf("--session", "monday")).toEqual([
      ["selected", "The rent rises in May"],
      ["derived", "Rent: more from May"]
    ])
    expect(await whyOf("--source", `turn:${turn.id}`)).toContainEqual(["selected", "The rent rises in May"])
    expect(await whyOf(made.id)).toEqual([["selected", "Rent: more from May"]])
    // The facts of a card are in its text.
    expect(await whyOf("--person", "Ann Oak")).toEqual([["mention", expect.stringContaining("oolong")]])
    expect((await daybook("erase", "--person", "Ann Oak", "--dry-run")).stdout).toContain("oolong")
    const { why } = answerOf(await daybook("erase", "--everything", "--agent", "default", "--dry-run", "--json"))
      .agents[0].items[0]
    expect(why).toBe("selected")
  })

  it("says which fields of a memory name the person, and which files stay on the disk", async () => {
    const { daybook, folder } = newDaybook()
    const file = join(folder, "quokka.md")
    writeFileSync(file, "Quin Quokka eats leaves\n")
    await daybook("remember", "a boat for Quin", "--person", "Quin Quokka", "--tag", "quin-quokka")
    await daybook("add-file", file)
    const plan = await daybook("erase", "--person", "Quin Quokka", "--dry-run")
    expect(plan.stdout).toMatch(/memory +1 +[0-9a-z]{10} +tags, people +mention +a boat for Quin/)
    expect(plan.stdout).toContain(`delete these files from the disk yourself: ${file}`)
    const done = await daybook("erase", "--person", "Quin Quokka", "--yes")
    expect(done.stdout).toContain("files on the disk were not deleted")
  })

  it("lists what a whole agent holds", async () => {
    const { daybook } = newDaybook()
    await daybook("--agent", "otto", "remember", "quokka eats leaves")
    await daybook("--agent", "otto", "add-turn", "monday", "the quokka sleeps", "--no-extract")
    const plan = answerOf(await daybook("--agent", "otto", "erase", "--dry-run", "--json"))
    expect(plan).toMatchObject({ whole: ["otto"], agents: [{ agent: "otto", counts: { memories: 1, turns: 1 } }] })
    expect(plan.agents[0].items.map(({ text }: { text: string }) => text)).toEqual([
      "quokka eats leaves",
      "the quokka sleeps"
    ])
  })

  it("shows the columns that lose the name, and those that keep it", async () => {
    const { daybook } = newDaybook()
    await daybook("--agent", "lena", "--actor", "Lena Marwick", "remember", "the kettle is new")
    const plan = await daybook("erase", "--person", "Lena", "--dry-run")
    expect(plan.stdout).toContain("lena: 1 name (1 event)")
    expect(plan.stdout).toMatch(/name +1 +[0-9a-z]{10} +actor +mention +Lena Marwick/)
    expect(plan.stdout).toContain(
      "the name remains in 2 events of lena (column agent): only erasing the whole agent removes it, with 'daybook erase --agent lena'"
    )
    const { leftovers } = answerOf(await daybook("erase", "--person", "Lena", "--yes", "--json"))
    expect(leftovers).toEqual([{ agent: "lena", column: "agent", events: 2 }])
  })
})

describe("the call of daybook erase", () => {
  it("takes several persons, and refuses another option that is passed twice", async () => {
    const { daybook } = newDaybook()
    await daybook("remember", "Hugo Lind likes tea")
    await daybook("remember", "Vera Lind likes coffee")
    const erase = (...args: ReadonlyArray<string>) => daybook("erase", ...args)
    const { agents } = answerOf(await erase("--person", "Hugo Lind", "--person", "Vera Lind", "--yes", "--json"))
    expect(agents[0].counts.memories).toBe(2)
    expect(refusal(await erase("--session", "a", "--session", "b", "--yes"))).toEqual({
      code: exitCodes.badCall,
      line: "daybook: --session was passed twice: pass it once"
    })
    expect((await daybook("erase", "--agent", "a", "--agent", "b", "--yes")).code).toBe(exitCodes.badCall)
    expect((await daybook("--agent", "a", "erase", "--agent", "b", "--yes")).code).toBe(exitCodes.badCall)
  })

  it("refuses options that it would ignore", async () => {
    const { daybook } = newDaybook()
    await daybook("remember", "tea")
    const codeOf = async (...args: ReadonlyArray<string>) => (await daybook("erase", ...args)).code
    expect(await codeOf("--verify", "text", "--dry-run")).toBe(exitCodes.badCall)
    expect(await codeOf("--person", "X", "--verify", "X")).toBe(exitCodes.badCall)
    expect(await codeOf("--list", "--person", "X")).toBe(exitCodes.badCall)
    expect(await codeOf("--person", "X", "--whole-words", "--yes")).toBe(exitCodes.badCall)
  })

  it("repeats in a refusal what nothing matches", async () => {
    const { daybook } = newDaybook()
    await daybook("remember", "tea")
    const lineOf = async (...args: ReadonlyArray<string>) => refusal(await daybook("erase", ...args, "--yes")).line
    expect(await lineOf("--person", "Nora Blom")).toContain(
      "no agent has data with the name Nora Blom: check the spelling, and whether the data was erased before"
    )
    expect(await lineOf("--session", "tuesday")).toContain("agent default has no data with the session tuesday")
    expect(await lineOf("--source", "file:tides.md")).toContain("the source file:tides.md")
    expect(await lineOf("zzzzzzzzzz")).toContain("agent default has no data with the id zzzzzzzzzz")
    const missing = await daybook("--agent", "defualt", "erase", "--everything", "--yes")
    expect(missing.stderr).toContain("did you mean default?")
  })

  it("empties the paths of an import whose source is erased, and import explains its refusal", async () => {
    const { daybook, folder } = newDaybook()
    const file = join(folder, "people.md")
    writeFileSync(file, "- Jonas keeps bees\n")
    await daybook("import", file)
    const plan = await daybook("erase", "--source", "import:people.md", "--dry-run")
    expect(plan.stdout).toContain("1 memory")
    expect(plan.stdout).not.toContain("may contain the same text")
    expect((await daybook("erase", "--source", "import:people.md", "--yes")).code).toBe(0)
    expect((await daybook("log", "--json")).stdout).not.toContain("people.md")
    expect((await daybook("import", file)).stderr).toContain("was erased: to store this item again, change the text")
  })
})

describe("the list of erasures", () => {
  it("has those of erased agents, without a name", async () => {
    const { daybook } = newDaybook()
    const { id } = answerOf(await daybook("--agent", "otto", "remember", "quokka eats leaves", "--json"))
    await daybook("--agent", "otto", "erase", id, "--yes")
    await daybook("--agent", "otto", "erase", "--everything", "--reason", "legal", "--yes")
    const listed = await daybook("erase", "--list")
    expect(lines(listed.stdout)).toHaveLength(3)
    expect(listed.stdout).toMatch(/\(erased\)\s+memory\s+request/)
    expect(listed.stdout).toMatch(/\(erased\)\s+agent\s+legal\s+\d+/)
    expect(listed.stdout).not.toContain("otto")
    expect(answerOf(await daybook("--agent", "otto", "erase", "--list", "--json"))).toMatchObject([
      { agent: null, selector: "agent", events: expect.any(Number) }
    ])
    expect(answerOf(await daybook("--agent", "ott", "erase", "--list", "--json"))).toEqual([])
  })

  it("has the time of an erasure that a restored copy repeats", async () => {
    const { daybook, folder } = newDaybook()
    const { id } = answerOf(await daybook("remember", "Anna lives in Perth", "--json"))
    const file = join(newFolder(), "daybook.backup")
    await daybook("backup", file)
    await daybook("erase", id, "--yes")
    const [{ at }] = answerOf(await daybook("erase", "--list", "--json"))
    const restored = await daybook("restore", file, "--replace")
    expect(restored.stdout).toMatch(/erased again\s+1 erasure/)
    expect(restored.stderr).toBe("")
    expect(answerOf(await daybookIn(folder)("erase", "--list", "--json"))).toMatchObject([
      { at, actor: "ledger", repeatedAt: expect.any(String) }
    ])
  })
})

describe("daybook erase --verify", () => {
  it("names the event, its column, and whether that stays", async () => {
    const { daybook } = newDaybook()
    await daybook("--actor", "Lena Marwick", "remember", "tea is served at four")
    await daybook("--agent", "otto", "remember", "the kettle is new")
    const { hits } = answerOf({ ...(await daybook("erase", "--verify", "Lena Marwick", "--json")), code: 0 })
    expect(hits).toContainEqual({
      ...{ text: 0, file: "log.db", place: "events, default version 1 (ADD), column actor" }
    })
    const { hits: kept } = answerOf({ ...(await daybook("erase", "--verify", "otto", "--json")), code: 0 })
    expect(kept).toContainEqual({
      ...{ text: 0, file: "log.db", place: "events, sequence 3 (ADD), column stream", stays: true }
    })
    const tea = answerOf({ ...(await daybook("erase", "--verify", "served at four", "--json")), code: 0 }).hits
    expect(tea).toContainEqual({ text: 0, file: "log.db", place: "events, default version 1 (ADD), column payload" })
    const field = answerOf({ ...(await daybook("erase", "--verify", "lineage", "importance", "--json")), code: 0 }).hits
    expect(field.map(({ place }: { place: string }) => place)).toContain(
      "events, default version 1 (ADD), column payload, name of a field"
    )
  })

  it("finds with --whole-words a text only where it stands alone", async () => {
    const { daybook, folder } = newDaybook()
    await daybook("remember", "Lena Marwicker repairs engines")
    expect((await daybook("erase", "--verify", "Lena Marwick")).code).toBe(exitCodes.refused)
    expect((await daybook("erase", "--verify", "--whole-words", "Lena Marwick")).code).toBe(0)
    expect((await daybook("erase", "--verify", "--whole-words", "Lena Marwicker")).code).toBe(exitCodes.refused)
    const file = join(folder, "export.jsonl")
    writeFileSync(file, '{"text":"Lena Marwickers"}\n')
    expect((await daybook("erase", "--verify", "--whole-words", "Lena Marwick")).code).toBe(0)
    appendFileSync(file, '{"text":"call\\nLena Marwick"}\n')
    expect((await daybook("erase", "--verify", "--whole-words", "Lena Marwick")).code).toBe(exitCodes.refused)
  })

  it("searches a backup or a folder, and does not take a path for a text", async () => {
    const { daybook } = newDaybook()
    await daybook("remember", "Anna lives at 44 Dunlin Road")
    const folder = join(newFolder(), "backups")
    mkdirSync(folder)
    const file = join(folder, "old.backup")
    await daybook("backup", file)
    await daybook("erase", "--person", "Anna", "--yes")
    expect((await daybook("erase", "--verify", "44 Dunlin Road")).code).toBe(0)
    expect(refusal(await daybook("erase", "--verify", "44 Dunlin Road", file)).code).toBe(exitCodes.badCall)
    const found = await daybook("erase", "--verify", "44 Dunlin Road", "--in", file)
    expect(found.code).toBe(exitCodes.refused)
    expect(found.stdout).toContain("events, default version 1 (ADD), column payload")
    expect((await daybook("erase", "--verify", "44 Dunlin Road", "--in", folder)).stdout).toContain("old.backup")
    expect((await daybook("erase", "--verify", "text", "--in", join(folder, "missing"))).code).toBe(exitCodes.badCall)
    const restored = await daybookIn(join(newFolder(), "new"))("restore", file)
    expect(restored.stderr).toContain("daybook: warning: the folder had no erasures.log")
  })
})

describe("what cannot be searched", () => {
  it("is named, and is no proof", async () => {
    const { daybook } = newDaybook()
    await daybook("remember", "gulls sleep on one leg")
    const folder = newFolder()
    const verify = () => daybook("erase", "--verify", "44 Dunlin Road", "--in", folder)
    expect(refusal(await verify()).line).toContain("contains no files: nothing was searched")
    // A gzip file is known by its first bytes, not by its name; a link leads to its file.
    writeFileSync(join(folder, "a.tgz"), gzipSync("Anna lives at 44 Dunlin Road"))
    expect((await verify()).stdout).toContain("unpacked content")
    rmSync(join(folder, "a.tgz"))
    const outside = join(newFolder(), "notes.txt")
    writeFileSync(outside, "Anna lives at 44 Dunlin Road")
    symlinkSync(outside, join(folder, "link"))
    expect((await verify()).stdout).toMatch(/44 Dunlin Road +link/)
    rmSync(join(folder, "link"))
    writeFileSync(join(folder, "b.zip"), "PK\u0003\u0004 and so on")
    writeFileSync(join(folder, "c.gz"), gzipSync("Anna").subarray(0, 12))
    const packed = await verify()
    expect(packed.stdout).toContain("not searched, because the file is packed or damaged: b.zip")
    expect(packed.stdout).toContain("c.gz")
    expect(refusal(packed)).toMatchObject({ code: exitCodes.refused })
    expect(refusal(packed).line).toContain("2 files not searched")
  })

  it("a ledger of another log is refused and stays, and a restore says until when its own one reaches", async () => {
    const [{ daybook, folder }, other] = [newDaybook(), newDaybook()]
    const backups = newFolder()
    for (const one of [daybook, other.daybook]) {
      await one("remember", "Anna lives at 44 Dunlin Road")
      await one("backup", join(backups, one === daybook ? "a.backup" : "b.backup"))
      await one("erase", "--person", "Anna", "--yes")
    }
    const target = newFolder()
    const ledger = join(target, "erasures.log")
    copyFileSync(join(other.folder, "erasures.log"), ledger)
    const before = readFileSync(ledger)
    const refused = refusal(await daybookIn(target)("restore", join(backups, "a.backup")))
    expect(refused.line).toContain("is the ledger of erasures of another log")
    expect(readFileSync(ledger)).toEqual(before)
    copyFileSync(join(folder, "erasures.log"), ledger)
    const restored = await daybookIn(target)("restore", join(backups, "a.backup"))
    expect(restored.stdout).toMatch(/erased again +1 erasure/)
    expect(restored.stdout).toMatch(/last erasure +\d{4}-/)
  })
})

describe("after an erasure", () => {
  it("undo says that an erasure cannot be undone, and log describes what remains", async () => {
    const { daybook } = newDaybook()
    await daybook("remember", "Anna lives in Perth")
    await daybook("remember", "gulls sleep on one leg")
    await daybook("scratchpad", "write", "monday", "call Anna", "buy tea")
    await daybook("erase", "--person", "Anna", "--yes")
    const events = answerOf(await daybook("log", "--json"))
    const { version } = events.find(({ type }: { type: string }) => type === "ERASE")
    const { line } = refusal(await daybook("undo", "--event", String(version)))
    expect(line).toContain("the event records an erasure, which cannot be undone")
    const shown = await daybook("log")
    expect(shown.stdout).toMatch(/REMAINS .* of version \d+, without what was erased/)
    expect(shown.stdout).not.toMatch(/REMAINS .*\{/)
  })
})
