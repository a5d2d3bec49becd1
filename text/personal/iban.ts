import { mod97 } from "./checks.js"
import { isWordCharacter } from "./numbers.js"

/** Length of an IBAN by country, from SWIFT's registry. */
const lengths: Readonly<Record<string, number>> = Object.fromEntries(
  (
    "15NO 16BE 18DK 18FI 18FK 18FO 18GL 18NL 18SD 19MK 19SI 20AT 20BA 20EE 20KZ 20LT 20LU 20MN 20XK 21CH 21HR 21LI 21LV " +
    "22BG 22BH 22CR 22DE 22GB 22GE 22IE 22ME 22RS 23AE 23GI 23IL 23IQ 23OM 23SO 23TL 24AD 24CZ 24DZ 24ES 24MD 24PK 24RO " +
    "24SA 24SE 24SK 24TN 24VG 25AO 25CV 25LY 25MZ 25PT 25ST 26IR 26IS 26TR 27BF 27BI 27CF 27CM 27DJ 27FR 27GR 27IT 27MC " +
    "27MG 27SM 28AL 28AZ 28BJ 28BY 28CI 28CY 28DO 28GT 28HN 28HU 28LB 28LC 28MA 28ML 28NE 28NI 28PL 28SN 28SV 28TD 28TG " +
    "28UA 29BR 29EG 29PS 29QA 30JO 30KW 30MR 30MU 31MT 31SC 32YE 33RU"
  )
    .split(" ")
    .map((entry) => [entry.slice(2), Number(entry.slice(0, 2))])
)

const startPattern = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ -]?[A-Za-z0-9])/g

/** Whether a text contains an IBAN: a country code, its length, and a valid mod 97 check, in one piece or in groups. */
export const hasIban = (text: string): boolean => {
  for (const { 0: head, index } of text.matchAll(startPattern)) {
    const length = lengths[head.slice(0, 2).toUpperCase()]
    if (length === undefined) continue
    const value = compact(text, index, length)
    if (value !== undefined && mod97(value.slice(4) + value.slice(0, 4)) === 1) return true
  }
  return false
}

/**
 * Reads `length` letters and digits from `start` on, and skips single spaces and hyphens between them. Undefined if there
 * are fewer, or if another letter or digit follows directly.
 */
const compact = (text: string, start: number, length: number): string | undefined => {
  let value = ""
  let isAfterGap = false
  for (let index = start; index < text.length && value.length < length; index++) {
    const code = text.charCodeAt(index)
    if (isWordCharacter(code)) {
      value += text[index]
      isAfterGap = false
    } else if (isAfterGap || (code !== 32 && code !== 45)) return undefined
    else isAfterGap = true
    if (value.length === length && isWordCharacter(text.charCodeAt(index + 1))) return undefined
  }
  return value.length === length && !value.includes("_") ? value.toUpperCase() : undefined
}
