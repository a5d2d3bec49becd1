import * as Schema from "effect/Schema"

/** The query of this recall was erased. */
export class RecallErased extends Schema.TaggedError<RecallErased>()("RecallErased", { number: Schema.Number }) {
  override get message() {
    return `recall ${this.number} cannot be repeated: its query was erased`
  }
}

/**
 * The selection matches nothing. `ids` lists the ids that nothing has; it is empty for another selection, which `what`
 * repeats. `agent` is the agent that was searched; absent for all agents.
 */
export class NothingToErase extends Schema.TaggedError<NothingToErase>()("NothingToErase", {
  ids: Schema.Array(Schema.String),
  what: Schema.optional(Schema.String),
  agent: Schema.optional(Schema.String)
}) {
  override get message() {
    const { agent, ids, what } = this
    if (agent === undefined)
      return `nothing to erase: nothing of any agent has ${what}: it is misspelt, or erased already`
    const missing = ids.length > 0 ? `the id ${ids.join(", ")}` : what
    return missing === undefined
      ? `nothing to erase: agent ${agent} has no events`
      : `nothing to erase: agent ${agent} has nothing with ${missing}; check it, and the name of the agent`
  }
}
