import { toInstant } from "../../src/dates.js"
import { none, type Question, type Reconciler, type Statement } from "../../src/Reconciler.js"
import type { Answer } from "./scores.js"
import type { Story, Told } from "./stories.js"

/** Those that can be asked, by name. */
export const reconcilers: Readonly<Record<string, Reconciler["Type"]>> = { none }

/** What a reconciler makes of a story when it is shown every memory of it, all equally like the statement. */
export const answer = (reconciler: Reconciler["Type"], story: Story): Answer => {
  const { verdict } = reconciler.judge(questionOf(story))
  return {
    action: verdict.action,
    ...(verdict.action === "ADD" ? {} : { target: verdict.target }),
    reason: verdict.reason
  }
}

const day = 86_400_000
const today = Date.parse("2026-06-01T12:00:00Z")

/** The statement comes last, memories without a date a day apart before it, in their order. */
const questionOf = ({ memories, statement }: Story): Question => {
  const dated = memories.flatMap(({ at }) => (at === undefined ? [] : [toInstant(at)!]))
  const said = toInstant(statement.at) ?? (dated.length > 0 ? Math.max(...dated) + day : today)
  return {
    statement: statementOf(statement, said),
    candidates: memories.map((memory, place) => ({
      ...statementOf(memory, toInstant(memory.at) ?? said - (memories.length - place) * day),
      score: 1
    }))
  }
}

const statementOf = ({ facts = [], narrative, people = [], tags = [], title, type = "discovery" }: Told, at: number) =>
  ({ type, title, ...(narrative === undefined ? {} : { narrative }), facts, tags, people, at }) satisfies Statement
