/** The input of a model. `memory.context` builds it, and these functions convert it to a provider's format. */
export type {
  ContextFormat,
  ContextMemory,
  ContextPart,
  ContextQuery,
  LeftOutPart,
  PartName,
  Place,
  PromptContext,
  PromptTurn
} from "../../src/context/ContextReader.js"
export { type AnthropicPrompt, anthropic, type ChatMessage, messages, text } from "../../src/context/shapes.js"
