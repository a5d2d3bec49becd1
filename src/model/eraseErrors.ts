import * as Schema from "effect/Schema"

/** The query of this recall was erased. */
export class RecallErased extends Schema.TaggedError<RecallErased>()("RecallErased", { number: Schema.Number }) {
  override get message() {
    return `recall ${this.number} cannot be repeated: its query was erased`
  }
}

/** The selection matches nothing. `ids` lists the ids that nothing has; it is empty for another selection. */
export class NothingToErase extends Schema.TaggedError<NothingToErase>()("NothingToErase", {
  ids: Schema.Array(Schema.String)
}) {
  override get message() {
    return `nothing to erase ${this.ids.length === 0 ? "matches" : `has the id ${this.ids.join(", ")}`}`
  }
}
