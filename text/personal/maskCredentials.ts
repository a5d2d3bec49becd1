import { lazy } from "../normalise/lazy.js"
import { sentencesOf } from "../normalise/sentences.js"
import { findSensitiveData } from "./findSensitiveData.js"

/** Replaces a credential, or the text around it. */
export const credentialMask = "[credential]"

/** Whether one of the texts contains a password, a key or a token. */
export const containsCredential = (texts: ReadonlyArray<string>): boolean =>
  findSensitiveData(texts).credential.length > 0

/**
 * Masks the credentials in a text. The detector reports only that a text contains a credential, not where. The mask
 * therefore replaces whole sentences with a credential and, in the other sentences, words that mix letters and digits.
 * If the text then still contains a credential, the mask replaces all of it. A text without a credential is returned
 * unchanged.
 */
export const maskCredentials = (text: string): string => {
  if (!holdsAny(text)) return text
  const masked = sentencesOf(text)
    .map((sentence) =>
      containsCredential([sentence]) ? credentialMask : sentence.replace(mixedWord(), credentialMask)
    )
    .join("\n")
  return masked.includes(credentialMask) && !holdsAny(masked) ? masked : credentialMask
}

/** Whether a text contains a credential, even if a line break separates "password" from the password. */
const holdsAny = (text: string): boolean => containsCredential([text, text.replace(/\s+/g, " ")])

/**
 * Matches a word of at least six characters with letters and digits, such as a second password next to the first one.
 */
const mixedWord = lazy(() => /(?<!\S)(?=\S*\p{L})(?=\S*\p{N})\S{6,}/gu)
