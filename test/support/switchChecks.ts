import * as Effect from "effect/Effect"
import type { Store } from "../../events/Trust.js"
import type { DaybookService } from "../../src/DaybookService.js"
import { defaults, type PolicyValues } from "../../src/ports/Policy.js"
import {
  anchored,
  anchorName,
  anchors,
  embeddedOf,
  pathOf,
  type Question,
  sessionOf,
  textOf,
  titleOf,
  type World
} from "./switchWorld.js"
import { cosine, floor, type Model, vectorIn, weightOf } from "./tongues.js"

export const agent = "ada"

/** Hits of each side; all that are found are shown, as they were scored. */
const pool = 300
export const policy: PolicyValues = {
  ...defaults,
  reconcile: { ...defaults.reconcile, reconciler: "none" },
  recall: { ...defaults.recall, log: false },
  search: { ...defaults.search, pool, fold: false, rerank: false, queryTimeout: 60_000 },
  embedding: { ...defaults.embedding, gather: 20 },
  actors: { ...defaults.actors, idle: 3_600_000 }
}

/** A hit as far as checks look at it. */
export interface Seen {
  /** A title, the place of a turn, the place of a piece. */
  readonly key: string
  readonly store: Store
  /** What was embedded of it. */
  readonly embedded: string
  readonly score: number
  readonly text: number
  readonly vector: number
  readonly parts: Readonly<Record<string, number>>
}

export interface Answered {
  /** The model that the answer names. */
  readonly model: string | null
  readonly hits: ReadonlyArray<Seen>
}

/** Asks, and sees all that was found. */
export const ask = (daybook: DaybookService, world: World, question: Question, version?: number) =>
  Effect.gen(function* () {
    const { of, store, trust, words } = question
    const memory = yield* version === undefined
      ? daybook.agent(agent, { trust, record: false })
      : daybook.agent(agent, { trust, asOf: { version } })
    const query = { text: textOf(question), limit: 1_000, ...(store === undefined ? {} : { stores: [store] }) }
    const seen = (key: string, embedded: string, store: Store, score: number, parts: object): Seen => {
      const all = parts as Readonly<Record<string, number>>
      return { key, store, embedded, score, text: all.text!, vector: all.vector!, parts: all }
    }
    if (of === "memories") {
      const { explanation, hits } = yield* memory.explain(query)
      return {
        model: explanation.vectors,
        hits: hits.map(({ parts, score, store, title }) =>
          seen(title, embeddedOf.memory(world, title), store, score, parts)
        )
      } satisfies Answered
    }
    // Of a file of several pieces the one that has the words is shown, and another one may be the nearest.
    const kinds = words ? (["turn"] as const) : (["turn", "file"] as const)
    const { explanation, hits } = yield* memory.sessions.explain({ ...query, kinds })
    return {
      model: explanation.vectors,
      hits: hits.map((hit) => {
        const { parts, score, store } = hit
        return hit.file === undefined
          ? seen(
              `${hit.session} ${hit.sequence}`,
              embeddedOf.turn(hit.session ?? "", hit.sequence ?? 0),
              store,
              score,
              parts
            )
          : seen(
              `${hit.file.path} ${hit.file.line} ${hit.text.length}`,
              embeddedOf.piece(hit.file.path, hit.text),
              store,
              score,
              parts
            )
      })
    } satisfies Answered
  })

/** Which embedder each store goes by while one is in force. */
export const modelOf = (inForce: "near" | "far", store: Store): Model =>
  inForce === "far" && store === "private" ? "home" : inForce

const mayRead = { full: ["private", "shared", "social"], inner: ["shared", "social"], familiar: ["social"] }

/** What has to be among the hits, whatever else was written. */
export const anchorsOf = ({ of, store, thing, trust, words }: Question): ReadonlyArray<string> => {
  if (thing >= anchored) return []
  const stores = ["private", "shared", "social"]
  const reads = (at: number) =>
    mayRead[trust].includes(stores[at % 3]!) && (store === undefined || store === stores[at % 3])
  const all = (length: number) => Array.from({ length }, (_, at) => at)
  if (of === "memories") {
    return all(anchors.memories)
      .filter(reads)
      .map((at) => titleOf(thing, anchorName(at)))
  }
  const turns = reads(thing) ? all(anchors.turns).map((at) => `${sessionOf(thing, "anchor")} ${at + 1}`) : []
  const files = words ? [] : all(anchors.files).filter(reads)
  return [...turns, ...files.map((at) => pathOf(thing, anchorName(at)))]
}

/** Scores agree when they differ by no more: distances are of single precision. */
const tolerance = 2e-4

/** What an answer shows about the models that made it. */
export interface Verdict {
  /** What is wrong with it. */
  readonly faults: ReadonlyArray<string>
  /** The embedder in force by which it was made. */
  readonly inForce: "near" | "far" | null
  /** The models that its hits were compared by, those of which the hits tell that it was no other. */
  readonly told: ReadonlyArray<Model>
}

/**
 * Whether an answer could have come of one embedder alone, the one that it names: the part of each hit that is due to
 * vectors is as its text and the question's are to each other by that model, and not by any other; and what must be
 * found is there by its vector, also where it has no word of the question.
 */
export const judge = (question: Question, { hits, model }: Answered): Verdict => {
  const faults: Array<string> = []
  const inForce = model === "near" ? "near" : model === "far" || model === "home" ? "far" : null
  if (inForce === null) return { faults: [`vectors of ${model}`], inForce, told: [] }
  if (model === "home" && question.store !== "private") faults.push("home was asked for all stores")
  const { 0: first } = hits
  if (first === undefined) faults.push("nothing was found")
  if (hits.length >= 1_000) faults.push("not all that was found is shown")
  const query = textOf(question)
  const told: Array<Model> = []
  const sides = new Map<Model, Array<Seen>>()
  for (const hit of hits) {
    const side = modelOf(inForce, hit.store)
    sides.set(side, [...(sides.get(side) ?? []), hit])
    if (!mayRead[question.trust].includes(hit.store)) faults.push(`${hit.key} is ${hit.store}`)
    if (!question.words && question.more === undefined && hit.text !== 0) faults.push(`${hit.key} has a word of it`)
  }
  for (const [side, of] of sides) {
    const found = of.filter(({ vector }) => vector > 0)
    if (found.length >= pool) faults.push(`so many found by ${side} that the scale is not known`)
    const worst = worstBy(side, query, found, weightOf[side])
    if (worst.by > tolerance) {
      const others = (["near", "far", "home"] as const).filter(
        (one) => worstBy(one, query, found, weightOf[side]).by <= tolerance
      )
      faults.push(`${worst.key} is off by ${worst.by} for ${side}${others.length === 0 ? "" : `: it is ${others}`}`)
    }
    const low = found.find((hit) => cosine(vectorOf(side, query), vectorOf(side, hit.embedded)) < floor - tolerance)
    if (low !== undefined) faults.push(`${low.key} is not near at all by ${side}`)
    const others = (["near", "far", "home"] as const).filter((one) => one !== side)
    if (others.every((one) => worstBy(one, query, found, weightOf[side]).by > 20 * tolerance)) told.push(side)
  }
  const byVector = new Set(hits.filter(({ vector }) => vector > 0).map(({ key }) => key.replace(/(\.txt) .*/, "$1")))
  const lost = anchorsOf(question).filter((key) => !byVector.has(key))
  if (lost.length > 0) faults.push(`${lost.length} not found by vector: ${lost[0]}`)
  if (question.words && !hits.some(({ text }) => text > 0)) faults.push("nothing was found by its words")
  return { faults, inForce, told }
}

const vectors = new Map<string, Float32Array>()

/** The same texts are found again and again. */
const vectorOf = (model: Model, text: string): Float32Array => {
  const key = `${model} ${text}`
  const vector = vectors.get(key) ?? vectorIn(model, text)
  if (vectors.size > 20_000) vectors.clear()
  vectors.set(key, vector)
  return vector
}

/** How far the hits are from what a model would have said of them, at worst: all in proportion to the nearest one. */
const worstBy = (model: Model, query: string, found: ReadonlyArray<Seen>, weight: number) => {
  const asked = vectorOf(model, query)
  const similar = found.map(({ embedded }) => cosine(asked, vectorOf(model, embedded)))
  const high = Math.max(...similar)
  let worst = { by: 0, key: "" }
  for (const [at, { key, vector }] of found.entries()) {
    const by = Math.abs((weight * similar[at]!) / high - vector)
    if (by > worst.by) worst = { by, key }
  }
  return worst
}
