import { hasAddress } from "./addresses.js"
import { credentialsIn } from "./credentials.js"
import { hasEmail } from "./email.js"
import { fold, type Look, look } from "./fold.js"
import { type Hits, hitsIn } from "./hits.js"
import { hasIban } from "./iban.js"
import type { CredentialKind, PiiKind } from "./kinds.js"
import { hasLetteredId, isNationalId } from "./nationalIds.js"
import { forNumbersIn, isCard } from "./numbers.js"
import { isPhone } from "./phones.js"

export type { CredentialKind, PiiKind }

/** What texts hold that is private by its nature: each kind once, in a fixed order. Kinds only, never where or what. */
export interface Marks {
  readonly pii: ReadonlyArray<PiiKind>
  readonly credential: ReadonlyArray<CredentialKind>
}

/**
 * Looks for personal data and credentials by their shapes and check digits, each
 * text on its own. Pure, without a model, and linear in the length of the texts:
 * nothing looks further than a bounded distance around what it stands on. Shapes,
 * not truth: a card number with a right checksum is one, whoever made it up.
 */
export const marksOf = (texts: ReadonlyArray<string>): Marks => {
  const pii = new Set<PiiKind>()
  const credential = new Set<CredentialKind>()
  for (const text of texts) {
    let seen = look(text)
    let plain = text
    if (seen.foreign) {
      plain = fold(text)
      seen = look(plain)
    }
    const hits = hitsIn(plain)
    credentialsIn(plain, seen, hits, credential)
    if (seen.at && !pii.has("email") && hasEmail(plain)) pii.add("email")
    if (seen.digits > 0) numbersOf(plain, seen, hits, pii)
  }
  if (pii.size === 0 && credential.size === 0) return none
  return { pii: piiKinds.filter((kind) => pii.has(kind)), credential: credentialKinds.filter((k) => credential.has(k)) }
}

const numbersOf = (text: string, seen: Look, hits: Hits, pii: Set<PiiKind>): void => {
  if (!pii.has("address") && hasAddress(text, hits)) pii.add("address")
  if (seen.digits < 2) return
  if (seen.number >= 7) {
    forNumbersIn(text, (number) => {
      // What a number is does not depend on what was found before it: a second card is no identity number.
      if (isCard(number)) pii.add("card")
      else if (isNationalId(text, number, hits)) pii.add("national-id")
      else if (!pii.has("phone") && isPhone(text, number, hits)) pii.add("phone")
    })
  }
  if (!pii.has("iban") && hasIban(text)) pii.add("iban")
  if (!pii.has("national-id") && hasLetteredId(text, hits)) pii.add("national-id")
}

const none: Marks = { pii: [], credential: [] }
const piiKinds: ReadonlyArray<PiiKind> = ["email", "phone", "address", "card", "national-id", "iban"]
const credentialKinds: ReadonlyArray<CredentialKind> = ["api-key", "token", "private-key", "password"]
