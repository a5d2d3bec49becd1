import { why } from "./why.js"

/** Another name of `why`. */
export const explain: typeof why = {
  ...why,
  usage: "explain <id>",
  summary: "another name of 'why'",
  examples: ["explain 8k2v0q5w1x"]
}
