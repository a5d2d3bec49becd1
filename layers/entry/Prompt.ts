/** The input of a model: `memory.context` reads it, and these functions give it the form of a provider. */
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
