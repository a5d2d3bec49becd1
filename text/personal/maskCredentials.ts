import { lazy } from "../normalise/lazy.js"
import { sentencesOf } from "../normalise/sentences.js"
import { findSensitiveData } from "./findSensitiveData.js"

/** Stands in the place of a credential, or of the text around it. */
export const credentialMask = "[credential]"

/** Whether one of the texts contains a password, a key or a token. */
export const holdsCredential = (texts: ReadonlyArray<string>): boolean => findSensitiveData(texts).credential.length > 0

/**
 * A text without its credentials. The detector tells that there is one, not where, so the mask replaces whole sentences,
 * and in the other sentences the words that mix letters and digits. If that is not enough, it replaces all of the text.
 * A text without a credential is returned unchanged.
 */
export const maskCredentials = (text: string): string => {
  if (!holdsAny(text)) return text
  const masked = sentencesOf(text)
    .map((sentence) => (holdsCredential([sentence]) ? credentialMask : sentence.replace(mixedWord(), credentialMask)))
    .join("\n")
  return masked.includes(credentialMask) && !holdsAny(masked) ? masked : credentialMask
}

/** Whether a text contains a credential, also where a line break stands between "password" and the password. */
const holdsAny = (text: string): boolean => holdsCredential([text, text.replace(/\s+/g, " ")])

/** A word of at least six signs with letters and digits, as a second password beside a first one would be. */
const mixedWord = lazy(() => /(?<!\S)(?=\S*\p{L})(?=\S*\p{N})\S{6,}/gu)
