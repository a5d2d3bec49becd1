import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { afterImages, type DaybookEvent, type Payload } from "../../events/catalogue.js"
import type { File } from "../../events/File.js"
import { embeddingText, type Memory } from "../../events/Memory.js"
import type { Store } from "../../events/Trust.js"
import type { Turn } from "../../events/Turn.js"
import { piecesOf } from "../../projections/files.js"
import { textDigest } from "../../projections/vectors.js"
import type { DaybookService } from "../../src/DaybookService.js"
import { chunkNumber, chunkRowRange } from "../../text/normalise/chunks.js"
import { agent, modelOf } from "./switchChecks.js"
import type { SentLine } from "./switchRunner.js"
import { type Model, vectorIn } from "./tongues.js"

// What the vectors of an agent have to be, by nothing but its log: without the engine's projections and queries.

/** A row that is to have vectors. */
interface Row {
  readonly store: Store
  /** What is embedded of it. */
  readonly text: string
  readonly digest: string
}
type Rows = Map<number, Row>

interface Index {
  readonly memories: Map<number, string>
  readonly chunks: Map<number, string>
}

/** An index that was put in force, with what lacked a vector of it then, and of what was in force before. */
export interface Adoption {
  readonly version: number
  readonly model: string
  readonly lacking: number
  readonly before: number
}

export interface Oracle {
  readonly memories: Map<number, Memory>
  readonly said: Map<number, { readonly turn: Turn } | { readonly file: File }>
  readonly rows: { readonly memories: Rows; readonly chunks: Rows }
  readonly indexes: Readonly<Record<Model, Index>>
  readonly adoptions: ReadonlyArray<Adoption>
  /** When the vector of a text was stored first, by model and digest, milliseconds since the epoch. */
  readonly stored: ReadonlyMap<string, number>
  /** Vectors that were written as of a text or a store that the row did not have then, or of a model not meant for it. */
  readonly faults: ReadonlyArray<string>
  readonly counts: Readonly<Record<string, number>>
}

const models = ["near", "far", "home"] as const

/** Follows a log to its end. */
export const oracleOf = (events: ReadonlyArray<DaybookEvent>): Oracle => {
  const memories = new Map<number, Memory>()
  const said = new Map<number, { readonly turn: Turn } | { readonly file: File }>()
  const rows = { memories: new Map<number, Row>(), chunks: new Map<number, Row>() }
  const index = (): Index => ({ memories: new Map(), chunks: new Map() })
  const indexes: Record<Model, Index> = { near: index(), far: index(), home: index() }
  const last = new Map<string, string>()
  const stored = new Map<string, number>()
  const adoptions: Array<Adoption> = []
  const faults: Array<string> = []
  const counts: Record<string, number> = {}
  let inForce: "near" | "far" = "near"

  const lackingOf = (model: "near" | "far") => {
    let lacking = 0
    for (const kind of ["memories", "chunks"] as const) {
      for (const [born, { store }] of rows[kind]) if (!indexes[modelOf(model, store)][kind].has(born)) lacking++
    }
    return lacking
  }
  const gone = (kind: "memories" | "chunks", born: number) => {
    rows[kind].delete(born)
    for (const model of models) indexes[model][kind].delete(born)
  }
  const forget = (version: number) => {
    const [from, below] = chunkRowRange(version)
    said.delete(version)
    for (const born of [...rows.chunks.keys()]) if (born >= from && born < below) gone("chunks", born)
  }
  const chunk = (born: number, text: string, store: Store) =>
    rows.chunks.set(born, { store, text, digest: textDigest(text) })

  const embedded = (event: DaybookEvent, { chunks = [], entries, model: name }: Payload<"EMBED">) => {
    const model = name as Model
    for (const [kind, all] of [["memories", entries] as const, ["chunks", chunks] as const]) {
      for (const { born, digest, store } of all) {
        const row = rows[kind].get(born)
        const where = `${kind} ${born} by ${model} at ${event.version}`
        if (row === undefined) faults.push(`${where}: is not there`)
        else if (row.digest !== digest) faults.push(`${where}: of another text`)
        else if (row.store !== store) faults.push(`${where}: of store ${store} and not ${row.store}`)
        if (model !== "near" && modelOf("far", store) !== model) faults.push(`${where}: not for store ${store}`)
        if (indexes[model][kind].get(born) === digest) faults.push(`${where}: a second time`)
        indexes[model][kind].set(born, digest)
        const key = `${model} ${digest}`
        if (!stored.has(key)) stored.set(key, event.recordedAt)
      }
    }
  }

  for (const event of events) {
    counts[event.type] = (counts[event.type] ?? 0) + 1
    for (const memory of afterImages(event)) {
      if (memory.status !== "active") {
        memories.delete(memory.born)
        gone("memories", memory.born)
        continue
      }
      const text = embeddingText(memory)
      const digest = textDigest(text)
      memories.set(memory.born, memory)
      rows.memories.set(memory.born, { store: memory.store, text, digest })
      for (const model of models) {
        const { memories } = indexes[model]
        if (memories.get(memory.born) !== digest) memories.delete(memory.born)
      }
    }
    if (event.type === "TURN") {
      const { turn } = event.payload
      const session = `${turn.store} ${turn.session}`
      const previous = last.get(session)
      said.set(event.version, { turn })
      chunk(chunkNumber(event.version, 0), previous === undefined ? turn.text : `${turn.text}\n${previous}`, turn.store)
      last.set(session, turn.text)
    }
    if (event.type === "FILE") {
      const { file, replaces } = event.payload
      if (replaces !== undefined) forget(replaces)
      said.set(event.version, { file })
      for (const { headings, part, text } of piecesOf(file)) {
        chunk(chunkNumber(event.version, part), `${text}\n${headings}`, file.store)
      }
    }
    if (event.type === "FORGET") {
      for (const version of [...event.payload.turns, ...event.payload.files]) forget(version)
    }
    if (event.type === "EMBED") embedded(event, event.payload)
    if (event.type === "EMBEDDER" && event.payload.state === "inForce") {
      const model = event.payload.model as "near" | "far"
      adoptions.push({ version: event.version, model, lacking: lackingOf(model), before: lackingOf(inForce) })
      inForce = model
    }
    if (event.type === "EMBEDDER") {
      const said = `${event.payload.state} ${event.payload.model}`
      counts[said] = (counts[said] ?? 0) + 1
    }
  }
  return { memories, said, rows, indexes, adoptions, stored, faults, counts }
}

/** The vectors of a view as they lie in its file: by model and row number. */
export const vectorsIn = (folder: string) => {
  const views = join(folder, "views", agent)
  const db = new Database(join(views, readFileSync(join(views, "current"), "utf8")), { readonly: true })
  try {
    db.loadExtension(
      (createRequire(import.meta.url)("sqlite-vec") as { getLoadablePath: () => string }).getLoadablePath()
    )
    const setsOf = (prefix: string) =>
      new Map(
        (
          db.prepare(`SELECT number, model FROM ${prefix}vector_sets`).all() as Array<{ number: number; model: string }>
        ).map(({ model, number }) => {
          const rows = db.prepare(`SELECT rowid AS born, embedding FROM ${prefix}vectors_${number}`).all() as Array<{
            born: number
            embedding: Buffer
          }>
          return [model, new Map(rows.map(({ born, embedding }) => [born, embedding.toString("hex")]))] as const
        })
      )
    return { memories: setsOf(""), chunks: setsOf("chunk_") }
  } finally {
    db.close()
  }
}
export type Stored = ReturnType<typeof vectorsIn>

const hexOf = (model: Model, text: string) => Buffer.from(vectorIn(model, text).buffer.slice(0)).toString("hex")

/**
 * What is wrong with the vectors of a view: each row has the one of its text, to the byte, by the embedder that is in
 * force for its store; of no model is there a vector of another text, or of a row that is gone.
 */
export const faultsOf = (stored: Stored, { indexes, rows }: Oracle, inForce: "near" | "far"): ReadonlyArray<string> => {
  const faults: Array<string> = []
  for (const kind of ["memories", "chunks"] as const) {
    for (const [born, { store }] of rows[kind]) {
      const model = modelOf(inForce, store)
      if (stored[kind].get(model)?.has(born) !== true) faults.push(`${kind} ${born}: none of ${model}`)
    }
    for (const model of models) {
      const there = stored[kind].get(model) ?? new Map<number, string>()
      const expected = indexes[model][kind]
      if (there.size !== expected.size) faults.push(`${kind} by ${model}: ${there.size} in place of ${expected.size}`)
      for (const [born, hex] of there) {
        const row = rows[kind].get(born)
        if (row === undefined) faults.push(`${kind} ${born} by ${model}: is gone`)
        else if (hex !== hexOf(model, row.text)) faults.push(`${kind} ${born} by ${model}: another vector`)
        if (!expected.has(born)) faults.push(`${kind} ${born} by ${model}: the log knows nothing of it`)
      }
    }
  }
  return faults
}

/** Texts that were sent again when their vectors were stored already. */
export const sentInVain = (sent: ReadonlyArray<SentLine>, { stored }: Oracle): ReadonlyArray<string> =>
  sent.flatMap(({ at, digests, model, pid, received }) =>
    received
      ? []
      : digests.flatMap((digest) => {
          const since = stored.get(`${model} ${digest}`)
          return since !== undefined && at > since ? [`${model} by ${pid}, ${at - since} ms later`] : []
        })
  )

/** Puts what remains by a log into an installation that knows nothing of how it came to be, in its order. */
export const putInto = (daybook: DaybookService, { memories, said }: Oracle) =>
  Effect.gen(function* () {
    const memory = yield* daybook.agent(agent, { trust: "full", record: false })
    const left = [...memories.values()].sort((a, b) => a.born - b.born)
    const observationOf = ({ narrative, occurredAt, store, title }: Memory) => ({
      title,
      ...(narrative === undefined ? {} : { narrative }),
      store,
      occurredAt: occurredAt!
    })
    for (let from = 0; from < left.length; from += 500) {
      for (const one of yield* memory.rememberAll(left.slice(from, from + 500).map(observationOf))) {
        if (Either.isLeft(one) || one.right.outcome !== "added") throw new Error("not added")
      }
    }
    for (const one of left) {
      for (let mention = 1; mention < one.mentions; mention++) yield* memory.remember(observationOf(one))
    }
    const all = [...said].sort(([a], [b]) => a - b).map(([, one]) => one)
    for (let from = 0; from < all.length; ) {
      const turns = all.slice(from, from + 500).flatMap((one) => ("turn" in one ? [one.turn] : [null]))
      const many = turns.indexOf(null) < 0 ? turns.length : turns.indexOf(null)
      const one = all[from]!
      if ("file" in one) {
        const { occurredAt, path, store, text } = one.file
        yield* memory.files.add({ path, text, store, at: occurredAt })
        from++
        continue
      }
      const each = turns.slice(0, many) as ReadonlyArray<Turn>
      yield* memory.sessions.appendAll(
        each.map(({ occurredAt, sequence, session, store, text }) => ({
          session,
          sequence,
          store,
          text,
          at: occurredAt
        }))
      )
      from += many
    }
    yield* daybook.backfill(agent)
  })

/** The vectors of what remains, by what they are of and not by where they stand: to be compared with another view's. */
export const vectorsByText = (stored: Stored, { rows }: Oracle, inForce: "near" | "far"): ReadonlyArray<string> =>
  (["memories", "chunks"] as const)
    .flatMap((kind) =>
      [...rows[kind]].map(([born, { store, text }]) => {
        const model = modelOf(inForce, store)
        return `${kind} ${store} ${text} ${model} ${stored[kind].get(model)?.get(born)}`
      })
    )
    .sort()
