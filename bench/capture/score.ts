import { contextTurns, type ExtractedFact, type ExtractorService, type ExtractTurn } from "../../src/ports/Extractor.js"
import type { Item, Label, Session } from "./sessions.js"

/** A captured fact, and how it was judged. */
export interface JudgedFact {
  readonly turn: string
  readonly fact: ExtractedFact
  readonly verdict: "keep" | "allowed" | "unlabelled" | `never: ${string}`
}

/** The result for all sessions. */
export interface CaptureScore {
  readonly judged: ReadonlyArray<JudgedFact>
  readonly missed: ReadonlyArray<{ readonly turn: string; readonly item: Item }>
  readonly kept: number
  /** Number of facts that contain a secret according to the labels, at any time of the session. */
  readonly credentials: number
  /** Milliseconds per turn. */
  readonly milliseconds: number
}

const textOf = ({ facts = [], narrative = "", title }: ExtractedFact): string =>
  [title, narrative, ...facts].join("\n").toLowerCase()

const matches = (text: string, words: Item["words"]): boolean =>
  words.every((group) => group.some((alternative) => text.includes(alternative.toLowerCase())))

/** Extracts facts from each session turn by turn, as the engine does, and judges the facts that remain at its end. */
export const scoreSessions = (
  sessions: ReadonlyArray<Session>,
  labels: ReadonlyArray<Label>,
  extractor: ExtractorService
): CaptureScore => {
  const labelOf = new Map(labels.map((label) => [label.turn, label]))
  const judged: Array<JudgedFact> = []
  const missed: Array<CaptureScore["missed"][number]> = []
  let [kept, credentials, turnCount, milliseconds] = [0, 0, 0, 0]
  for (const { turns: all } of sessions) {
    const turns = all.map(
      ({ at, role, speaker, text }): ExtractTurn => ({
        role,
        text,
        at: Date.parse(at),
        ...(speaker ? { speaker } : {})
      })
    )
    const ownLabels = all.flatMap(({ id }) => labelOf.get(id) ?? [])
    const secrets = ownLabels.flatMap(({ never = [] }) => never.filter(({ why }) => why === "secret"))
    let captured: Array<{ turn: string; fact: ExtractedFact }> = []
    for (const [index, turn] of turns.entries()) {
      const start = performance.now()
      const { archive = [], facts } = extractor.extract({
        context: turns.slice(Math.max(0, index - contextTurns), index),
        turns: [turn],
        recalled: []
      })
      milliseconds += performance.now() - start
      turnCount++
      credentials += facts.filter((fact) => secrets.some(({ words }) => matches(textOf(fact), words))).length
      captured = captured.filter(({ fact }) => !archive.some(({ title }) => title === fact.title))
      captured.push(...facts.map((fact) => ({ turn: all[index]!.id, fact })))
    }
    for (const { fact, turn } of captured)
      judged.push({ turn, fact, verdict: verdictOf(textOf(fact), turn, ownLabels, all) })
    for (const label of ownLabels)
      for (const item of label.keep ?? []) {
        if (captured.some(({ fact }) => matches(textOf(fact), item.words))) kept++
        else missed.push({ turn: label.turn, item })
      }
  }
  return { judged, missed, kept, credentials, milliseconds: milliseconds / Math.max(1, turnCount) }
}

/**
 * A fault applies to facts from its own turn. A secret, and a statement by anyone other than the user, applies to facts
 * from the whole session.
 */
const verdictOf = (
  text: string,
  turn: string,
  labels: ReadonlyArray<Label>,
  turns: Session["turns"]
): JudgedFact["verdict"] => {
  const isUser = (id: string) => turns.find((other) => other.id === id)?.role === "user"
  for (const label of labels)
    for (const { why, words } of label.never ?? [])
      if ((label.turn === turn || why === "secret" || !isUser(label.turn)) && matches(text, words))
        return `never: ${why}`
  const has = (kind: "allowed" | "keep") =>
    labels.some((label) => (label[kind] ?? []).some(({ words }) => matches(text, words)))
  return has("keep") ? "keep" : has("allowed") ? "allowed" : "unlabelled"
}
