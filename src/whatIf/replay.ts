import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type DaybookEvent, imagesOf, type Payload } from "../../events/catalogue.js"
import { storageError } from "../../events/errors.js"
import { embeddingText, type Memory } from "../../events/Memory.js"
import type { ModelName } from "../../projections/embedders.js"
import type { QueryVector } from "../../projections/hits.js"
import { findById } from "../../projections/observations.js"
import type { Lookup } from "../../projections/Projection.js"
import { textDigest } from "../../projections/vectors.js"
import { makeLookup } from "../../projections/view/build.js"
import { isStorageFailure } from "../../projections/view/ViewFile.js"
import type { AnyCommand, DecidedEvent } from "../actor/Command.js"
import type { Question } from "../ports/Reconciler.js"
import type { Answers } from "./answers.js"
import type { Branch } from "./branch.js"
import { carried } from "./carried.js"
import { comesToTheSame, type Grounds, type Mutation, onTheSameGrounds, takenOf, whyOf } from "./diff.js"
import type { Divergence, Images } from "./divergence.js"
import type { Step } from "./steps.js"
import type { DecisionDiff, Skipped, Taken } from "./WhatIf.js"

/** What has come out so far. */
export interface Tally {
  readonly decisions: Array<DecisionDiff>
  readonly skipped: Array<Skipped>
  /** Both sides of every decision, for counting. */
  readonly taken: (before: Taken, after: Taken, how: "same" | "otherGrounds" | "different") => void
}

/** The vectors that steps need which are decided under one embedder. */
export interface PageVectors {
  /** Whether an index is the one that is looked at. */
  readonly isLooked: (index: ModelName) => boolean
  /** Of what is weighed, by command. */
  readonly told: ReadonlyMap<AnyCommand, QueryVector | null>
  /** Of an index, by the digest of their text. */
  readonly cached: Lookup["vectorOf"]
  /** Makes those of texts that only the branch has. */
  readonly make: (texts: ReadonlyMap<string, string>) => Effect.Effect<ReadonlyMap<string, Float32Array>>
}

export interface Replaying {
  readonly branch: Branch
  readonly divergence: Divergence
  /** Undefined where nothing is weighed. */
  readonly answers: Answers | undefined
  readonly policy: { readonly threshold: number; readonly candidates: number; readonly concurrency: number }
  readonly tally: Tally
}

/** Takes the steps of a page, one on top of the other, and lets others have their turn in between. */
export const replay = ({ answers, branch, divergence, policy, tally }: Replaying) => {
  const { db } = branch
  const first = new Map<Memory["store"], number>()

  const decide = ({ event, command }: Extract<Step, { command: AnyCommand }>, vectors: PageVectors) => {
    const vector = vectors.told.get(command)
    let made = 0
    return command.decide({
      db,
      now: event.recordedAt,
      version: event.version,
      // What the log made keeps its id; what only the branch has is named by its version, as no id is.
      newId: () =>
        made++ === 0 ? (createdBy(event) ?? `what-if-${event.version}`) : `what-if-${event.version}-${made}`,
      decided: [],
      ...(vector === undefined ? {} : { told: { vector } }),
      again: false
    })
  }

  const apply = (event: DaybookEvent, decided: ReadonlyArray<DecidedEvent>) => {
    const whole = decided.map(
      ({ occurredAt, payload, type }) =>
        ({ ...event, commandId: null, type, payload, occurredAt: occurredAt ?? event.recordedAt }) as DaybookEvent
    )
    divergence.during(event.version, imagesById([event]), imagesById(whole), () => {
      for (const one of whole) branch.apply(one, noVectors)
    })
  }

  const decision = (step: Extract<Step, { kind: "decide" }>, vectors: PageVectors): boolean => {
    const { event } = step
    answers?.about(event)
    const decided = decide(step, vectors)
    if (answers?.open() !== undefined) return false
    const source = answers?.source()
    if (Either.isLeft(decided)) refuse(event, decided.left.message)
    else if ("events" in decided.right) {
      const [main] = decided.right.events
      compare(event, takenOf(main as Mutation, source))
      apply(event, decided.right.events)
    }
    return true
  }

  const compare = (event: Mutation, after: Taken) => {
    const before = takenOf(event)
    const same = comesToTheSame(before, after)
    tally.taken(before, after, !same ? "different" : onTheSameGrounds(before, after) ? "same" : "otherGrounds")
    if (same) return
    const { store } = event.payload.memory
    const grounds: Grounds = { ...policy, since: divergence.since, first: first.get(store) }
    const { version } = event
    tally.decisions.push({ version, title: titleOf(event), store, before, after, why: whyOf(before, after, grounds) })
    if (!first.has(store)) first.set(store, version)
  }

  const refuse = (event: Mutation, reason: string) => {
    compare(event, { outcome: "refused", by: { kind: "rule", name: "input" }, reason, candidates: [] })
    apply(event, [])
  }

  const change = (step: Extract<Step, { kind: "change" }>, vectors: PageVectors) => {
    const decided = decide(step, vectors)
    const { event } = step
    if (Either.isLeft(decided)) skip(event, event.payload.memory)
    apply(event, Either.isRight(decided) && "events" in decided.right ? decided.right.events : [])
  }

  const skip = (event: DaybookEvent, { id, title }: Memory) => {
    const reason = "reason" in event.payload ? ` ${event.payload.reason}` : ""
    tally.skipped.push({
      version: event.version,
      id,
      title,
      change: `${event.type}${reason}`,
      follows: divergence.since(id) ?? 0
    })
  }

  const carry = (event: DaybookEvent) => {
    const mine = carried(event, { liveNow: divergence.liveNow, find: (id) => findById(db, id), skip })
    divergence.during(event.version, imagesById([event]), imagesById(mine === undefined ? [] : [mine]), () => {
      if (mine !== undefined) branch.apply(mine, noVectors)
    })
  }

  /** Texts that only the branch has, by their digest: what has been there without a vector for long enough. */
  const unembedded = (): ReadonlyMap<string, Memory> => {
    const found = new Map<string, Memory>()
    for (const id of divergence.unembedded) {
      const memory = findById(db, id)
      if (memory?.status === "active") found.set(id, memory)
      else divergence.unembedded.delete(id)
    }
    return found
  }

  const embed = ({ event }: Extract<Step, { kind: "embed" }>, { cached, isLooked }: PageVectors, own: Own) => {
    const looked = isLooked(event.payload)
    const entries: Array<Payload<"EMBED">["entries"][number]> = []
    for (const entry of event.payload.entries) {
      const memory = findById(db, entry.memory)
      if (memory?.status !== "active" || textDigest(embeddingText(memory)) !== entry.digest) continue
      entries.push({ ...entry, store: memory.store })
      if (looked) divergence.unembedded.delete(entry.memory)
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
          cached(model, dimensions, digest) ?? (looked ? own.vectors.get(digest) : undefined)
      )
    )
  }

  /** Takes a step; false where something has to be found out first. */
  const take = (step: Step, vectors: PageVectors, own: Own | undefined): boolean => {
    switch (step.kind) {
      case "decide":
        return decision(step, vectors)
      case "refused":
        refuse(step.event, step.reason)
        return true
      case "change":
        change(step, vectors)
        return true
      case "carry":
        carry(step.event)
        return true
      case "embed":
        if (own === undefined && divergence.unembedded.size > 0 && vectors.isLooked(step.event.payload)) return false
        embed(step, vectors, own ?? nothing)
        return true
      case "apply":
        branch.apply(step.event, noVectors)
        return true
      case "skip":
        if (step.event.payload !== null) apply(step.event as DaybookEvent, [])
        return true
    }
  }

  /** The questions of the next steps, as far as they can be told by now: they are asked together. */
  const questions = (steps: ReadonlyArray<Step>, vectors: PageVectors): ReadonlyArray<Question> => {
    const found: Array<Question> = []
    for (const step of steps.slice(0, 4 * policy.concurrency)) {
      if (step.kind !== "decide" || found.length === policy.concurrency) continue
      answers!.about(step.event)
      decide(step, vectors)
      const open = answers!.open()
      if (open !== undefined) found.push(open)
    }
    return found
  }

  return (steps: ReadonlyArray<Step>, vectors: PageVectors) =>
    Effect.gen(function* () {
      let at = 0
      let own: Own | undefined
      yield* sync(() => db.exec("BEGIN"))
      while (at < steps.length) {
        const until = performance.now() + slice
        const done = yield* sync(() => {
          while (at < steps.length && performance.now() < until) {
            if (!take(steps[at]!, vectors, own)) return false
            own = undefined
            at++
          }
          return true
        })
        if (!done) {
          const step = steps[at]!
          if (step.kind === "embed") {
            const memories = yield* sync(unembedded)
            const texts = [...memories.values()].map(embeddingText)
            own = { memories, vectors: yield* vectors.make(new Map(texts.map((text) => [textDigest(text), text]))) }
          } else {
            yield* answers!.ask(yield* sync(() => questions(steps.slice(at), vectors)))
          }
        }
        yield* turn
      }
      yield* sync(() => db.exec("COMMIT"))
    })
}

/** Texts that only the branch has, and their vectors by digest. */
interface Own {
  readonly memories: ReadonlyMap<string, Memory>
  readonly vectors: ReadonlyMap<string, Float32Array>
}

const nothing: Own = { memories: new Map(), vectors: new Map() }
const noVectors = makeLookup(() => undefined)

/** Milliseconds of work after which others have their turn. */
const slice = 20

/** Lets signals and timers in, which other fibers' turns do not. */
const turn = Effect.async<void>((resume) => {
  const later = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(later))
})

const sync = <A>(work: () => A) =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (cause) {
      return isStorageFailure(cause) ? Effect.fail(storageError("view")(cause)) : Effect.die(cause)
    }
  })

const imagesById = (events: ReadonlyArray<DaybookEvent>): Images =>
  new Map(events.flatMap(imagesOf).map((memory) => [memory.id, memory]))

/** The memory that an event added. */
const createdBy = ({ payload, type }: Mutation): string | undefined =>
  type === "ADD" ? payload.memory.id : type === "DELETE" ? payload.replacement?.id : undefined

/** The title of what was to be remembered, which a merged memory need not say any more. */
const titleOf = ({ payload }: Mutation): string => {
  const asked = payload.input?.title
  if (typeof asked === "string") return asked
  return ("replacement" in payload ? payload.replacement : undefined)?.title ?? payload.memory.title
}
