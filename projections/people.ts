import { afterImages } from "../events/catalogue.js"
import { isCardId, type Memory } from "../events/Memory.js"
import { opennessOf, type Store, stores, type TrustLevel } from "../events/Trust.js"
import { cardFactsOf } from "./cardFacts.js"
import { type Db, indexesByLevel, type Projection, readableRowsSql, sql } from "./Projection.js"
import { itemsPerStep, sortInSteps } from "./sortInSteps.js"

/** A person that memories mention. Counts and facts cover only the stores that the reader may read. */
export interface Person {
  readonly name: string
  readonly stores: ReadonlyArray<Store>
  /** Facts from memories of type `person`, oldest first. */
  readonly facts: ReadonlyArray<string>
  /**
   * The facts that `updatePerson` set, by name: `{ birthday: "1990-12-10" }`. If several stores have a fact of the same
   * name, the one in the strictest store counts.
   */
  readonly card: Readonly<Record<string, string>>
  /**
   * The memories that contain the facts in `card`: one per store, the most open store first. `history` and `why` accept
   * their ids.
   */
  readonly cards: ReadonlyArray<Card>
  readonly mentions: number
  /** The time of the last mention, milliseconds since the epoch. */
  readonly lastMentionedAt: number
}

/** The facts about a person that `updatePerson` set in one store. */
export interface Card {
  readonly id: string
  readonly store: Store
  readonly facts: Readonly<Record<string, string>>
}

/**
 * The people index. For each person: the memories that mention the person, the number of mentions, the time of the last
 * mention, and facts about the person. Mentions survive compression, archiving and expiry. A forgotten memory loses its
 * mentions. A compressed memory loses the mentions that its summary repeats.
 */
export const people: Projection = {
  name: "people",
  version: 4,
  handles: ["ADD", "UPDATE", "DELETE", "COMPRESS", "ARCHIVE"],
  tables: `CREATE TABLE mentions (
    born INTEGER NOT NULL,
    person TEXT NOT NULL,
    name TEXT NOT NULL,
    openness INTEGER NOT NULL,
    mentions INTEGER NOT NULL,
    mentioned_at INTEGER NOT NULL,
    facts TEXT,
    card TEXT,
    PRIMARY KEY (born, person)
  ) WITHOUT ROWID;`,
  // The indexes have all columns that the list of people reads.
  indexes: indexesByLevel("mentions_person", "mentions (person, mentioned_at, born, openness, mentions, name)"),
  drop: () => "DROP TABLE mentions",
  apply: (db, event, lookup) => {
    const added = event.type === "ADD"
    for (const memory of afterImages(event)) {
      if (!added) sql(db, "DELETE FROM mentions WHERE born = ?").run(memory.born)
      if (memory.status === "forgotten") continue
      // For people that the summary also mentions, only the summary's mention counts.
      const inSummary = memory.status === "compressed" && event.type === "COMPRESS" ? event.payload.memory.people : []
      addMentions(db, withoutPeople(memory, inSummary), lookup.opennessOf(memory))
    }
  },
  digest: (db, digest) => digest.query(db, "SELECT * FROM mentions ORDER BY born, person"),
  stateDigest: (db, digest) => digest.rows(() => mentionsInOrder(db))
}

type MentionRow = readonly [person: string, name: string, openness: number, mentions: number, facts: string | null]

interface Counted {
  readonly row: MentionRow
  count: number
}

/**
 * All mentions, sorted by their columns. An index returns them by person. Equal rows of a person are counted, so that
 * few rows must be sorted, even if all memories mention the same person.
 */
const mentionsInOrder = function* (db: Db): Iterable<MentionRow | undefined> {
  const rows = db.prepare(
    `SELECT person, name, openness, mentions, facts FROM mentions WHERE ${readableRowsSql("full")} ORDER BY person`
  )
  let person = ""
  let counted = new Map<string, Counted>()
  let read = 0
  for (const row of rows.raw().iterate() as Iterable<MentionRow>) {
    if (row[0] !== person) {
      yield* repeatedInOrder(counted)
      person = row[0]
      counted = new Map()
    }
    const key = JSON.stringify(row)
    const same = counted.get(key)
    if (same === undefined) counted.set(key, { row, count: 1 })
    else same.count++
    if (++read % itemsPerStep === 0) yield undefined
  }
  yield* repeatedInOrder(counted)
}

const repeatedInOrder = function* (counted: ReadonlyMap<string, Counted>): Iterable<MentionRow | undefined> {
  for (const each of sortInSteps([...counted.values()], (a, b) => compareMentions(a.row, b.row))) {
    if (each === undefined) yield undefined
    else for (let time = 0; time < each.count; time++) yield each.row
  }
}

/** Compares mentions of one person in SQLite's order. */
const compareMentions = (a: MentionRow, b: MentionRow): number =>
  compareText(a[1], b[1]) || a[2] - b[2] || a[3] - b[3] || compareText(a[4] ?? "", b[4] ?? "")

/** SQLite compares the bytes of UTF-8. */
const compareText = (a: string, b: string): number => (a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b)))

/** The normal form in which names are compared: NFKC, lower case, single spaces. */
export const personKey = (name: string): string =>
  normalized.test(name) ? name.toLowerCase() : name.normalize("NFKC").toLowerCase().trim().replace(/\s+/g, " ")

/** Matches names that are already in normal form, except for case. Most names are. */
const normalized = /^[!-~]+(?: [!-~]+)*$/

/** People whose name contains `query` (all for "") in memories that `level` may read, most recently mentioned first. */
export const findPeople = (
  db: Db,
  level: TrustLevel,
  query: string,
  page: { readonly limit: number; readonly offset: number }
): ReadonlyArray<Person> => {
  const floor = readableRowsSql(level)
  const rows = sql(
    db,
    `SELECT person, sum(mentions) AS mentions, max(mentioned_at) AS mentioned_at, group_concat(DISTINCT openness) AS openness
      FROM mentions WHERE ${floor} AND instr(person, ?) > 0
      GROUP BY person ORDER BY mentioned_at DESC, person LIMIT ? OFFSET ?`
  ).all(personKey(query), page.limit, page.offset)
  return rows.map((row) => {
    const { name } = sql(
      db,
      `SELECT name FROM mentions WHERE person = ? AND ${floor} ORDER BY mentioned_at DESC, born DESC LIMIT 1`
    ).get(row.person)
    const facts = sql(
      db,
      `SELECT facts, card, openness FROM mentions WHERE person = ? AND ${floor} AND facts IS NOT NULL ORDER BY born`
    )
      .all(row.person)
      .map(({ facts, ...row }) => ({ ...row, facts: JSON.parse(facts) as ReadonlyArray<string> }))
    const cards = facts.filter(({ card }) => card !== null).sort((a, b) => b.openness - a.openness)
    return {
      name,
      stores: stores.filter((_, openness) => String(row.openness).includes(String(openness))),
      facts: [...new Set(facts.flatMap(({ facts }) => facts))],
      card: cardFactsOf(cards.flatMap(({ facts }) => facts)),
      cards: cards.map(({ card, facts, openness }) => ({
        id: card as string,
        store: stores[openness]!,
        facts: cardFactsOf(facts)
      })),
      mentions: row.mentions,
      lastMentionedAt: row.mentioned_at
    }
  })
}

/** The id of the card of a person in a store; undefined if there is none. */
export const findCard = (db: Db, name: string, store: Store): string | undefined =>
  sql(
    db,
    "SELECT card FROM mentions WHERE person = ? AND openness = ? AND card IS NOT NULL ORDER BY born DESC LIMIT 1"
  ).get(personKey(name), opennessOf(store))?.card

const withoutPeople = (memory: Memory, people: ReadonlyArray<string>): Memory => {
  if (people.length === 0) return memory
  const keys = new Set(people.map(personKey))
  return { ...memory, people: memory.people.filter((name) => !keys.has(personKey(name))) }
}

const addMentions = (db: Db, memory: Memory, openness: number) => {
  if (memory.people.length === 0) return
  const { facts: all, id, status, title, type } = memory
  // The title of a card is the person's name, not a fact.
  const facts = type === "person" ? JSON.stringify(isCardId(id) ? all : [title, ...all]) : null
  const card = facts !== null && isCardId(id) && status === "active" ? id : null
  // A name that occurs twice counts once, in its first spelling.
  for (const [key, name] of new Map(memory.people.map((name) => [personKey(name), name] as const).reverse())) {
    sql(
      db,
      `INSERT INTO mentions (born, person, name, openness, mentions, mentioned_at, facts, card)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
    ).run(memory.born, key, name, openness, memory.mentions, memory.lastMentionedAt, facts, card)
  }
}
