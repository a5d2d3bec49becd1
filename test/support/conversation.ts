import { ruleExtractor } from "../../layers/RuleExtractor.js"
import { contextTurns, type ExtractRequest, type ExtractTurn } from "../../src/ports/Extractor.js"

/** Monday 4 May 2026. */
export const at = Date.UTC(2026, 4, 4, 9)
export const user = (text: string, said = at): ExtractTurn => ({ role: "user", text, at: said, speaker: "Noor" })
export const assistant = (text: string): ExtractTurn => ({ role: "assistant", text, at })

export const extract = (turns: ReadonlyArray<ExtractTurn>, context: ReadonlyArray<ExtractTurn> = []) =>
  ruleExtractor.extract({ context, turns, recalled: [] } satisfies ExtractRequest)
export const titlesOf = (...parameters: Parameters<typeof extract>): ReadonlyArray<string> =>
  extract(...parameters).facts.map(({ title }) => title)

/** The statements that stand after a conversation, extracted turn by turn. */
export const standing = (turns: ReadonlyArray<ExtractTurn>): ReadonlyArray<string> => {
  let kept: ReadonlyArray<string> = []
  for (const [index, turn] of turns.entries()) {
    const { archive = [], facts } = extract([turn], turns.slice(Math.max(0, index - contextTurns), index))
    const gone = new Set(archive.map(({ title }) => title))
    kept = [...kept.filter((title) => !gone.has(title)), ...facts.map(({ title }) => title)]
  }
  return kept
}
