import { findSensitiveData } from "../../../../text/personal/findSensitiveData.js"
import { mayContainCode, mentionsAccessCode, mentionsLockedThing } from "../../../../text/personal/spokenCodes.js"

const secretCue =
  /\b(?:pass(?:word|phrase|wd|code)?s?|pin|pins|puk|token|secret|api[ -]?key|network key|wifi key|wi-fi key|access key|credentials?|login|2fa|otp|(?:voucher|lock ?box|key ?safe|key ?box)(?: codes?)?|licen[cs]e key|product key|combination|combo|keypad|padlock|seed phrase|cvv|cvc)\b/iu
/** Documents and accounts whose numbers are never captured. */
const numberedDocument =
  /\b(?:passport|identity card|id card|(?:personal|tax|national) id|driv(?:er['’]?s?|ing) licen[cs]e|social security|ssn|national insurance|(?:credit|debit|bank|visa) card|bank account|iban|sort code)s?\b|\b(?:account|tax|insurance|card|visa|id|policy|membership)(?:['’]s)? (?:numbers?|no\.?|nr\.?)(?![\p{L}\p{N}])/iu
const digitWord = "(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|double)"
/**
 * A string that may be a secret: letters with digits, long hexadecimal or base64, digits alone, in groups or in words.
 * The look-ahead is limited, because a text without spaces would take quadratic time.
 */
const opaque = new RegExp(
  [
    "(?<![\\p{L}\\p{N}/.])(?=[^\\s]{0,64}\\d)(?=[^\\s]{0,64}[\\p{L}\\W])[\\w!@#$%^&*+=~?-]{6,}(?![\\p{L}\\p{N}])",
    "(?<![\\p{L}\\p{N}.:/-])(?:\\d{4,8}|[A-Za-z]{1,2}\\d{3,8}|\\d{3,8}[A-Za-z]{1,2})[#*]?(?![\\p{L}\\p{N}]|[.:/-][\\p{L}\\p{N}])",
    "(?<![\\p{L}\\p{N}.:/-])\\d{1,2}(?:[ -]\\d{1,2}){2,}(?![\\p{L}\\p{N}]|[.:/-][\\p{L}\\p{N}])",
    "[A-Za-z0-9+/_-]{24,}",
    `(?<!\\p{L})${digitWord}(?:[ -]${digitWord}){2,}(?!\\p{L})`
  ].join("|"),
  "iu"
)

/**
 * Returns a test that is true for a text that may contain a credential or the number of a document. `around`: the turn
 * and the turns before it, because a word such as "password" may be in an earlier turn.
 */
export const createSecretTest = (around: string): ((piece: string) => boolean) => {
  let mayBeNear: boolean | undefined
  return (piece) => {
    if (findSensitiveData([piece]).credential.length > 0) return true
    if (!opaque.test(piece.replaceAll(plainValue, " "))) return false
    if (numberedDocument.test(piece)) return true
    mayBeNear ??=
      secretCue.test(around) ||
      mentionsAccessCode(around) ||
      mayContainCode(around) ||
      findSensitiveData([around]).credential.length > 0
    return mayBeNear
  }
}

/** True if a piece may be the number of a document, and the question asks for such a number. */
export const givesDocumentNumber = (question: string | undefined, piece: string): boolean =>
  question !== undefined && numberedDocument.test(question) && opaque.test(piece.replaceAll(plainValue, " "))

/** True if a text is about a password or code, about something that is locked by one, or about a numbered document. */
export const concernsSecrets = (text: string): boolean =>
  secretCue.test(text) || mentionsLockedThing(text) || numberedDocument.test(text)

/** Values that are not secrets: dates, years, times, amounts and versions. */
const plainValue =
  /\b(?:\d{4}-\d\d-\d\d|(?:19|20)\d\d|\d{1,2}[:.]\d\d|\d+(?:\.\d+)+|\d+(?:st|nd|rd|th|ms|min|px|gb|mb|kb|kg|km|%|am|pm|h|m|s|k)|(?:port|v|version|room|chapter|page|pr|issue|ticket|#)\s?\d+)\b/giu
