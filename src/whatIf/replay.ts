import * as Effect from "effect/Effect"
import type { DaybookEvent, Payload } from "../../events/catalogue.js"
import { storageError } from "../../events/errors.js"
import { embeddingText, type Memory } from "../../events/Memory.js"
import { isYieldDue, yieldToEventLoop } from "../../events/turns.js"
import type { ModelName } from "../../projections/embedders.js"
import { findById } from "../../projections/observations.js"
import type { Lookup } from "../../projections/Projection.js"
import { textDigest } from "../../projections/vectors.js"
import { makeLookup } from "../../projections/view/decodePage.js"
import { isStorageFailure } from "../../projections/view/ViewFile.js"
import { makeRedecider, noVectors, type RedecideContext, type StatementVectors } from "./redecide.js"
import type { Step } from "./steps.js"

/** The vectors for steps that are decided under one embedder. */
export interface PageVectors {
  /** Returns true if decisions search this index. */
  readonly isSearched: (index: ModelName) => boolean
  /** For each command, the vector of the statement that is compared with memories. */
  readonly byCommand: StatementVectors
  /** Looks up a logged vector of an index, by the digest of its text. */
  readonly cached: Lookup["vectorOf"]
  /** Embeds texts that only the branch has. Texts and vectors are keyed by digest. */
  readonly embed: (texts: ReadonlyMap<string, string>) => Effect.Effect<ReadonlyMap<string, Float32Array>>
}

/** Makes the function that runs the steps of a page in order. The function pauses between steps for the event loop. */
export const replay = (redeciding: RedecideContext) => {
  const { answers, branch } = redeciding
  const redecider = makeRedecider(redeciding)
  const { embed, unembedded } = makeEmbedding(redeciding)

  /** Runs a step. Returns false if vectors or answers must be fetched first. */
  const takeStep = (step: Step, vectors: PageVectors, own: OwnVectors | undefined): boolean => {
    switch (step.kind) {
      case "decide":
        return redecider.redecide(step, vectors.byCommand)
      case "refused":
        redecider.refuse(step.event, step.reason)
        return true
      case "change":
        redecider.change(step, vectors.byCommand)
        return true
      case "carry":
        redecider.carry(step.event)
        return true
      case "embed":
        if (own === undefined && redeciding.divergence.unembedded.size > 0 && vectors.isSearched(step.event.payload)) {
          return false
        }
        embed(step, vectors, own ?? noOwnVectors)
        return true
      case "apply":
        branch.apply(step.event, noVectors)
        return true
      case "skip":
        if (step.event.payload !== null) redecider.apply(step.event as DaybookEvent, [])
        return true
    }
  }

  return Effect.fnUntraced(function* (steps: ReadonlyArray<Step>, vectors: PageVectors) {
    let index = 0
    let own: OwnVectors | undefined
    yield* sync(() => branch.db.exec("BEGIN"))
    while (index < steps.length) {
      const isComplete = yield* sync(() => {
        while (index < steps.length && !isYieldDue()) {
          if (!takeStep(steps[index]!, vectors, own)) return false
          own = undefined
          index++
        }
        return true
      })
      if (!isComplete) {
        if (steps[index]!.kind === "embed") {
          const memories = yield* sync(unembedded)
          const texts = [...memories.values()].map(embeddingText)
          own = { memories, vectors: yield* vectors.embed(new Map(texts.map((text) => [textDigest(text), text]))) }
        } else {
          yield* answers!.ask(yield* sync(() => redecider.questions(steps.slice(index), vectors.byCommand)))
        }
      }
      yield* yieldToEventLoop
    }
    yield* sync(() => branch.db.exec("COMMIT"))
  })
}

const makeEmbedding = ({ branch, divergence }: RedecideContext) => ({
  /** Active memories whose text only the branch has and that have no vector yet, by id. */
  unembedded: (): ReadonlyMap<string, Memory> => {
    const memories = new Map<string, Memory>()
    for (const id of divergence.unembedded) {
      const memory = findById(branch.db, id)
      if (memory?.status === "active") memories.set(id, memory)
      else divergence.unembedded.delete(id)
    }
    return memories
  },

  /** Applies an EMBED event to the branch's memories with the same text, and adds the branch's own vectors. */
  embed: ({ event }: Extract<Step, { kind: "embed" }>, { cached, isSearched }: PageVectors, own: OwnVectors) => {
    const isIndexSearched = isSearched(event.payload)
    const entries: Array<Payload<"EMBED">["entries"][number]> = []
    for (const entry of event.payload.entries) {
      const memory = findById(branch.db, entry.memory)
      if (memory?.status !== "active" || textDigest(embeddingText(memory)) !== entry.digest) continue
      entries.push({ ...entry, store: memory.store })
      if (isIndexSearched) divergence.unembedded.delete(entry.memory)
    }
    for (const [id, { born, store, ...memory }] of own.memories) {
      const digest = textDigest(embeddingText(memory))
      if (!divergence.unembedded.has(id) || !own.vectors.has(digest)) continue
      entries.push({ memory: id, born, store, digest })
      divergence.unembedded.delete(id)
    }
    branch.apply(
      { ...event, payload: { ...event.payload, entries } },
      makeLookup(
        (model, dimensions, digest) =>
          cached(model, dimensions, digest) ?? (isIndexSearched ? own.vectors.get(digest) : undefined)
      )
    )
  }
})

/** Memories whose text only the branch has, and their vectors by digest. */
interface OwnVectors {
  readonly memories: ReadonlyMap<string, Memory>
  readonly vectors: ReadonlyMap<string, Float32Array>
}

const noOwnVectors: OwnVectors = { memories: new Map(), vectors: new Map() }

const sync = <A>(work: () => A) =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (cause) {
      return isStorageFailure(cause) ? Effect.fail(storageError("view")(cause)) : Effect.die(cause)
    }
  })
