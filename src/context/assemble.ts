import { quotedText } from "../../text/normalise/visibleText.js"
import { renderWithin } from "./fill.js"
import type { ContextPart, LeftOutPart } from "./parts.js"
import type { Prefix } from "./prefix.js"
import { type BlockInput, fillBlock } from "./recalledBlock.js"
import { type PromptTurn, turnText } from "./turns.js"

export interface AssembleInput extends BlockInput {
  readonly prefix: Prefix
  readonly session: string | undefined
  /** The messages of each turn, oldest first. */
  readonly turns: ReadonlyArray<ReadonlyArray<PromptTurn>>
}

/** The parts of a context that change with the message and the time. */
export interface Assembled {
  readonly turns: ReadonlyArray<PromptTurn>
  /** The block beside the user's message; empty if there is nothing to show. */
  readonly user: string
  readonly parts: ReadonlyArray<ContextPart>
  readonly leftOut: ReadonlyArray<LeftOutPart>
  readonly tokens: number
}

/** Tokens of the empty lines between the stable beginning and the rest. */
const joinTokens = 4

/** Fills what the stable beginning left of the budget: first what was recalled, then the turns from the newest on. */
export const assemble = (input: AssembleInput): Assembled => {
  const { countTokens, limit, policy, prefix } = input
  const costs = input.turns.map((messages) =>
    messages.reduce((sum, message) => sum + countTokens(`${turnText(message)}\n`), 0)
  )
  const turnShare = Math.min(
    policy.prompt.shares.turns * limit,
    costs.reduce((sum, cost) => sum + cost, 0)
  )
  const left = Math.max(0, limit - prefix.tokens - joinTokens)
  const { text: _, ...assembled } = renderWithin(left, countTokens, (budget) => {
    const block = fillBlock(input, Math.max(0, budget - turnShare))
    const conversation = fillTurns(input, costs, Math.max(0, budget - block.tokens))
    return {
      turns: conversation.turns,
      user: block.text,
      parts: [...conversation.parts, ...block.parts],
      leftOut: [...conversation.leftOut, ...block.leftOut],
      text: [conversation.text, block.text].filter((text) => text !== "").join("\n\n")
    }
  })
  return assembled
}

/** The last turns that fit whole, oldest first. */
const fillTurns = ({ countTokens, session, turns }: AssembleInput, costs: ReadonlyArray<number>, budget: number) => {
  const none = { turns: [], parts: [], leftOut: [] as ReadonlyArray<LeftOutPart>, text: "" }
  if (turns.length === 0 || session === undefined) return none
  const opening = `<conversation session=${quotedText(session)}>`
  const closing = "</conversation>"
  let left = budget - countTokens(`${opening}\n${closing}\n\n`)
  let first = turns.length
  while (first > 0 && costs[first - 1]! <= left) left -= costs[--first]!
  const chosen = turns.slice(first).flat()
  if (chosen.length === 0) {
    const leftOut = [{ part: "turns" as const, reason: "the newest turn does not fit into the token budget" }]
    return { ...none, leftOut }
  }
  const text = [opening, ...chosen.map(turnText), closing].join("\n")
  const part: ContextPart = {
    name: "turns",
    place: "turns",
    text,
    tokens: budget - left,
    memories: [],
    omitted: first
  }
  return { turns: chosen, parts: [part], leftOut: [], text }
}
