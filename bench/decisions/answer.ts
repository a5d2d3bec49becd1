import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Default from "../../layers/Default.js"
import { Daybook } from "../../src/Daybook.js"
import type { Memory } from "../../src/Memory.js"
import type { PolicyValues } from "../../src/ports/Policy.js"
import type { Reconciler } from "../../src/ports/Reconciler.js"
import { wordSet } from "../../text/normalise/similarity.js"
import { toInstant } from "../../text/when/dates.js"
import type { Answer, Retirement } from "./scores.js"
import type { Story, StoryMemory } from "./stories.js"

/**
 * Lets Daybook decide on each story's statement, through the public API. Each story has its own agent. The agent stores
 * the story's memories without reconciliation. It then remembers the statement with the normal search for candidates,
 * and runs a night's maintenance.
 */
export const answerStories = (
  stories: ReadonlyArray<Story>,
  policy: PolicyValues,
  reconciler?: Layer.Layer<Reconciler>
): Promise<ReadonlyArray<Answer>> => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-decisions-"))
  return Effect.flatMap(Daybook, (daybook) =>
    Effect.forEach(stories, (story, at) => answerOf(daybook, `story-${at}`, story))
  ).pipe(
    Effect.provide(Layer.orDie(Default.layer({ folder, policy, ...(reconciler === undefined ? {} : { reconciler }) }))),
    Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true, force: true }))),
    Effect.runPromise
  )
}

const answerOf = (daybook: Daybook["Type"], agent: string, { memories, statement }: Story) =>
  Effect.gen(function* () {
    const memory = yield* daybook.agent(agent, { trust: "full" })
    // The statement comes last. Memories without a date come before it, in order and one day apart.
    const dated = memories.flatMap(({ at }) => (at === undefined ? [] : [toInstant(at)!]))
    const statedAt = toInstant(statement.at) ?? (dated.length > 0 ? Math.max(...dated) + day : today)
    const ids: Array<string> = []
    for (const [index, story] of memories.entries()) {
      const at = toInstant(story.at) ?? statedAt - (memories.length - index) * day
      ids.push((yield* memory.remember(observationOf(story, at), { reconcile: false })).id)
    }
    yield* daybook.backfill(agent)
    const before = yield* standing(memory, ids)
    const { disputes, id, outcome, replaced } = yield* memory.remember(observationOf(statement, statedAt))
    const [event] = yield* memory.history(id).pipe(Effect.map((entries) => entries.slice(-1)))
    const reason = event?.decision?.reason ?? ""
    const written = retiredIn(before, yield* standing(memory, ids))
    yield* memory.maintenance.run()
    const night = retiredIn(before, yield* standing(memory, ids))
    const answer = (action: Answer["action"], target = id): Answer => ({
      action,
      target: ids.indexOf(target),
      reason,
      retired: { written, night }
    })
    if (outcome === "replaced") return answer("DELETE", replaced)
    if (disputes !== undefined) return { ...answer("ADD", disputes[0]!), disputes: true }
    if (outcome === "added") return { action: "ADD", reason, retired: { written, night } } satisfies Answer
    return answer(outcome === "merged" ? "UPDATE" : "NONE")
  })

/** Returns the text of each memory as readers find it; undefined for a memory that no read returns. */
const standing = (memory: Memory, ids: ReadonlyArray<string>) =>
  Effect.map(memory.get(ids), (found) => {
    const byId = new Map(found.map((one) => [one.id, [one.title, ...one.facts, one.narrative ?? ""].join("\n")]))
    return ids.map((id) => byId.get(id))
  })

/** The memories that were retired or lost words, each with its index in the story. */
const retiredIn = (
  before: ReadonlyArray<string | undefined>,
  after: ReadonlyArray<string | undefined>
): ReadonlyArray<Retirement> =>
  before.flatMap((text = "", place): ReadonlyArray<Retirement> => {
    const now = after[place]
    if (now === undefined) return [{ action: "DELETE", target: place, facts: factsOf(text).length }]
    const words = wordSet(now)
    const lost = factsOf(text).filter((fact) => [...wordSet(fact)].some((word) => !words.has(word)))
    return lost.length === 0 ? [] : [{ action: "UPDATE", target: place, facts: lost.length }]
  })

const factsOf = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line !== "")

const day = 86_400_000
const today = Date.parse("2026-06-01T12:00:00Z")

const observationOf = ({ at: _, ...fields }: StoryMemory, occurredAt: number) => ({ ...fields, occurredAt })
