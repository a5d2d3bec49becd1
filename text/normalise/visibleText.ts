import { lazy } from "./lazy.js"
/**
 * Removes characters that a model reads in a prompt but a person does not see: control and bidirectional characters,
 * invisible ones such as tags, which can contain hidden text, and lone surrogates. Keeps line feeds, and the joiners
 * and selectors that emoji and some scripts need.
 */
export const visibleText = (text: string): string =>
  suspicious().test(text)
    ? text
        .replace(/\r\n?|[\u0085\u2028\u2029\v\f]/gu, "\n")
        .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}]/gu, (sign) => (kept.has(sign) ? sign : ""))
        .replace(/(?!\n)\p{Cc}/gu, " ")
    : text

const suspicious = lazy(() => /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u)

/** The zero-width joiners, and the selectors of text and emoji style. */
const kept: ReadonlySet<string> = new Set(["\u200c", "\u200d", "\ufe0e", "\ufe0f"])

/** A text on one line, without invisible characters. */
export const visibleLine = (text: string): string => visibleText(text).replace(/\s+/gu, " ").trim()

/** Replaces `<` where it could begin a tag or a token of a chat template, so that a text cannot close its block. */
export const escapeTags = (text: string): string => text.replace(/<(?=[\p{L}/!?|<_:])/gu, "&lt;")

/** A text as one line of quoted data: a JSON string from which the text cannot escape into the prompt around it. */
export const quotedText = (text: string): string => JSON.stringify(escapeTags(visibleLine(text)))
