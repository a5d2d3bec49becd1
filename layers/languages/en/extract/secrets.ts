import { findSensitiveData } from "../../../../text/personal/findSensitiveData.js"

const secretCue =
  /\b(?:pass(?:word|phrase|wd|code)?s?|pin|pins|puk|token|secret|api[ -]?key|network key|wifi key|wi-fi key|access key|credentials?|login|2fa|otp|(?:door|gate|alarm|security|access|safe|recovery|backup|entry|lock|voucher|unlock)[ -]?(?:box )?codes?|licen[cs]e key|combination|seed phrase|cvv|cvc)\b/iu
/** A string that may be a secret: letters with digits, long hexadecimal or base64, or digits alone. */
const opaque =
  /(?<![\p{L}\p{N}/.])(?=[^\s]*\d)(?=[^\s]*[\p{L}\W])[\w!@#$%^&*+=~?-]{6,}(?![\p{L}\p{N}])|(?<![\p{L}\p{N}.:/-])\d{4,8}#?(?![\p{L}\p{N}.:/-])|[A-Za-z0-9+/_-]{24,}/u

/**
 * Whether a piece may hold a credential in clear. `around`: the turn and the turns before it, where a word such as
 * "password" may stand.
 */
export const mayHoldSecret = (piece: string, around: string): boolean =>
  findSensitiveData([piece]).credential.length > 0 ||
  (secretCue.test(around) && opaque.test(piece.replaceAll(plainValue, " ")))

/** Dates, years, times, amounts and versions. */
const plainValue =
  /\b(?:\d{4}-\d\d-\d\d|(?:19|20)\d\d|\d{1,2}[:.]\d\d|\d+(?:\.\d+)+|\d+(?:st|nd|rd|th|ms|min|px|gb|mb|kb|kg|km|%|am|pm|h|m|s|k)|(?:port|v|version|room|chapter|page|pr|issue|ticket|#)\s?\d+)\b/giu
