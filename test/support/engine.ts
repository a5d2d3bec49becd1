import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { EventLog } from "../../events/EventLog.js"
import * as EventLogSqlite from "../../events/EventLogSqlite.js"
import type { StorageError } from "../../events/errors.js"
import { levels } from "../../events/Trust.js"
import { policyEmbeddersLayer } from "../../layers/embedders.js"
import * as HashEmbedder from "../../layers/HashEmbedder.js"
import * as LexicalReranker from "../../layers/LexicalReranker.js"
import * as RuleSettler from "../../layers/RuleSettler.js"
import * as RuleStatementReader from "../../layers/RuleStatementReader.js"
import type { Projection } from "../../projections/Projection.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import * as Views from "../../projections/view/Views.js"
import { ImpliedPolicy } from "../../src/actor/policyRecord.js"
import type { ContextQuery } from "../../src/context/ContextReader.js"
import { Daybook, layer as daybookLayer } from "../../src/Daybook.js"
import type { AsOfInput } from "../../src/DaybookService.js"
import type { MemoryReader } from "../../src/Memory.js"
import type { InvalidInput } from "../../src/model/errors.js"
import type { Embedder } from "../../src/ports/Embedder.js"
import type { Embedders } from "../../src/ports/Embedders.js"
import { Extractor } from "../../src/ports/Extractor.js"
import { decode, Policy } from "../../src/ports/Policy.js"
import { Reconciler } from "../../src/ports/Reconciler.js"
import type { Reranker } from "../../src/ports/Reranker.js"
import { Settler } from "../../src/ports/Settler.js"
import { StatementReader } from "../../src/ports/StatementReader.js"
import { Summarizer } from "../../src/ports/Summarizer.js"

/** A folder of its own, gone with the test. */
export const temporaryFolder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-test-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

export interface EngineOptions {
  /** A policy document, as a file would hold it. */
  readonly policy?: Readonly<Record<string, unknown>>
  /** What policy a history is under that names none: the one above, unless a test is about that. */
  readonly implied?: "defaults"
  readonly embedder?: Layer.Layer<Embedder>
  /** What can be switched to: those of the package, unless a test is about that. */
  readonly embedders?: Layer.Layer<Embedders>
  readonly reranker?: Layer.Layer<Reranker>
  readonly reconciler?: Layer.Layer<Reconciler>
  readonly summarizer?: Layer.Layer<Summarizer>
  /** None unless a test captures. */
  readonly extractor?: Layer.Layer<Extractor>
  /** Whether the engine reads English; true where absent. */
  readonly readsEnglish?: boolean
  readonly vectorExtension?: string | null
  readonly projections?: ReadonlyArray<Projection>
  readonly log?: Layer.Layer<EventLog, StorageError>
}

/** Everything below the engine on real files: each building of it is as another process would be. */
export const foundation = (folder: string, options: EngineOptions = {}) => {
  const { embedder, embedders, implied, log, policy, projections, reconciler, reranker, summarizer, vectorExtension } =
    options
  const values = Either.getOrThrow(
    decode({
      recall: { log: false },
      sessions: { after_turn: false },
      ...policy,
      reconcile: { reconciler: "rules", ...(policy?.reconcile ?? {}) }
    })
  )
  const views = Views.layer({
    folder,
    ...(vectorExtension === undefined ? {} : { vectorExtension }),
    ...(projections === undefined ? {} : { projections })
  })
  return Layer.mergeAll(
    views,
    embedder ?? HashEmbedder.layer,
    embedders ?? policyEmbeddersLayer(values),
    reranker ?? LexicalReranker.layer,
    // Most tests store what they store: those of reconciling bring a reconciler.
    reconciler ?? Reconciler.layerNone,
    summarizer ?? Summarizer.layerNone,
    options.extractor ?? Extractor.layerNone,
    options.readsEnglish === false
      ? Layer.merge(Settler.layerNone, StatementReader.layerNone)
      : Layer.merge(RuleSettler.layer, RuleStatementReader.layer),
    // What tests read by the way would be recorded, at times that they do not foresee: those of recalls ask for it.
    Layer.succeed(Policy, values),
    // Where the policy is no subject of a test, its log need not speak of it.
    implied === "defaults" ? Layer.empty : Layer.succeed(ImpliedPolicy, values)
  ).pipe(Layer.provideMerge(log ?? EventLogSqlite.layer(folder)))
}

/** The memory system of a folder, held as a process of its own would hold it, until the scope closes. */
export const open = (
  folder: string,
  options: EngineOptions = {}
): Effect.Effect<Context.Tag.Service<Daybook>, StorageError, Scope.Scope> =>
  Effect.map(Layer.build(daybookLayer.pipe(Layer.provide(foundation(folder, options)))), Context.get(Daybook))

/** A memory system on a folder of its own. */
export const fresh = (options: EngineOptions = {}) =>
  Effect.flatMap(temporaryFolder, (folder) => Effect.map(open(folder, options), (daybook) => ({ daybook, folder })))

/** What reads are asked about. */
export interface Probe {
  readonly ids: ReadonlyArray<string>
  readonly texts: ReadonlyArray<string>
  readonly people: ReadonlyArray<string>
}

/** About ten of many, the first one among them. */
const few = (ids: ReadonlyArray<string>): ReadonlyArray<string> =>
  ids.filter((_, index) => index % Math.ceil(ids.length / 10) === 0)

type Reads = ReadonlyArray<readonly [name: string, read: Effect.Effect<unknown, unknown>]>

/** The path of each method of a handle: `search`, `sessions.list`, `sessions.rolling.read`. */
export type MethodPath<Handle> = {
  readonly [Key in keyof Handle & string]: Handle[Key] extends (...args: never) => unknown
    ? Key
    : `${Key}.${MethodPath<Handle[Key]>}`
}[keyof Handle & string]

/** The paths of the methods that a handle has. */
export const methodPaths = (handle: object): ReadonlyArray<string> =>
  Object.entries(handle).flatMap(([key, value]) =>
    typeof value === "function" ? [key] : methodPaths(value as object).map((name) => `${key}.${name}`)
  )

/** Every read path with what to ask it: a reader's method without a row here does not compile. */
export const readPaths: {
  readonly [Path in MethodPath<MemoryReader>]: (reader: MemoryReader, probe: Probe) => Reads
} = {
  search: (reader, { people, texts }) => [
    ...texts.map((text) => [text, reader.search({ text, limit: 100 })] as const),
    ["all", reader.search({ limit: 100 })],
    ["fused", reader.search({ text: texts[0] ?? "tea", topK: 20, vectorWeight: 2, textWeight: 1, limit: 100 })],
    ["stores", reader.search({ stores: ["private", "shared", "social"], limit: 100 })],
    ...texts.slice(0, 3).flatMap(
      (text): Reads => [
        [`${text} types`, reader.search({ text, types: ["discovery", "person"], limit: 100 })],
        [`${text} people`, reader.search({ text, people: people.slice(0, 2), limit: 100 })],
        [`${text} private`, reader.search({ text, stores: ["private"], limit: 100 })]
      ]
    )
  ],
  explain: (reader, { texts }) => [
    ...texts.map((text) => [text, reader.explain({ text, limit: 100 })] as const),
    ["classic", reader.explain({ text: texts[0] ?? "tea", mode: "classic" })],
    ["fields", reader.explain({ text: `${texts[0] ?? "tea"} store:shared type:discovery last week` })],
    ["without fields", reader.explain({ text: `${texts[0] ?? "tea"} -type:discovery -store:social -person:mira` })],
    ["nothing has", reader.explain({ text: "type:person tag:kettle session:monday project:harbour person:mira" })],
    ["what then", reader.explain({ text: "what happened last week?" })]
  ],
  "sessions.explain": (reader, { texts }) => [
    ...texts.slice(0, 3).map((text) => [text, reader.sessions.explain({ text, limit: 100 })] as const),
    ["fields", reader.sessions.explain({ text: `${texts[0] ?? "tea"} session:monday role:user yesterday` })],
    ["nothing has", reader.sessions.explain({ text: "zebra session:monday speaker:mira -role:user -kind:turn" })]
  ],
  timeline: (reader, { ids }) =>
    ids.map((anchor) => [anchor, reader.timeline({ anchor, before: 3, after: 3 })] as const),
  get: (reader, { ids }) => [
    ["all", reader.get(ids.slice(0, 200))],
    ...few(ids).map((id) => [id, reader.get([id])] as const)
  ],
  list: (reader) => [
    ["default", reader.list()],
    ["page", reader.list({ limit: 7, offset: 3 })],
    ["types", reader.list({ types: ["person"] })],
    ["private", reader.list({ stores: ["private"] })],
    ["not private", reader.list({ stores: ["shared", "social"], limit: 1_000 })]
  ],
  history: (reader, { ids }) => few(ids).map((id) => [id, reader.history(id)] as const),
  "sessions.search": (reader, { texts }) => [
    ...texts.map((text) => [text, reader.sessions.search({ text, limit: 100 })] as const),
    ["all", reader.sessions.search({ limit: 100 })],
    ["fused", reader.sessions.search({ text: texts[0] ?? "tea", topK: 20, vectorWeight: 2, textWeight: 1 })],
    ["private", reader.sessions.search({ text: texts[0] ?? "tea", stores: ["private"], limit: 100 })],
    ["filters", reader.sessions.search({ text: texts[0] ?? "tea", sessions: ["monday"], roles: ["user"] })],
    ...texts.slice(0, 3).map((text) => [`${text} files`, reader.sessions.search({ text, kinds: ["file"] })] as const)
  ],
  why: (reader, { ids }) => few(ids).map((id) => [id, reader.why(id)] as const),
  "sessions.list": (reader) => [
    ["all", reader.sessions.list()],
    ["page", reader.sessions.list({ limit: 1, offset: 1 })]
  ],
  "sessions.get": (reader) => [
    ["monday", reader.sessions.get("monday")],
    ["friday", reader.sessions.get("friday", { last: 2 })],
    ["nobody", reader.sessions.get("nobody")]
  ],
  "files.list": (reader) => [
    ["all", reader.files.list()],
    ["page", reader.files.list({ limit: 1, offset: 1 })]
  ],
  "files.get": (reader) => [
    ["notes", reader.files.get("notes.md")],
    ["nobody", reader.files.get("nobody.md")]
  ],
  "sessions.restore": (reader) => [
    ["monday", reader.sessions.restore("monday")],
    ["few", reader.sessions.restore("monday", { tokens: 60 })],
    ["nobody", reader.sessions.restore("nobody")]
  ],
  "sessions.rolling.read": (reader) => [
    ["monday", reader.sessions.rolling.read("monday")],
    ["social", reader.sessions.rolling.read("monday", { store: "social" })],
    ["nobody", reader.sessions.rolling.read("nobody")]
  ],
  "notes.get": (reader, { ids }) => few(ids).map((id) => [id, reader.notes.get(id)] as const),
  "notes.search": (reader, { texts }) => [
    ...texts.slice(0, 5).map((text) => [text, reader.notes.search({ text, limit: 100 })] as const),
    ["all", reader.notes.search({ limit: 100 })],
    ["private", reader.notes.search({ stores: ["private"] })],
    ["tagged", reader.notes.search({ text: texts[0] ?? "tea", tags: ["work"], user: "ada" })]
  ],
  "notes.list": (reader) => [
    ["all", reader.notes.list({ limit: 100 })],
    ["page", reader.notes.list({ limit: 2, offset: 1 })],
    ["tagged", reader.notes.list({ anyTags: ["work", "garden"] })]
  ],
  "scratchpad.read": (reader) => [
    ["monday", reader.scratchpad.read("monday")],
    ["social", reader.scratchpad.read("monday", { store: "social" })],
    ["nobody", reader.scratchpad.read("nobody")]
  ],
  "scratchpad.history": (reader) => [
    ["monday", reader.scratchpad.history("monday")],
    ["private", reader.scratchpad.history("monday", { store: "private", limit: 2 })]
  ],
  decisions: (reader) => [
    ["all", reader.decisions()],
    ["page", reader.decisions({ open: true, limit: 1, offset: 1 })]
  ],
  people: (reader, { people }) => [
    ["all", reader.people()],
    ["page", reader.people({ limit: 2, offset: 1 })],
    ...people.map((name) => [name, reader.people({ name })] as const)
  ],
  "recalls.list": (reader) => [
    ["all", reader.recalls.list()],
    ["page", reader.recalls.list({ limit: 2, offset: 1 })]
  ],
  "maintenance.tiers": (reader) => [["all", reader.maintenance.tiers()]],
  context: (reader, { texts }) => {
    // Tells the time of asking, which no other read does. The estimate of tokens needs a file that a bundle lacks.
    const timeless = (query: ContextQuery) =>
      Effect.map(reader.context(query), ({ at: _, tokens: __, user, ...context }) => ({
        ...context,
        user: user.replace(/^Asked at .*$/m, ""),
        parts: context.parts.map(({ name, memories }) => [name, memories])
      }))
    return [
      ["nothing asked", timeless({})],
      ["session", timeless({ session: "monday", format: "markdown" })],
      ...texts.slice(0, 3).map((text) => [text, timeless({ session: "friday", message: `${text}?` })] as const)
    ]
  },
  profile: (reader) => [
    ["all", reader.profile()],
    ["small", reader.profile({ tokens: 12 })]
  ],
  "maintenance.list": (reader) => [["all", reader.maintenance.list()]],
  "maintenance.get": (reader) => [["nobody", reader.maintenance.get("0000000000")]],
  "sessions.summaries": (reader) => [
    ["all", reader.sessions.summaries()],
    ["page", reader.sessions.summaries({ limit: 1, offset: 1 })],
    ["monday", reader.sessions.summaries({ session: "monday" })],
    ["nobody", reader.sessions.summaries({ session: "nobody" })]
  ],
  "archive.list": (reader, { texts }) => [
    ["all", reader.archive.list()],
    ["page", reader.archive.list({ limit: 2, offset: 1 })],
    ...texts.slice(0, 3).map((text) => [text, reader.archive.list({ text })] as const)
  ],
  "recalls.get": (reader) => [1, 2, 3, 1_000].map((number) => [String(number), reader.recalls.get(number)] as const),
  "schedules.list": (reader) => [
    ["all", reader.schedules.list()],
    ["page", reader.schedules.list({ limit: 1, offset: 1 })],
    ["active", reader.schedules.list({ statuses: ["active"], text: "tea" })],
    ["due", reader.schedules.list({ before: "2026-03-14T12:00:00Z", handlers: ["tides"] })]
  ],
  "schedules.count": (reader) => [
    ["all", reader.schedules.count()],
    ["over", reader.schedules.count({ statuses: ["completed", "failed"] })]
  ],
  "schedules.get": (reader) => [
    ["nobody", reader.schedules.get("0000000000")],
    ["each", eachSchedule(reader, ({ id }) => reader.schedules.get(id))]
  ],
  "schedules.runs": (reader) => [
    ["nobody", reader.schedules.runs("0000000000")],
    ["each", eachSchedule(reader, ({ id }) => reader.schedules.runs(id, { limit: 3 }))]
  ],
  "schedules.run": (reader) => [
    ["nobody", reader.schedules.run("0000000000")],
    [
      "each",
      eachSchedule(reader, ({ id }) =>
        Effect.flatMap(reader.schedules.runs(id), (runs) =>
          Effect.forEach(runs, ({ run }) => reader.schedules.run(run))
        )
      )
    ]
  ],
  "recalls.rerun": (reader) => [1, 1_000].map((number) => [String(number), reader.recalls.rerun(number)] as const)
}

const eachSchedule = <A, E>(reader: MemoryReader, f: (schedule: { readonly id: string }) => Effect.Effect<A, E>) =>
  Effect.flatMap(reader.schedules.list(), (schedules) => Effect.forEach(schedules, f))

/** What a reader answers on every path, errors included, as text to compare to the byte. */
export const answers = (reader: MemoryReader, probe: Probe): Effect.Effect<Flat> =>
  Effect.gen(function* () {
    const all: Record<string, string> = {}
    for (const [path, reads] of Object.entries(readPaths)) {
      for (const [name, read] of reads(reader, probe)) {
        const answer = yield* Effect.either(read)
        all[`${path} ${name}`] = Either.isRight(answer) ? JSON.stringify(answer.right) : told(answer.left)
      }
    }
    return all
  })

/** An error as a caller sees it. */
export const told = (error: unknown): string =>
  JSON.stringify({ ...(error as object), message: error instanceof Error ? error.message : String(error) })

/** What to ask each agent. */
export type Probes = ReadonlyMap<string, Probe>

/** Answers or digests by what was asked. */
export type Flat = Readonly<Record<string, string>>

/** The digests of the agents' views, whole and by projection. */
export const digestsOf = (
  daybook: Context.Tag.Service<Daybook>,
  probes: Probes
): Effect.Effect<Flat, ViewError | InvalidInput> =>
  Effect.gen(function* () {
    const all: Record<string, string> = {}
    for (const agent of probes.keys()) {
      const { digest, projections, stateDigest } = yield* daybook.digests(agent)
      for (const [name, one] of Object.entries({ digest, stateDigest, ...projections })) all[`${agent} ${name}`] = one
    }
    return all
  })

/** Every read at every level, now or as of a moment. */
export const everything = (daybook: Context.Tag.Service<Daybook>, probes: Probes, asOf?: AsOfInput) =>
  Effect.gen(function* () {
    const all: Record<string, string> = {}
    for (const [agent, probe] of probes) {
      for (const trust of levels) {
        const reader = yield* asOf === undefined
          ? daybook.agent(agent, { trust })
          : daybook.agent(agent, { trust, asOf })
        for (const [name, answer] of Object.entries(yield* answers(reader, probe))) {
          all[`${agent} ${trust} ${name}`] = answer
        }
      }
    }
    return all as Flat
  })
