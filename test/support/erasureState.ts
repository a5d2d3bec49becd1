import * as Effect from "effect/Effect"
import { afterImages, type DaybookEvent, type ErasedEvent } from "../../events/catalogue.js"
import { openDatabase } from "../../events/driver.js"
import { projections } from "../../projections/all.js"
import { makeLookup } from "../../projections/view/decodePage.js"
import * as ViewFile from "../../projections/view/ViewFile.js"
import type { AgentErasure, Erasable } from "../../src/erasure/Erasure.js"

// The state of an agent without what an erasure may change, told without the engine's code for erasures.

type Event = DaybookEvent | ErasedEvent

/** Everything that a selection may change, by ids, sessions and the numbers of recalls. */
export interface Touched {
  readonly isChosen: (value: unknown) => boolean
  /** The chosen session. */
  readonly session: string | undefined
  /** Sessions that lose something: a turn, a memory or a summary. */
  readonly sessions: ReadonlySet<string>
  /** Row numbers of chosen and changed memories, turns and files. */
  readonly rows: ReadonlySet<number>
  readonly ids: ReadonlySet<string>
  readonly schedules: ReadonlySet<string>
  /** Sessions of blank recalls, which have lost their session. */
  readonly recalled: ReadonlySet<string>
}

/** Whether a text names the erased person. */
const mentions = (selection: Erasable) => (value: unknown) =>
  "person" in selection &&
  JSON.stringify(value ?? null)
    .normalize("NFKC")
    .toLowerCase()
    .includes(selection.person.toLowerCase())

/** Types of events that summarise a session. */
const quoting: ReadonlySet<string> = new Set(["SUMMARIZE", "ROLL", "EXTRACT"])

const sessionIn = (selection: Erasable) => ("session" in selection ? selection.session : undefined)

/** Finds what a selection may change in the events before it. `after` are the events after it. */
export const touchedBy = (
  selection: Erasable,
  { changed, memories }: AgentErasure,
  [before, after]: readonly [ReadonlyArray<Event>, ReadonlyArray<Event>]
): Touched => {
  const isChosen = mentions(selection)
  const named = new Set("ids" in selection ? selection.ids : [])
  const left = new Set([...changed, ...memories].map(({ id }) => id))
  const session = sessionIn(selection)
  const sessions = new Set(session === undefined ? [] : [session])
  const [rows, schedules] = [new Set<number>(), new Set<string>()]
  const paths = new Set<string>()
  for (const event of before) {
    if (event.payload === null) continue
    for (const image of afterImages(event)) {
      if (!left.has(image.id)) continue
      rows.add(image.born)
      if (image.session !== undefined) sessions.add(image.session)
    }
    if (event.type === "TURN") {
      const { turn } = event.payload
      const isGone = named.has(turn.id) || turn.session === session || isChosen(turn)
      if (isGone) {
        rows.add(event.version)
        left.add(turn.id)
        sessions.add(turn.session)
      }
    }
    if (event.type === "FILE") {
      const { file } = event.payload
      const isGone = named.has(file.id) || (session !== undefined && file.session === session) || isChosen(file)
      if (isGone) paths.add(`${file.store} ${file.path}`)
    }
    if (quoting.has(event.type) && isChosen(event.payload)) sessions.add((event.payload as { session: string }).session)
    if (event.type === "SCHEDULE") {
      const { definition, schedule } = event.payload
      if (named.has(schedule) || isChosen(definition)) schedules.add(schedule)
    }
  }
  // A file goes with all its versions at a path of a store.
  for (const event of before) {
    if (event.type !== "FILE" || event.payload === null) continue
    const { file } = event.payload
    if (!paths.has(`${file.store} ${file.path}`)) continue
    rows.add(event.version)
    left.add(file.id)
  }
  const blank = new Set(recallsIn(after).flatMap(({ erased, number }) => (erased === true ? [number] : [])))
  const recalled = recallsIn(before).flatMap(({ number, session }) =>
    session !== undefined && blank.has(number) ? [session] : []
  )
  return { isChosen, session, sessions, rows, ids: left, schedules, recalled: new Set(recalled) }
}

type Row = Record<string, unknown>

/** The tables that are compared: the rows, and whether a row is of something that stays. */
const tables: ReadonlyArray<readonly [query: string, stays: (row: Row, touched: Touched) => boolean]> = (() => {
  const ofRow = ({ born }: Row, { rows }: Touched) => !rows.has(born as number)
  const ofId = ({ id }: Row, { ids }: Touched) => !ids.has(id as string)
  const ofSession = (row: Row, { isChosen, sessions }: Touched) =>
    !sessions.has(row.session as string) && !isChosen(row)
  const ofOtherSession = (row: Row, { isChosen, session }: Touched) => row.session !== session && !isChosen(row)
  const always = () => true
  return [
    ["SELECT * FROM observations ORDER BY born", ofRow],
    ["SELECT * FROM texts ORDER BY born", ofRow],
    ["SELECT * FROM mentions ORDER BY born, person", ofRow],
    ["SELECT born, version, id, revision, openness FROM changes ORDER BY born, version", ofRow],
    ["SELECT * FROM links ORDER BY born, kind, source", ofRow],
    ["SELECT * FROM archive ORDER BY born", ofRow],
    ["SELECT * FROM session_memories ORDER BY born", ofRow],
    [
      "SELECT * FROM disputes ORDER BY born, other",
      (row, touched) => ofRow(row, touched) && !touched.ids.has(row.other as string)
    ],
    ["SELECT * FROM wordings ORDER BY version", (row, touched) => ofRow(row, touched) && !touched.isChosen(row)],
    ["SELECT * FROM accesses ORDER BY id", ofId],
    [
      "SELECT * FROM shown ORDER BY session, id, level",
      (row, touched) => ofId(row, touched) && !touched.recalled.has(row.session as string)
    ],
    ["SELECT * FROM recalls ORDER BY number", always],
    ["SELECT * FROM turns ORDER BY born", ofRow],
    ["SELECT * FROM waiting_turns ORDER BY born", ofRow],
    ["SELECT * FROM sessions ORDER BY session, store", ofSession],
    ["SELECT * FROM speakers ORDER BY session, store, speaker", ofSession],
    ["SELECT * FROM extracts ORDER BY version", ofSession],
    ["SELECT * FROM files ORDER BY born", ofRow],
    // Pieces of turns, files and notes. A piece of a turn knows its neighbours.
    [
      "SELECT * FROM chunks WHERE media IS NOT 'scratchpad' ORDER BY born",
      (row, touched) => ofId(row, touched) && (row.role === null || ofSession(row, touched))
    ],
    ["SELECT * FROM summaries ORDER BY session, store", ofSession],
    ["SELECT * FROM rolling_summaries ORDER BY session, store", ofSession],
    // An item of a scratchpad can go alone.
    [
      `SELECT s.session, s.store, s.openness, s.level, s.version, s.origin, s.written_at, item.value AS item
        FROM scratchpads s, json_each(s.items) item ORDER BY s.session, s.store, item.key`,
      ofOtherSession
    ],
    ["SELECT * FROM schedules ORDER BY id", ({ id }, { schedules }) => !schedules.has(id as string)],
    ["SELECT * FROM schedule_runs ORDER BY run", ({ schedule }, { schedules }) => !schedules.has(schedule as string)],
    ["SELECT * FROM runs ORDER BY version", always],
    ["SELECT * FROM configuration ORDER BY version", always],
    ["SELECT * FROM clock_jumps ORDER BY version", always],
    // The first embedder of a store goes with the last vector that it made.
    ["SELECT * FROM embedders WHERE state <> 'first' ORDER BY version, store", always]
  ]
})()

const recallsIn = (events: ReadonlyArray<Event>) =>
  events.flatMap((event) =>
    event.type === "RECALL" && event.payload !== null
      ? event.payload.recalls.map((recall, index) => ({ ...recall, number: event.payload.first + index }))
      : []
  )

/** Replays events in memory. `state` has the rows of all tables that stay, after the events up to a version. */
const replaying = (events: ReadonlyArray<Event>) => {
  const db = openDatabase(":memory:")
  const replayed = projections.filter(({ needsVectors }) => needsVectors !== true)
  ViewFile.createView(db, replayed, false)
  for (const { indexes } of replayed) db.exec(indexes)
  const lookup = makeLookup(() => undefined)
  const queries = tables.map(([query, stays]) => [db.prepare(query), stays] as const)
  const byVersion = new Map(events.map((event) => [event.version, event]))
  return {
    close: () => db.close(),
    apply: (version: number) => {
      const event = byVersion.get(version)
      if (event !== undefined) ViewFile.applyEvent(db, replayed, new Map(), event, lookup)
    },
    state: (touched: Touched) =>
      queries.flatMap(([query, stays], index) =>
        (query.all() as ReadonlyArray<Row>)
          .filter((row) => stays(row, touched))
          .map((row) => `${index} ${JSON.stringify(row, blobs)}`)
      )
  }
}

const blobs = (_: string, value: unknown) =>
  value !== null && typeof value === "object" && "type" in value && value.type === "Buffer" && "data" in value
    ? Buffer.from(value.data as ReadonlyArray<number>).toString("hex")
    : value

/** The state of what was not touched differs between two logs of one agent. */
export interface Difference {
  readonly version: number
  readonly before: ReadonlyArray<string>
  readonly after: ReadonlyArray<string>
}

/** Compares the states at every version of the log before an erasure; undefined if all are equal. */
export const firstDifference = (
  before: ReadonlyArray<Event>,
  after: ReadonlyArray<Event>,
  touched: Touched
): Effect.Effect<Difference | undefined> =>
  Effect.acquireUseRelease(
    Effect.sync(() => [replaying(before), replaying(after)] as const),
    ([old, next]) =>
      Effect.sync(() => {
        for (let version = 1; version <= before.at(-1)!.version; version++) {
          old.apply(version)
          next.apply(version)
          const [a, b] = [old.state(touched), next.state(touched)]
          if (a.join("\n") === b.join("\n")) continue
          const [inA, inB] = [new Set(a), new Set(b)]
          return { version, before: a.filter((line) => !inB.has(line)), after: b.filter((line) => !inA.has(line)) }
        }
        return undefined
      }),
    (both) => Effect.sync(() => both.map(({ close }) => close()))
  )
