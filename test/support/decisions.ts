import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Question, ReconcilerService, Statement, Verdict } from "../../src/ports/Reconciler.js"

/** A memory or a statement of a labelled story, as its file has it. */
export interface Told {
  readonly type?: string
  readonly title: string
  readonly narrative?: string
  readonly facts?: ReadonlyArray<string>
  readonly tags?: ReadonlyArray<string>
  readonly people?: ReadonlyArray<string>
  readonly at?: string
}

/** A labelled story: memories, a statement, and what may be decided. */
export interface Story {
  readonly id: string
  readonly kind: string
  readonly memories: ReadonlyArray<Told>
  readonly statement: Told
  readonly accept: ReadonlyArray<{ readonly action: Verdict["action"]; readonly target?: number }>
}

/** Reads stories from JSON lines. */
export const readStories = (file: string): ReadonlyArray<Story> =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

/**
 * Stories that no weight was made from. `kept-3`: 260 by two authors. `kept-6`: 200 plain ones by two more. `kept-7` and
 * `kept-8`: 144 everyday ones each, by two more.
 */
export const readHeldOutStories = (set: "kept-3" | "kept-6" | "kept-7" | "kept-8" = "kept-3") =>
  readStories(join(import.meta.dirname, "..", "fixtures", "stories", `${set}.jsonl`))

const statementOf = (
  { at, facts = [], people = [], tags = [], type = "discovery", ...rest }: Told,
  day: string
): Statement => ({
  ...rest,
  facts,
  people,
  tags,
  type,
  at: Date.parse(at ?? day)
})

/** The question that a story asks: its memories as they stand, or in another order. */
export const questionOf = ({ memories, statement }: Pick<Story, "memories" | "statement">): Question => ({
  statement: statementOf(statement, "2026-06-01"),
  candidates: memories.map((memory, place) => ({ ...statementOf(memory, "2026-01-01"), score: 1 / (place + 1) }))
})

export const accepts = (story: Story, verdict: Verdict): boolean =>
  story.accept.some(
    ({ action, target }) =>
      action === verdict.action &&
      (action === "ADD" || target === undefined || target === (verdict as { target?: number }).target)
  )

/** How well a reconciler's rules answer labelled stories. Shares are 0…1; of nothing they are 1. */
export const scoreOf = (reconciler: Pick<ReconcilerService, "judge">, stories: ReadonlyArray<Story>) => {
  const confusion: Record<string, Record<string, number>> = {}
  const answered: Record<string, number> = {}
  const right: Record<string, number> = {}
  const wrong: Array<{ readonly story: Story; readonly verdict: Verdict; readonly sure: boolean }> = []
  let sureWrong = 0
  let sureCount = 0
  for (const story of stories) {
    const { sure, verdict } = reconciler.judge(questionOf(story))
    const ok = accepts(story, verdict)
    const first = story.accept[0]!.action
    confusion[first] ??= {}
    confusion[first][verdict.action] = (confusion[first][verdict.action] ?? 0) + 1
    answered[verdict.action] = (answered[verdict.action] ?? 0) + 1
    if (ok) right[verdict.action] = (right[verdict.action] ?? 0) + 1
    else wrong.push({ story, verdict, sure })
    if (sure) sureCount++
    if (sure && !ok) sureWrong++
  }
  const precision = (action: string) => (answered[action] === undefined ? 1 : (right[action] ?? 0) / answered[action])
  return { accuracy: 1 - wrong.length / Math.max(1, stories.length), precision, confusion, wrong, sureCount, sureWrong }
}
