import * as Either from "effect/Either"
import { afterImages, type DaybookEvent } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import type { QueryVector } from "../../projections/hybridSearch.js"
import { findById } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import { makeLookup } from "../../projections/view/decodePage.js"
import type { AnyCommand, DecidedEvent } from "../actor/Command.js"
import type { Question } from "../ports/Reconciler.js"
import type { Answers } from "./answers.js"
import type { Branch } from "./branch.js"
import { carryOver } from "./carryOver.js"
import { findDifferenceCause, type Grounds, type Mutation, resultOf, sameGrounds, sameResult } from "./diff.js"
import type { Divergence, Images } from "./divergence.js"
import type { Step } from "./steps.js"
import type { DecisionDiff, DecisionResult, Skipped } from "./WhatIf.js"

/** The results so far. */
export interface Tally {
  readonly decisions: Array<DecisionDiff>
  readonly skipped: Array<Skipped>
  /** Counts a decision with its results in the log and in the branch. */
  readonly count: (
    before: DecisionResult,
    after: DecisionResult,
    agreement: "same" | "otherGrounds" | "different"
  ) => void
}

export interface RedecideContext {
  readonly branch: Branch
  readonly divergence: Divergence
  /** The branch's reconciler; undefined if the branch compares no statements. */
  readonly answers: Answers | undefined
  readonly policy: { readonly threshold: number; readonly candidates: number; readonly concurrency: number }
  readonly tally: Tally
}

/**
 * For each command, the vector of the statement that is compared with memories. Null if the statement could not be
 * embedded.
 */
export type StatementVectors = ReadonlyMap<AnyCommand, QueryVector | null>

export const noVectors = makeLookup(() => undefined)

type Decidable = Extract<Step, { command: AnyCommand }>

/** Decides the events of the log again, applies the results to the branch and compares them with the log. */
export const makeRedecider = (redeciding: RedecideContext) => {
  const { answers, branch, divergence, tally } = redeciding
  const { db } = branch
  const compare = makeComparison(redeciding)
  const apply = makeApply(redeciding)

  const refuse = (event: Mutation, reason: string) => {
    compare(event, { outcome: "refused", by: { kind: "rule", name: "input" }, reason, candidates: [] })
    apply(event, [])
  }

  const skip = (event: DaybookEvent, memory: Memory) => {
    tally.skipped.push(skippedOf(event, memory, divergence.since(memory.id)))
  }

  return {
    apply,
    refuse,

    /** Decides the step again. Returns false if the reconciler must ask its model first. */
    redecide: (step: Extract<Step, { kind: "decide" }>, vectors: StatementVectors): boolean => {
      const { event } = step
      answers?.begin(event)
      const decided = decide(db, step, vectors)
      if (answers?.openQuestion() !== undefined) return false
      const source = answers?.source()
      if (Either.isLeft(decided)) refuse(event, decided.left.message)
      else if ("events" in decided.right) {
        const [main] = decided.right.events
        compare(event, resultOf(main as Mutation, source))
        apply(event, decided.right.events)
      }
      return true
    },

    /** Applies a caller's change to the branch's memory. */
    change: (step: Extract<Step, { kind: "change" }>, vectors: StatementVectors) => {
      const decided = decide(db, step, vectors)
      const { event } = step
      if (Either.isLeft(decided)) skip(event, event.payload.memory)
      apply(event, Either.isRight(decided) && "events" in decided.right ? decided.right.events : [])
    },

    /** Applies an event that is not decided again to the branch's memories. */
    carry: (event: DaybookEvent) => {
      const branchEvent = carryOver(event, { liveNow: divergence.liveNow, find: (id) => findById(db, id), skip })
      const branchEvents = branchEvent === undefined ? [] : [branchEvent]
      divergence.during(event.version, imagesById([event]), imagesById(branchEvents), () => {
        if (branchEvent !== undefined) branch.apply(branchEvent, noVectors)
      })
    },

    /** The questions of the next steps that are known now. They can be asked concurrently. */
    questions: (steps: ReadonlyArray<Step>, vectors: StatementVectors): ReadonlyArray<Question> => {
      const { concurrency } = redeciding.policy
      const questions: Array<Question> = []
      for (const step of steps.slice(0, 4 * concurrency)) {
        if (step.kind !== "decide" || questions.length === concurrency) continue
        answers!.begin(step.event)
        decide(db, step, vectors)
        const open = answers!.openQuestion()
        if (open !== undefined) questions.push(open)
      }
      return questions
    }
  }
}

const decide = (db: Db, { command, event }: Decidable, vectors: StatementVectors) => {
  const vector = vectors.get(command)
  return command.decide({
    db,
    now: event.recordedAt,
    version: event.version,
    newId: makeNewId(event),
    decided: [],
    ...(vector === undefined ? {} : { advice: { vector } }),
    mayRedecide: false
  })
}

/** Makes the function that replaces an event of the log with the decided events, and applies them to the branch. */
const makeApply =
  ({ branch, divergence }: RedecideContext) =>
  (event: DaybookEvent, decided: ReadonlyArray<DecidedEvent>) => {
    const branchEvents = decided.map(
      ({ occurredAt, payload, type }) =>
        ({ ...event, commandId: null, type, payload, occurredAt: occurredAt ?? event.recordedAt }) as DaybookEvent
    )
    divergence.during(event.version, imagesById([event]), imagesById(branchEvents), () => {
      for (const branchEvent of branchEvents) branch.apply(branchEvent, noVectors)
    })
  }

const skippedOf = (event: DaybookEvent, { id, title }: Memory, since: number | undefined): Skipped => {
  const reason = "reason" in event.payload ? ` ${event.payload.reason}` : ""
  return { version: event.version, id, title, change: `${event.type}${reason}`, follows: since ?? 0 }
}

/** Makes the function that compares a decision of the branch with that of the log and records a difference. */
const makeComparison = ({ divergence, policy, tally }: RedecideContext) => {
  /** The first version with another result, by store. */
  const firstDifference = new Map<Memory["store"], number>()
  return (event: Mutation, after: DecisionResult) => {
    const before = resultOf(event)
    const isSame = sameResult(before, after)
    tally.count(before, after, !isSame ? "different" : sameGrounds(before, after) ? "same" : "otherGrounds")
    if (isSame) return
    const { version } = event
    const { store } = event.payload.memory
    const scope: Grounds = { ...policy, since: divergence.since, first: firstDifference.get(store) }
    tally.decisions.push({
      version,
      title: titleOf(event),
      store,
      before,
      after,
      why: findDifferenceCause(before, after, scope)
    })
    if (!firstDifference.has(store)) firstDifference.set(store, version)
  }
}

/**
 * A memory that is also in the log keeps its id. A memory that only the branch has gets an id with the version; real
 * ids never have this form.
 */
const makeNewId = (event: Mutation) => {
  let count = 0
  return () => (count++ === 0 ? (createdBy(event) ?? `what-if-${event.version}`) : `what-if-${event.version}-${count}`)
}

const imagesById = (events: ReadonlyArray<DaybookEvent>): Images =>
  new Map(events.flatMap(afterImages).map((memory) => [memory.id, memory]))

/** The memory that an event added. */
const createdBy = ({ payload, type }: Mutation): string | undefined =>
  type === "ADD" ? payload.memory.id : type === "DELETE" ? payload.replacement?.id : undefined

/** The title of the observation. A merged memory may have another title. */
const titleOf = ({ payload }: Mutation): string => {
  const requestedTitle = payload.input?.title
  if (typeof requestedTitle === "string") return requestedTitle
  return ("replacement" in payload ? payload.replacement : undefined)?.title ?? payload.memory.title
}
