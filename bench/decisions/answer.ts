import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Default from "../../layers/Default.js"
import { Daybook } from "../../src/Daybook.js"
import type { PolicyValues } from "../../src/ports/Policy.js"
import type { Reconciler } from "../../src/ports/Reconciler.js"
import { toInstant } from "../../text/when/dates.js"
import type { Answer } from "./scores.js"
import type { Story, StoryMemory } from "./stories.js"

/**
 * Lets Daybook decide on each story's statement, through the public API. Each story has its own agent. The agent stores
 * the story's memories without reconciliation. It then remembers the statement with the normal search for candidates.
 */
export const answers = (
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
    const { id, outcome, replaced } = yield* memory.remember(observationOf(statement, statedAt))
    const [event] = yield* memory.history(id).pipe(Effect.map((entries) => entries.slice(-1)))
    const reason = event?.decision?.reason ?? ""
    const answer = (action: Answer["action"], target = id): Answer => ({ action, target: ids.indexOf(target), reason })
    if (outcome === "added") return { action: "ADD", reason } satisfies Answer
    if (outcome === "replaced") return answer("DELETE", replaced)
    return answer(outcome === "merged" ? "UPDATE" : "NONE")
  })

const day = 86_400_000
const today = Date.parse("2026-06-01T12:00:00Z")

const observationOf = ({ at: _, ...fields }: StoryMemory, occurredAt: number) => ({ ...fields, occurredAt })
