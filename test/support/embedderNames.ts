/** The short names of the embedders that need no network. A new one is a line here and in `layers/staticEmbedders.ts`. */
export const staticNames = ["hash", "words"] as const

/** The problem with an unknown name. The message lists the static embedders in alphabetical order. */
export const unknownName = `must be one of ${staticNames.join(", ")}, openai, voyage, cohere, openai-compatible, ollama, local`
