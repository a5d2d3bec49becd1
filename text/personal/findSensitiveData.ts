import { hasAddress } from "./addresses.js"
import { addCredentialKinds } from "./credentials.js"
import { type CueWords, findCueWords } from "./cueWords.js"
import { hasEmail } from "./email.js"
import { hasIban } from "./iban.js"
import type { CredentialKind, PiiKind } from "./kinds.js"
import { hasLetteredId, isNationalId } from "./nationalIds.js"
import { beginsWithCardNumber, forEachNumber } from "./numbers.js"
import { isPhone } from "./phones.js"
import { foldToAscii, scanText, type TextScan } from "./scan.js"

export type { CredentialKind, PiiKind }

/**
 * The categories of personal data and credentials in texts, each once and in a fixed order. Never positions or
 * contents.
 */
export interface Findings {
  readonly pii: ReadonlyArray<PiiKind>
  readonly credential: ReadonlyArray<CredentialKind>
}

/**
 * Detects personal data and credentials by their formats and check digits, in each text separately. Pure, without a
 * model. The time is linear in the length of the texts, because each detector reads a bounded distance around its
 * match. Only formats are checked: an invented card number with a valid checksum counts.
 */
export const findSensitiveData = (texts: ReadonlyArray<string>): Findings => {
  const pii = new Set<PiiKind>()
  const credential = new Set<CredentialKind>()
  for (const text of texts) {
    let scan = scanText(text)
    let folded = text
    if (scan.foreign) {
      folded = foldToAscii(text)
      scan = scanText(folded)
    }
    const cues = findCueWords(folded)
    addCredentialKinds(folded, scan, cues, credential)
    if (scan.mayHaveEmail && !pii.has("email") && hasEmail(folded)) pii.add("email")
    if (scan.digits > 0) addNumberKinds(folded, scan, cues, pii)
  }
  if (pii.size === 0 && credential.size === 0) return noFindings
  return {
    pii: piiKinds.filter((kind) => pii.has(kind)),
    credential: credentialKinds.filter((kind) => credential.has(kind))
  }
}

const addNumberKinds = (text: string, scan: TextScan, cues: CueWords, pii: Set<PiiKind>): void => {
  if (!pii.has("address") && hasAddress(text, cues)) pii.add("address")
  if (scan.digits < 2) return
  if (scan.longestNumber >= 7) {
    forEachNumber(text, (number) => {
      // The category of a number does not depend on earlier findings: a second card must not count as an identity
      // number.
      if (beginsWithCardNumber(number)) pii.add("card")
      else if (isNationalId(text, number, cues)) pii.add("national-id")
      else if (!pii.has("phone") && isPhone(text, number, cues)) pii.add("phone")
    })
  }
  if (!pii.has("iban") && hasIban(text)) pii.add("iban")
  if (!pii.has("national-id") && hasLetteredId(text, cues)) pii.add("national-id")
}

const noFindings: Findings = { pii: [], credential: [] }
const piiKinds: ReadonlyArray<PiiKind> = ["email", "phone", "address", "card", "national-id", "iban"]
const credentialKinds: ReadonlyArray<CredentialKind> = ["api-key", "token", "private-key", "password"]
