import * as Effect from "effect/Effect"
import * as z from "zod"
import { quotedText } from "../../../text/normalise/visibleText.js"
import { readOnlyEffects, replacingEffects, tool } from "../Tool.js"
import { textListSchema, textSchema } from "./fields.js"

const input = z.strictObject({ session: textSchema })
const none = (session: string) => `session ${session} has no scratchpad`

export const scratchpadRead = tool({
  name: "scratchpad_read",
  title: "Read a scratchpad",
  description: "Read a session's scratchpad.",
  annotations: readOnlyEffects,
  input,
  output: z.object({ items: textListSchema.nullable() }),
  run: ({ session }, { defaultStore, reader }) =>
    Effect.map(reader.scratchpad.read(session, { store: defaultStore }), (scratchpad) => {
      const items = scratchpad?.items ?? null
      return { data: { items }, text: items?.map((item) => `- ${quotedText(item)}`).join("\n") ?? none(session) }
    })
})

export const scratchpadWrite = tool({
  name: "scratchpad_write",
  title: "Write a scratchpad",
  description: "Replace a session's scratchpad.",
  annotations: replacingEffects,
  input: input.extend({ items: textListSchema }),
  output: z.object({ outcome: textSchema }),
  run: ({ items, session }, { writer }, options) =>
    Effect.map(writer.scratchpad.write(session, items, options), ({ outcome }) => ({
      data: { outcome },
      text: outcome
    }))
})

export const scratchpadClear = tool({
  name: "scratchpad_clear",
  title: "Clear a scratchpad",
  description: "Clear a session's scratchpad.",
  annotations: replacingEffects,
  input,
  output: z.object({ cleared: z.boolean() }),
  run: ({ session }, { writer }, options) =>
    Effect.map(writer.scratchpad.clear(session, options), (cleared) => ({
      data: { cleared },
      text: cleared ? "cleared" : none(session)
    }))
})
