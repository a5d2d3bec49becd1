import * as Either from "effect/Either"
import type { Extracted } from "../../events/Decision.js"
import { canRead, levels, lowestLevel, opennessOf, type TrustLevel } from "../../events/Trust.js"
import { sourceLevelOf } from "../../projections/lineage.js"
import { containsCredential } from "../../text/personal/maskCredentials.js"
import type { AnyCommand } from "../actor/Command.js"
import type { Observation } from "../model/input.js"
import { limits } from "../model/limits.js"
import type { ExtractedEnd, ExtractedFact, Extraction } from "../ports/Extractor.js"
import type { PolicyValues } from "../ports/Policy.js"
import { remember, type Writer } from "../remember/remember.js"
import { archiveStatement } from "./archiveStatement.js"
import type { Batch, BatchTurn } from "./request.js"

/** A command that stores an extracted statement, with the data that the EXTRACT event records about it. */
export interface StatementCommand {
  readonly command: AnyCommand
  readonly rule: string
  readonly turns: ReadonlyArray<BatchTurn>
}

/** Why a statement is not stored. */
export type SkipReason = "credential" | "recalled" | "refused"

/** The commands that store an extraction, and how many statements are left out, by reason. */
export interface StatementPlan {
  readonly commands: ReadonlyArray<StatementCommand>
  readonly skipped: ReadonlyMap<SkipReason, number>
}

/** The settings of capture that change what is stored. */
export interface StatementPolicy extends Pick<PolicyValues["capture"], "credentials"> {
  /** True if each extraction writes a line of the daily log. */
  readonly hasDailyLog: boolean
}

/** Makes the commands that store an extraction, and the commands that archive statements that are no longer true. */
export const statementsOf = (
  batch: Batch,
  { archive = [], facts, summary }: Extraction,
  writer: Writer,
  policy: StatementPolicy
): StatementPlan => {
  const dailyLine = policy.hasDailyLog ? (summary ?? lineOf(batch, facts)) : undefined
  const commands: Array<StatementCommand> = []
  const skipped = new Map<SkipReason, number>()
  const skip = (reason: SkipReason) => void skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
  for (const fact of facts) {
    const sources = sourcesOf(batch, fact)
    if (isCredential(fact) && !(policy.credentials && batch.store === "private")) skip("credential")
    else if (isRepeated(batch, fact, sources)) skip("recalled")
    else {
      const own = writerOf(batch, sources, writer, extractedBy(fact.rule, batch, fact))
      const command = remember(own, observationOf(batch, fact, sources))
      if (Either.isRight(command)) commands.push({ command: command.right, rule: fact.rule, turns: sources })
      else skip(command.left._tag === "CredentialForbidden" ? "credential" : "refused")
    }
  }
  if (dailyLine !== undefined && batch.turns.length > 0) {
    const own = writerOf(batch, batch.turns, writer, { rule: "daily", sources: [] })
    const command = remember(own, dailyOf(batch, dailyLine), { reconcile: false })
    if (Either.isRight(command)) commands.push({ command: command.right, rule: "daily", turns: batch.turns })
  }
  for (const end of archive) {
    const sources = sourcesOf(batch, end)
    const own = writerOf(batch, sources, writer, extractedBy("archive", batch, end))
    commands.push({ command: archiveStatement(own, batch.store, end), rule: "archive", turns: sources })
  }
  return { commands, skipped }
}

/** The content of a statement as an observation. */
export const contentOf = (fact: ExtractedFact): Observation => {
  const { expiresAt, facts, importance, narrative, occurredAt, people, project, tags, title, topic, type } = fact
  return {
    ...{ title, type, people, tags },
    ...(narrative === undefined ? {} : { narrative }),
    ...(facts === undefined ? {} : { facts }),
    ...(importance === undefined ? {} : { importance }),
    ...(project === undefined ? {} : { project }),
    ...(topic === undefined ? {} : { topic }),
    ...(occurredAt === undefined ? {} : { occurredAt }),
    ...(expiresAt === undefined ? {} : { expiresAt })
  }
}

/** The source name of memories captured from a session. An undo can select all memories of a source. */
export const sourceNameOf = (session: string): string => `session:${session}`

const observationOf = (
  { session, store }: Batch,
  fact: ExtractedFact,
  sources: ReadonlyArray<BatchTurn>
): Observation => {
  const { channel, occurredAt, speaker } = sources[0]!.turn
  return {
    // A statement without its own time gets the time of its turn.
    occurredAt,
    ...contentOf(fact),
    ...{ session, store, tier: "mid" },
    ...(channel === undefined ? {} : { channel }),
    ...(speaker === undefined ? {} : { sender: speaker }),
    source: { kind: "auto_capture", name: sourceNameOf(session) },
    from: sources.slice(0, limits.sources).map(({ turn }) => ({ kind: "turn", id: turn.id }))
  }
}

/** A line of the daily log: a memory of the tier daily. */
const dailyOf = ({ session, store, turns }: Batch, title: string): Observation => {
  const { channel, occurredAt, speaker } = turns.at(-1)!.turn
  return {
    ...{ title, type: "conversation", session, store, tier: "daily", occurredAt },
    ...(channel === undefined ? {} : { channel }),
    ...(speaker === undefined ? {} : { sender: speaker }),
    source: { kind: "auto_capture", name: sourceNameOf(session) },
    from: turns.slice(-limits.sources).map(({ turn }) => ({ kind: "turn", id: turn.id }))
  }
}

/** Makes the daily line if the extractor writes none: the titles of the captured statements. */
const lineOf = ({ session, turns }: Batch, facts: ReadonlyArray<ExtractedFact>): string | undefined =>
  facts.length === 0
    ? undefined
    : `${turns.length} turns of ${session}: ${facts.map(({ title }) => title).join("; ")}`.slice(0, maxLine)

const maxLine = 400

/** The turn with an index in a request. A negative index counts from the end of the context. */
const turnAt = ({ context, turns }: Batch, index: number): BatchTurn =>
  index < 0 ? context[context.length + index]! : turns[index]!

/** How a statement was found: the rule, who stated it, and why each turn is a source. */
const extractedBy = (rule: string, batch: Batch, said: ExtractedEnd | ExtractedFact): Extracted => {
  const last = [{ turn: batch.turns.length - 1, reason: "" }]
  const reasons = new Map<string, string>()
  for (const { reason, turn } of said.sources ?? last)
    reasons.set(turnAt(batch, turn).turn.id, (reason || ("reason" in said ? said.reason : "")).slice(0, maxReason))
  return {
    rule,
    ...("statedBy" in said ? { statedBy: said.statedBy } : {}),
    sources: [...reasons].slice(0, limits.sources).map(([turn, reason]) => ({ turn, reason }))
  }
}
const maxReason = 200

/** The turns that support a statement, without repeats. Without sources, the last turn. */
const sourcesOf = (
  batch: Batch,
  { sources = [{ turn: batch.turns.length - 1, reason: "" }] }: Pick<ExtractedEnd, "sources">
): ReadonlyArray<BatchTurn> => [...new Set(sources.map(({ turn }) => turnAt(batch, turn)))]

/**
 * Makes the engine the writer of a statement. Its level is the lowest level of the statement's sources, but high enough
 * to write to the store.
 */
const writerOf = (
  { store }: Batch,
  sources: ReadonlyArray<BatchTurn>,
  writer: Writer,
  extracted: Extracted
): Writer => {
  const [first, ...others] = sources.map(({ turn }) => sourceLevelOf(turn))
  const level: TrustLevel = lowestLevel(first!, ...others)
  return { ...writer, isEngine: true, level: canRead(level, store) ? level : levels[opennessOf(store)]!, extracted }
}

const textsOf = ({ facts = [], narrative = "", title }: ExtractedFact): ReadonlyArray<string> => [
  title,
  narrative,
  ...facts
]

const isCredential = (fact: ExtractedFact): boolean => containsCredential(textsOf(fact))

/** A user may state a shown text again. From any other role, a shown text is a repeat. */
const isRepeated = ({ repeats }: Batch, { title }: ExtractedFact, sources: ReadonlyArray<BatchTurn>): boolean =>
  repeats.isShown(title) && sources.every(({ turn }) => turn.role !== "user")
