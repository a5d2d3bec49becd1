import type { Source } from "../../events/Memory.js"
import { isAtLeast, type TrustLevel } from "../../events/Trust.js"
import { escapeTags, quotedText, visibleLine } from "../../text/normalise/visibleText.js"

/**
 * The lowest trust level whose texts a prompt block contains: the policy's level, or the reader's level if that is
 * lower.
 */
export const lowestWriter = (writers: TrustLevel, reader: TrustLevel): TrustLevel =>
  isAtLeast(writers, reader) ? reader : writers

/** Formats text of a lower level as one line of quoted data, after its origin. */
export const quotedLine = (level: TrustLevel, { kind, name }: Partial<Source>, text: string): string => {
  const source = [kind, name].filter((part) => part !== undefined).join(" ")
  const origin = escapeTags(visibleLine(source === "" ? level : `${level}, ${source}`))
  return `- ${origin}: ${quotedText(text)}`
}
