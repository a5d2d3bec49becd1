import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Layer from "effect/Layer"
import type { DaybookEvent } from "../events/catalogue.js"
import { opennessOf, readingLevels, stores } from "../events/Trust.js"
import * as Default from "../layers/Default.js"
import { makeDigest } from "../projections/Projection.js"
import { maxRecentWords, vocabulary } from "../projections/vocabulary.js"
import { findSimilarWords } from "../projections/vocabularyReads.js"
import { Daybook } from "../src/Daybook.js"
import type { Observation } from "../src/model/input.js"
import { spelledWord } from "../text/normalise/spelling.js"
import { newFolder, removeFolders } from "./support/cli.js"
import { fresh, temporaryFolder } from "./support/engine.js"
import { story, type Told } from "./support/events.js"
import { lawRuns } from "./support/size.js"

afterAll(removeFolders)

/** A vocabulary in a database of its own, and what applies events to it. */
const emptyVocabulary = (file = ":memory:") => {
  const opened = openVocabulary(file)
  opened.db.exec(vocabulary.tables + vocabulary.indexes)
  return opened
}

const openVocabulary = (file: string) => {
  const db = new Database(file)
  let version = 0
  const apply = (told: ReadonlyArray<Told>) => {
    for (const { payload, type } of told) {
      const event = { type, payload, version: ++version } as unknown as DaybookEvent
      vocabulary.apply(db, event, { vectorOf: () => undefined, opennessOf: ({ store }) => opennessOf(store) })
    }
  }
  const rewind = (to: number) => {
    version = to
  }
  const rows = () =>
    db
      .prepare(
        `SELECT word, openness FROM vocabulary
          UNION SELECT value, openness FROM vocabulary_recent, json_each(words) ORDER BY word, openness`
      )
      .raw()
      .all()
  return { db, apply, rows, rewind }
}

const letter = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz")
const wordOf = (minLength: number) => fc.array(letter, { minLength, maxLength: 14 }).map((letters) => letters.join(""))
/** Changes a word at a place: leaves a letter out, adds one, replaces one, or exchanges two neighbours. */
const edited = (word: string, place: number, kind: number, letter: string): string => {
  const [before, at, after] = [word.slice(0, place), word[place]!, word.slice(place + 1)]
  if (kind === 0) return before + after
  if (kind === 1) return before + letter + at + after
  if (kind === 2) return before + letter + after
  return before + (after[0] ?? "") + at + after.slice(1)
}
const kind = fc.integer({ min: 0, max: 3 })
/** More words than may be recent. */
const fillersOf = (number: number): ReadonlyArray<string> => {
  const lettersOf = (count: number) => count.toString(26).replace(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)]!)
  return Array.from({ length: maxRecentWords + 1 }, (_, index) => `жж${lettersOf(number)}k${lettersOf(index)}`)
}
const letter26 = (index: number) => String.fromCharCode(97 + index)
const digestOf = (db: Database.Database): string => {
  const digest = makeDigest()
  vocabulary.digest(db, digest)
  const steps = digest.hex()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe("similar words", () => {
  it.prop(
    "include every word within one edit, whichever letter it changes",
    [fc.uniqueArray(wordOf(4), { minLength: 1, maxLength: 40 }), place, kind, letter],
    ([words, place, kind, letter]) => {
      const { apply, db } = emptyVocabulary()
      apply([story().add("m", { facts: words, store: "shared" })])
      for (const word of words) {
        const typed = edited(word, Math.floor(place * word.length), kind, letter)
        if (typed.length < 4 || typed.length > 24) continue
        expect(findSimilarWords(db, "inner", typed).map(({ word }) => word)).toContain(word)
        expect(findSimilarWords(db, "familiar", typed)).toEqual([])
      }
    },
    { fastCheck: { numRuns: lawRuns({ quick: 60, full: 1_000 }) } }
  )

  it.prop(
    "include a longer word with two edits in its second half",
    [wordOf(10), place, place, kind, kind, letter],
    ([word, first, second, kind, otherKind, letter]) => {
      const { apply, db } = emptyVocabulary()
      apply([story().add("m", { title: word })])
      const inSecondHalf = (text: string, place: number) =>
        Math.min(text.length - 1, 5 + Math.floor(place * (text.length - 5)))
      const firstPlace = inSecondHalf(word, first)
      const once = edited(word, firstPlace, kind, letter)
      const secondPlace = inSecondHalf(once, second)
      const typed = edited(once, secondPlace, otherKind, letter)
      // An exchange around a letter that is added or left out makes three edits, because no letter is edited twice.
      const isAddedBetween = kind === 3 && otherKind === 1 && secondPlace === firstPlace + 1
      const isLeftOutBetween = kind === 0 && otherKind === 3 && secondPlace === firstPlace - 1
      if (typed.length < 8 || isAddedBetween || isLeftOutBetween) return
      expect(findSimilarWords(db, "full", typed).map(({ word }) => word)).toContain(word)
    },
    { fastCheck: { numRuns: lawRuns({ quick: 100, full: 2_000 }) } }
  )

  it("prefer usual errors, and words with the same first letter", () => {
    const { apply, db } = emptyVocabulary()
    apply([story().add("m", { facts: ["trial", "trails", "grail", "frail", "tail"] })])
    expect(findSimilarWords(db, "full", "trail").map(({ word }) => word)).toEqual([
      ...["trial", "tail", "trails"],
      ...["frail", "grail"]
    ])
  })

  it("are words of letters, in scripts with spaces", () => {
    expect(["Müller’s", "ÉCOLE,", "“Tórshavn”", "привет!"].map(spelledWord)).toEqual([
      ...["muller", "ecole", "torshavn", "привет"]
    ])
    expect(["v2.1", "east-facing", "東京", "2026", ""].map(spelledWord)).toEqual(Array(5).fill(undefined))
  })
})

describe("the vocabulary", () => {
  it("has each word once for each openness of its memories", () => {
    const { apply, rows } = emptyVocabulary()
    const { add, update } = story()
    apply([
      add("one", { title: "harbour crane harbour", store: "private", tags: ["pier"], people: ["Mira Holt"] }),
      add("two", { title: "the crane", store: "social" }),
      update("one", { narrative: "Ørsted's winch, part_no 47b" })
    ])
    expect(rows()).toEqual([
      ["crane", 0],
      ["crane", 2],
      ...["harbour", "holt", "mira", "pier", "winch", "ørsted"].map((word) => [word, 0])
    ])
  })

  const memoryOf = fc.record({
    words: fc.uniqueArray(wordOf(4), { maxLength: 12 }),
    store: fc.constantFrom(...stores),
    isMoved: fc.boolean(),
    isElsewhere: fc.boolean()
  })
  it.prop(
    "answers alike whether its words are recent or indexed, and whichever process wrote them",
    [fc.array(memoryOf, { minLength: 1, maxLength: 6 }), place, kind, letter],
    ([memories, place, kind, letter]) => {
      const recent = emptyVocabulary()
      const file = join(newFolder(), "view.db")
      const moved = emptyVocabulary(file)
      const elsewhere = openVocabulary(file)
      const alone = emptyVocabulary()
      const { add } = story()
      for (const [index, { isElsewhere, isMoved, store, words }] of memories.entries()) {
        const told = add(`m${index}`, { facts: words, store })
        const writer = isElsewhere ? elsewhere : moved
        recent.apply([told])
        writer.apply([told])
        alone.apply([told])
        if (!isMoved) continue
        const fillers = add(`f${index}`, { facts: fillersOf(index), store: "private" })
        writer.apply([fillers])
        alone.apply([fillers])
      }
      const isFiller = (row: unknown) => String(row).startsWith("ж")
      expect(moved.rows().filter((row) => !isFiller(row))).toEqual(recent.rows())
      expect(digestOf(moved.db)).toBe(digestOf(alone.db))
      for (const word of memories.flatMap(({ words }) => words)) {
        const typed = edited(word, Math.floor(place * word.length), kind, letter)
        for (const level of readingLevels) {
          const found = findSimilarWords(moved.db, level, typed).filter(({ word }) => !isFiller(word))
          expect(found).toEqual(findSimilarWords(recent.db, level, typed))
        }
      }
      for (const { db } of [moved, elsewhere]) db.close()
    },
    { fastCheck: { numRuns: lawRuns({ quick: 20, full: 200 }) } }
  )

  it("compares the same words of one start, however many there are and whether they have moved", () => {
    const { add } = story()
    const words = Array.from(
      { length: 260 },
      (_, index) => `stem${letter26(Math.floor(index / 26))}${letter26(index % 26)}`
    )
    const first = add("m1", { facts: words.slice(0, 130) })
    const second = add("m2", { facts: words.slice(130) })
    const fillers = add("f", { facts: fillersOf(0), store: "private" })
    for (const told of [
      [first, second],
      [second, fillers, first],
      [first, second, fillers]
    ]) {
      const { apply, db } = emptyVocabulary()
      apply(told)
      expect(findSimilarWords(db, "full", "stemaж").map(({ word }) => word)).toContain("stemaa")
      // Only the first 150 words are compared.
      expect(findSimilarWords(db, "full", "stemhж")).toEqual([])
    }
  })

  it("finds letters outside the Basic Multilingual Plane, before and after they move", () => {
    const { apply, db } = emptyVocabulary()
    const { add } = story()
    apply([add("m", { facts: ["abc\u{1df00}d"] })])
    const found = () => findSimilarWords(db, "full", "acb\u{1df00}d").map(({ word }) => word)
    expect(found()).toEqual(["abc\u{1df00}d"])
    apply([add("f", { facts: fillersOf(0) })])
    expect(found()).toEqual(["abc\u{1df00}d"])
  })

  it("has a digest of every row", () => {
    const { apply, db } = emptyVocabulary()
    const { add } = story()
    apply([add("m", { facts: ["harbour"] }), add("f", { facts: fillersOf(0) }), add("n", { facts: ["crane"] })])
    const digests = [digestOf(db)]
    for (const change of [
      "DELETE FROM vocabulary WHERE word = 'harbour'",
      "DELETE FROM vocabulary_reversed WHERE reversed = 'ruobrah'",
      "INSERT INTO vocabulary_reversed VALUES (2, 6, 'xxxxxx')",
      "DELETE FROM vocabulary_recent WHERE words LIKE '%crane%'"
    ]) {
      db.exec(change)
      digests.push(digestOf(db))
    }
    expect(new Set(digests).size).toBe(5)
  })

  it("is the same after a transaction that was rolled back", () => {
    const [expected, live] = [emptyVocabulary(), emptyVocabulary()]
    const first = story().add("one", { title: "harbour" })
    const lost = story().add("two", { title: "crane harbour", facts: fillersOf(0), store: "social" })
    const last = story().add("three", { title: "crane pier", store: "social" })
    expected.apply([first, last])
    live.apply([first])
    live.db.exec("BEGIN")
    live.apply([lost])
    live.db.exec("ROLLBACK")
    live.rewind(1)
    live.apply([last])
    expect(live.rows()).toEqual(expected.rows())
  })
})

describe("a misspelt word of a query", () => {
  const told: ReadonlyArray<Observation> = [
    { title: "The autoclave needs a new gasket", store: "shared" },
    { title: "Bornholm in July, with the ferry", store: "social" },
    { title: "A viola for Nell", store: "social" },
    { title: "Nothing else was said", store: "social" }
  ]
  const titles = ({ hits }: { readonly hits: ReadonlyArray<{ readonly title: string }> }) =>
    hits.map(({ title }) => title)

  it.scoped("is read as the readable words that resemble it", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent("ada", { trust: "full" })
      yield* memory.rememberAll(told)
      const answer = yield* memory.explain({ text: "the autoclvae gaskte", mode: "classic" })
      expect(titles(answer)).toEqual(["The autoclave needs a new gasket"])
      expect(answer.explanation.corrections).toEqual([
        { word: "autoclvae", readAs: ["autoclave"] },
        { word: "gaskte", readAs: ["gasket"] }
      ])
      // What is required is required as written, and words that exist are not corrected.
      expect(titles(yield* memory.explain({ text: "+autoclvae", mode: "classic" }))).toEqual([])
      const exact = yield* memory.explain({ text: "autoclave", mode: "classic" })
      expect(exact.explanation.corrections).toEqual([])
    })
  )

  it.scoped("is never read as a word that only memories above the reader's level have", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent("ada", { trust: "full" })
      yield* memory.rememberAll(told)
      const familiar = yield* daybook.agent("ada", { trust: "familiar" })
      const before = [
        yield* familiar.explain({ text: "autoclvae Bornhlom ketmaine" }),
        yield* familiar.explain({ text: "anbesol" })
      ]
      expect(before[0]!.explanation.corrections).toEqual([{ word: "Bornhlom", readAs: ["bornholm"] }])
      yield* memory.rememberAll([
        { title: "Ketamine and Anbesol are in the cabinet", store: "shared" },
        { title: "Bornhlom is spelt wrongly", store: "private" }
      ])
      const after = [
        yield* familiar.explain({ text: "autoclvae Bornhlom ketmaine" }),
        yield* familiar.explain({ text: "anbesol" })
      ]
      expect(after).toEqual(before)
      const full = yield* memory.explain({ text: "Bornhlom ketmaine" })
      expect(full.explanation.corrections).toEqual([{ word: "ketmaine", readAs: ["ketamine"] }])
    })
  )

  it.scoped("is read as a word that existed at the version asked, and that a memory still has", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent("ada", { trust: "full" })
      const { id, version } = yield* memory.remember({ title: "The first gasket" })
      yield* memory.remember({ title: "A trampoline" })
      const past = yield* daybook.agent("ada", { trust: "full", asOf: { version: version! } })
      const corrected = (text: string) => (reader: typeof past) =>
        Effect.map(reader.explain({ text }), ({ explanation }) => explanation.corrections.map(({ readAs }) => readAs))
      expect(yield* corrected("gaskte tramploine")(past)).toEqual([["gasket"]])
      expect(yield* corrected("gaskte tramploine")(memory)).toEqual([["gasket"], ["trampoline"]])
      yield* memory.forget(id)
      expect(yield* corrected("gaskte tramploine")(memory)).toEqual([["trampoline"]])
      expect(yield* corrected("gaskte")(past)).toEqual([["gasket"]])
    })
  )

  it.scopedLive("is a word of its own if the lexicon knows it, unless the error is a usual one", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.gen(function* () {
        const memory = yield* (yield* Daybook).agent("ada", { trust: "full" })
        yield* memory.rememberAll([...told, { title: "The show begins at eight" }])
        const corrections = (text: string) =>
          Effect.map(memory.explain({ text }), ({ explanation }) => explanation.corrections)
        // "shoe" resembles "show"; "clothing" resembles "nothing".
        expect(yield* corrections("shoe clothing")).toEqual([])
        expect(yield* corrections("voila autoclvae")).toEqual([
          { word: "voila", readAs: ["viola"] },
          { word: "autoclvae", readAs: ["autoclave"] }
        ])
      }).pipe(Effect.provide(Layer.orDie(Default.layer({ folder }))))
    })
  )
})
