import * as Schema from "effect/Schema"

/** The query of this recall was erased. */
export class RecallErased extends Schema.TaggedError<RecallErased>()("RecallErased", { number: Schema.Number }) {
  override get message() {
    return `recall ${this.number} cannot be repeated: its query was erased`
  }
}

/**
 * The selection to erase matches nothing. `ids` lists the selected ids that do not exist. It is empty if the selection
 * was not by id; `what` then describes the selection. `agent` is the agent that was searched; absent for all agents.
 */
export class NothingToErase extends Schema.TaggedError<NothingToErase>()("NothingToErase", {
  ids: Schema.Array(Schema.String),
  what: Schema.optional(Schema.String),
  agent: Schema.optional(Schema.String)
}) {
  override get message() {
    const { agent, ids, what } = this
    if (agent === undefined)
      return `nothing to erase: no agent has data with ${what}: check the spelling, and whether the data was erased before`
    const missing = ids.length > 0 ? `the id ${ids.join(", ")}` : what
    return missing === undefined
      ? `nothing to erase: agent ${agent} has no events`
      : `nothing to erase: agent ${agent} has no data with ${missing}: check the selection and the agent's name`
  }
}
