import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { catalogue, type DaybookEvent, type EventType } from "../events/catalogue.js"
import { openDatabase } from "../events/driver.js"
import { projections } from "../projections/all.js"
import { heldItemsOf } from "../src/erasure/plan/heldItems.js"
import { removalOf } from "../src/erasure/plan/removalOf.js"
import { type Subjects, selectedSubjects } from "../src/erasure/plan/subjectSets.js"
import { root } from "./support/cli.js"
import { fresh } from "./support/engine.js"
import { tinyLayer } from "./support/extractor.js"

/**
 * Everything in which the product stores something, and how erasure, backup, the canaries of the erasure tests and undo
 * treat it. A new event, table or file fails here until it has its row. Of the rows of events, a test compares only the
 * column `erasure` with the code.
 */
interface Row {
  /** How an erasure removes content: the event whole or in parts, by building again, by key, or that there is none. */
  readonly erasure: "whole" | "parts" | "rebuilt" | "by key" | "removed" | "no content" | "never"
  /** Whether a backup has it. */
  readonly backup: "copied" | "rebuilt" | "left out"
  /** Whether canaries are put there before an erasure; a reason where not. */
  readonly canaries: "yes" | `no: ${string}`
  readonly undo: "compensated" | "follows" | "never"
}

const memory: Row = { erasure: "parts", backup: "copied", canaries: "yes", undo: "compensated" }
const text: Row = { erasure: "whole", backup: "copied", canaries: "yes", undo: "never" }
const fact: Row = { erasure: "no content", backup: "copied", canaries: "no: has no text of a person", undo: "never" }

const eventRows = {
  ADD: memory,
  UPDATE: memory,
  DELETE: memory,
  COMPRESS: memory,
  ARCHIVE: memory,
  EMBED: { erasure: "parts", backup: "copied", canaries: "yes", undo: "follows" },
  EMBEDDER: fact,
  IMPORT: { erasure: "parts", backup: "copied", canaries: "no: only paths", undo: "never" },
  TURN: text,
  EXTRACT: { erasure: "parts", backup: "copied", canaries: "yes", undo: "never" },
  FILE: text,
  FORGET: { erasure: "whole", backup: "copied", canaries: "no: only keys and paths", undo: "never" },
  SUMMARIZE: { ...text, undo: "compensated" },
  ROLL: { ...text, undo: "compensated" },
  SCRATCHPAD: { erasure: "parts", backup: "copied", canaries: "yes", undo: "compensated" },
  RECALL: { erasure: "parts", backup: "copied", canaries: "yes", undo: "never" },
  CONFIGURE: { ...fact, canaries: "no: settings of the operator" },
  CLOCK: fact,
  RUN: {
    erasure: "parts",
    backup: "copied",
    canaries: "no: the outputs of handlers, test/erasureAnswers.test.ts",
    undo: "never"
  },
  SCHEDULE: text,
  ERASE: { ...fact, erasure: "never" },
  REMAINS: { erasure: "whole", backup: "copied", canaries: "yes", undo: "never" },
  ACCEPT: fact
} as const satisfies Record<EventType, Row>

/** Types whose removal an erasure does not list in a dry run, and why. */
const unlisted: Partial<Record<EventType, string>> = {
  EMBED: "has vectors only",
  EXTRACT: "quotes turns, which are listed",
  FORGET: "names content that is listed",
  IMPORT: "has paths only"
}

/** A set that has every value. */
class Everything extends Set<never> {
  override has() {
    return true
  }
}

/** The subjects of an erasure that concerns every memory, turn, file, session and schedule, and names everybody. */
const everything: Subjects = {
  ...(Object.fromEntries(
    Object.entries(selectedSubjects({ kind: "person", persons: ["Zoë"] })).map(([name, part]) => [
      name,
      part instanceof Set ? new Everything() : part
    ])
  ) as unknown as Subjects),
  mentions: () => true
}

/** The sample of the newest schema of a type. */
const sampleOf = (type: EventType): DaybookEvent => {
  const file = join(import.meta.dirname, "fixtures", "events", `${type}.v${catalogue[type].version}.json`)
  return { version: 7, type, payload: JSON.parse(readFileSync(file, "utf8")) } as DaybookEvent
}

const view: Row = { erasure: "rebuilt", backup: "rebuilt", canaries: "yes", undo: "follows" }

const logTables: Readonly<Record<string, Row>> = {
  events: { erasure: "parts", backup: "copied", canaries: "yes", undo: "never" },
  embeddings: { erasure: "by key", backup: "copied", canaries: "yes", undo: "never" },
  newest: { erasure: "no content", backup: "copied", canaries: "no: only versions and ids", undo: "follows" },
  timers: { erasure: "removed", backup: "copied", canaries: "yes", undo: "follows" },
  installation: fact,
  anchor_reference: fact,
  ledger_reference: fact,
  cleanings: { ...fact, erasure: "removed" },
  remains: { erasure: "no content", backup: "copied", canaries: "no: only versions", undo: "follows" },
  effect_sql_migrations: fact,
  sqlite_sequence: fact
}

/** Files within the folders above, and files of models, which are no part of a data folder. */
const inner: ReadonlySet<string> = new Set([
  ...["current", "branch.db", "onnx", "config.json", "tokenizer.json", "2_Dense"]
])

/** The tables of a view that belong to no projection. They hold positions, names and reasons, no content. */
const ownTables: ReadonlyArray<string> = ["projections", "sqlite_sequence", "view"]

/** By the first folder or the name of a file. */
const fileRows: Readonly<Record<string, Row>> = {
  "log.db": { erasure: "parts", backup: "copied", canaries: "yes", undo: "never" },
  "log.db-wal": { erasure: "removed", backup: "left out", canaries: "yes", undo: "never" },
  "log.db-shm": { ...fact, backup: "left out" },
  "anchor.log": { ...fact, erasure: "removed" },
  "erasures.log": fact,
  views: view,
  cache: { ...view, undo: "never" },
  "policy.toml": { ...fact, backup: "left out", canaries: "no: settings of the operator" },
  "policy.json": { ...fact, backup: "left out", canaries: "no: settings of the operator" },
  "tokens.jsonl": { ...fact, backup: "left out", canaries: "no: names of clients" },
  "missed-prompts.log": { ...fact, erasure: "removed", backup: "left out" }
}

describe("the table of stored content", () => {
  it("has a row for each type of event", () => {
    expect(Object.keys(eventRows).sort()).toEqual(Object.keys(catalogue).sort())
  })

  it("says which types lose content in an erasure, and lists their texts in a dry run", () => {
    const selection = { kind: "person", persons: ["Zoë"] } as const
    const removing = { subjects: everything, isRequestErased: () => false, remade: new Map(), lostDigests: new Set("") }
    for (const [type, { erasure }] of Object.entries(eventRows) as ReadonlyArray<[EventType, Row]>) {
      // REMAINS is removed with the event that it stands for.
      if (type === "REMAINS") continue
      const event = sampleOf(type)
      const removal = removalOf(event, removing)
      expect(removal !== undefined, `${type} in removalOf.ts`).toBe(erasure === "whole" || erasure === "parts")
      if (removal === undefined) continue
      const texts = heldItemsOf(event, removal, { selection, subjects: everything }).filter(({ text }) => text !== "")
      expect(texts.length > 0, `${type} in heldItems.ts`).toBe(unlisted[type] === undefined)
    }
  })

  it.scoped("has a row for each table of the log and each file of a data folder", () =>
    Effect.gen(function* () {
      const { daybook, folder } = yield* fresh({ policy: { recall: { log: true } }, extractor: tinyLayer })
      const memories = yield* daybook.agent("ada", { trust: "full", record: true })
      const { id } = yield* memories.remember({ title: "quokka lives in Perth" })
      yield* memories.sessions.append({ session: "monday", role: "user", text: "I like tea." })
      yield* memories.search({ text: "quokka" })
      yield* daybook.flush("ada")
      yield* daybook.backfill("ada")
      yield* (yield* daybook.agent("ada", { trust: "full", asOf: { version: 1 } })).list()
      yield* daybook.erase({ agent: "ada", ids: [id] })
      yield* memories.remember({ title: "gulls sleep on one leg" })
      yield* (yield* daybook.agent("ada", { trust: "full", asOf: { version: 2 } })).list()
      const db = openDatabase(join(folder, "log.db"), { readonly: true })
      const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as Array<string>
      db.close()
      expect(tables.filter((name) => logTables[name] === undefined)).toEqual([])
      expect(Object.keys(logTables).filter((name) => !tables.includes(name))).toEqual([])
      expect(readdirSync(folder).filter((name) => fileRows[name] === undefined)).toEqual([])
    })
  )

  it("has a row for each file that the source names in a data folder", () => {
    const named = ["events", "projections", "src", "layers", "bin"].flatMap((floor) =>
      readdirSync(join(root, floor), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .flatMap((name) => [
          ...readFileSync(join(root, floor, name), "utf8").matchAll(/join\((?:\w+\.)*folder, "([^"]+)"/g)
        ])
        .map((match) => match[1]!)
    )
    expect(new Set(named).size).toBeGreaterThan(5)
    expect([...new Set(named)].filter((name) => fileRows[name] === undefined && !inner.has(name))).toEqual([])
  })

  it.scoped("has no table in a view but those of projections, which an erasure builds again", () =>
    Effect.gen(function* () {
      const { daybook, folder } = yield* fresh()
      yield* (yield* daybook.agent("ada", { trust: "full" })).remember({ title: "quokka lives in Perth" })
      yield* daybook.backfill("ada")
      const file = readdirSync(join(folder, "views", "ada")).find((name) => name.endsWith(".db"))!
      const db = openDatabase(join(folder, "views", "ada", file), { readonly: true })
      const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as Array<string>
      db.close()
      const known = projections.flatMap(({ tables }) =>
        [...tables.matchAll(/CREATE (?:VIRTUAL )?TABLE (?:IF NOT EXISTS )?(\w+)/g)].map((match) => match[1]!)
      )
      // Each index of vectors has tables of its own, numbered.
      const isKnown = (name: string) =>
        /^vectors_\d/.test(name) || known.some((table) => name === table || name.startsWith(`${table}_`))
      expect(tables.filter((name) => !isKnown(name)).sort()).toEqual(ownTables)
    })
  )
})
