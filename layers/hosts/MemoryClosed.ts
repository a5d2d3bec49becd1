import * as Schema from "effect/Schema"

/** The program closed the memory. A call that was running at that time may have stored its write. */
export class MemoryClosed extends Schema.TaggedError<MemoryClosed>()("MemoryClosed", {}) {
  override get message() {
    return "the memory is closed: call close() after the last call, or open the memory again"
  }
}
