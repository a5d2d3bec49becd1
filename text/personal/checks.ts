/** Check digits by the public rules of their issuers. Callers pass only digits (or capitals) of the right length. */

const digitAt = (digits: string, index: number): number => digits.charCodeAt(index) - 48

const weighted = (digits: string, weights: ReadonlyArray<number>): number =>
  weights.reduce((sum, weight, index) => sum + weight * digitAt(digits, index), 0)

export const passesLuhn = (digits: string): boolean => {
  let sum = 0
  for (let index = digits.length - 1, twice = false; index >= 0; index--, twice = !twice) {
    const value = digitAt(digits, index) * (twice ? 2 : 1)
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}

/** The remainder of ISO 7064 mod 97-10, for digits and capitals (A = 10). */
export const mod97 = (value: string): number => {
  let remainder = 0
  for (let index = 0; index < value.length; index++) {
    const code = value.charCodeAt(index)
    remainder = code > 64 ? (remainder * 100 + code - 55) % 97 : (remainder * 10 + code - 48) % 97
  }
  return remainder
}

/** The check digit of ISO 7064 mod 11,10 (German tax number). */
const mod11and10 = (digits: string): boolean => {
  let product = 10
  for (let index = 0; index < digits.length - 1; index++) {
    const sum = (digitAt(digits, index) + product) % 10 || 10
    product = (sum * 2) % 11
  }
  return (11 - product) % 10 === digitAt(digits, digits.length - 1)
}

const dihedral =
  "0123456789 1234067895 2340178956 3401289567 4012395678 5987604321 6598710432 7659821043 8765932104 9876543210".split(
    " "
  )
const permutations = "0123456789 1576283094 5803796142 8916043527 9453126870 4286573901 2793806415 7046913258".split(
  " "
)

/** Verhoeff's check digit (Aadhaar). */
const verhoeff = (digits: string): boolean => {
  let check = 0
  for (let position = 0; position < digits.length; position++) {
    const value = digitAt(digits, digits.length - 1 - position)
    check = digitAt(dihedral[check]!, digitAt(permutations[position % 8]!, value))
  }
  return check === 0
}

/** Whether year (two digits), month and day are a valid date. */
export const isDay = (year: string, month: string, day: string): boolean => {
  const [monthNumber, dayNumber] = [Number(month), Number(day)]
  return (
    monthNumber >= 1 &&
    monthNumber <= 12 &&
    dayNumber >= 1 &&
    dayNumber <=
      (monthNumber === 2 ? (Number(year) % 4 === 0 ? 29 : 28) : [4, 6, 9, 11].includes(monthNumber) ? 30 : 31)
  )
}

const twoDigits = (digits: string, from: number): string => digits.slice(from, from + 2)
/** Whether the digits begin with a date (yymmdd). */
export const beginsWithYmd = (digits: string): boolean =>
  isDay(twoDigits(digits, 0), twoDigits(digits, 2), twoDigits(digits, 4))
const beginsWithDmy = (digits: string): boolean =>
  isDay(twoDigits(digits, 4), twoDigits(digits, 2), twoDigits(digits, 0))

/** United States: social security number. It has no check digit; some blocks are never assigned. */
export const isSsn = (digits: string): boolean =>
  !/^(?:000|666|9)/.test(digits) && digits.slice(3, 5) !== "00" && digits.slice(5) !== "0000"

/** France: social security number (NIR), key mod 97. */
export const isFrenchSocialSecurityNumber = (digits: string): boolean => {
  const month = Number(digits.slice(3, 5))
  return (
    /^[12]/.test(digits) &&
    ((month >= 1 && month <= 12) || month >= 20) &&
    97 - Number(BigInt(digits.slice(0, 13)) % 97n) === Number(digits.slice(13))
  )
}

/** Norway: birth number or D number, two check digits. */
export const isFodselsnummer = (digits: string): boolean => {
  const day = Number(twoDigits(digits, 0))
  return (
    isDay(twoDigits(digits, 4), String(Number(twoDigits(digits, 2)) % 40), String(day > 40 ? day - 40 : day)) &&
    weighted(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
    weighted(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0
  )
}

/** Türkiye: TCKN, two check digits. */
export const isTckn = (digits: string): boolean => {
  const oddSum = weighted(digits, [1, 0, 1, 0, 1, 0, 1, 0, 1])
  const evenSum = weighted(digits, [0, 1, 0, 1, 0, 1, 0, 1])
  return (
    digitAt(digits, 0) > 0 &&
    (((oddSum * 7 - evenSum) % 10) + 10) % 10 === digitAt(digits, 9) &&
    weighted(digits, Array(10).fill(1)) % 10 === digitAt(digits, 10)
  )
}

/** Poland: PESEL; the month encodes the century. */
export const isPesel = (digits: string): boolean =>
  isDay(twoDigits(digits, 0), String(Number(twoDigits(digits, 2)) % 20), twoDigits(digits, 4)) &&
  weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0

/** Brazil: CPF, two check digits. */
export const isCpf = (digits: string): boolean => {
  const checkDigit = (length: number): number => {
    let sum = 0
    for (let index = 0; index < length; index++) sum += digitAt(digits, index) * (length + 1 - index)
    return ((sum * 10) % 11) % 10
  }
  return !/^(\d)\1*$/.test(digits) && checkDigit(9) === digitAt(digits, 9) && checkDigit(10) === digitAt(digits, 10)
}

/** Belgium: national number, key mod 97. For people born since 2000, a leading 2 is added before the check. */
export const isBelgianNationalNumber = (digits: string): boolean => {
  const [head, checkDigit] = [digits.slice(0, 9), 97 - Number(digits.slice(9))]
  return beginsWithYmd(digits) && (Number(head) % 97 === checkDigit || Number(`2${head}`) % 97 === checkDigit)
}

/** Sweden: personal number, Luhn check over all ten digits. */
export const isPersonnummer = (digits: string): boolean => beginsWithYmd(digits) && passesLuhn(digits)

/**
 * Czechia and Slovakia: birth number. The month is 50 higher for women, and 20 higher when the numbers of a day are
 * used up.
 */
export const isRodneCislo = (digits: string): boolean =>
  isDay(twoDigits(digits, 0), String((Number(twoDigits(digits, 2)) % 50) % 20), twoDigits(digits, 4)) &&
  Number(digits) % 11 === 0

/** South Korea: resident registration number. */
export const isRrn = (digits: string): boolean =>
  beginsWithYmd(digits) &&
  /[1-8]/.test(digits[6]!) &&
  (11 - (weighted(digits, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11)) % 10 === digitAt(digits, 12)

/** China: resident identity number, mod 11-2; the last character may be X. */
export const isChineseId = (value: string): boolean =>
  /^[1-8]\d{5}(?:19|20)/.test(value) &&
  beginsWithYmd(value.slice(8)) &&
  "10X98765432"[weighted(value, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11] === value[17]

export const isAadhaar = (digits: string): boolean => /^[2-9]/.test(digits) && verhoeff(digits)

/** Switzerland: AHV number, EAN-13 check. */
export const isAhv = (digits: string): boolean =>
  digits.startsWith("756") && weighted(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0

/** Thailand: citizen identification number. */
export const isThaiId = (digits: string): boolean =>
  (11 - (weighted(digits, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === digitAt(digits, 12)

/** Argentina: CUIL and CUIT of persons. */
export const isCuil = (digits: string): boolean =>
  /^2[03478]/.test(digits) && weighted(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0

/** Germany: tax number of persons. Among its first ten digits, one occurs two or three times and no other repeats. */
export const isSteuerId = (digits: string): boolean =>
  digits[0] !== "0" && [8, 9].includes(new Set(digits.slice(0, 10)).size) && mod11and10(digits)

/** Netherlands: BSN, the eleven test. */
export const isBsn = (digits: string): boolean => weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0

/** Australia: tax file number. */
export const isTfn = (digits: string): boolean => weighted(digits, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0

/** England: NHS number. */
export const isNhsNumber = (digits: string): boolean =>
  (11 - (weighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === digitAt(digits, 9)

/** Chile: RUT; the last character may be K. */
export const isRut = (value: string): boolean => {
  let sum = 0
  const body = value.slice(0, -1)
  for (let index = body.length - 1, weight = 2; index >= 0; index--, weight = weight === 7 ? 2 : weight + 1) {
    sum += digitAt(body, index) * weight
  }
  return "0K987654321"[sum % 11] === value.slice(-1).toUpperCase()
}

/** Spain: DNI, and NIE with X, Y or Z as the first digit. */
export const isDni = (value: string): boolean => {
  const number = value.replace(/^[XYZ]/, (letter) => String("XYZ".indexOf(letter))).slice(0, -1)
  return "TRWAGMYFPDXBNJZSQVHLCKE"[Number(number) % 23] === value.slice(-1)
}

/** Finland: one of 31 check characters after nine digits. */
export const isHetu = (value: string): boolean => {
  const digits = value.slice(0, 6) + value.slice(7, 10)
  return beginsWithDmy(digits) && "0123456789ABCDEFHJKLMNPRSTUVWXY"[Number(digits) % 31] === value[10]
}

/** Singapore: NRIC and FIN. */
export const isNric = (value: string): boolean => {
  const sum = weighted(value.slice(1), [2, 7, 6, 5, 4, 3, 2]) + ({ T: 4, G: 4, M: 3 }[value[0]!] ?? 0)
  const letters = /[ST]/.test(value[0]!) ? "JZIHGFEDCBA" : value[0] === "M" ? "XWUTRQPNJLK" : "XWUTRQPNMLK"
  return letters[value[0] === "M" ? 10 - (sum % 11) : sum % 11] === value[8]
}

/** Taiwan: national identification number. */
export const isTaiwaneseId = (value: string): boolean => {
  const area = "ABCDEFGHJKLMNPQRSTUVXYWZIO".indexOf(value[0]!) + 10
  return (Math.floor(area / 10) + (area % 10) * 9 + weighted(value.slice(1), [8, 7, 6, 5, 4, 3, 2, 1, 1])) % 10 === 0
}

/** Hong Kong: one or two letters, six digits, a check character. */
export const isHkid = (value: string): boolean => {
  const padded = value.length === 8 ? ` ${value}` : value
  let sum = 0
  for (let index = 0; index < 8; index++) {
    const char = padded[index]!
    const number = char === " " ? 36 : char > "9" ? char.charCodeAt(0) - 55 : Number(char)
    sum += number * (9 - index)
  }
  const check = (11 - (sum % 11)) % 11
  return padded[8] === (check === 10 ? "A" : String(check))
}

const oddValues = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]

/** Italy: tax code of persons. */
export const isCodiceFiscale = (value: string): boolean => {
  let sum = 0
  for (let index = 0; index < 15; index++) {
    const code = value.charCodeAt(index)
    const number = code > 64 ? code - 65 : code - 48
    sum += index % 2 === 0 ? oddValues[number]! : number
  }
  return String.fromCharCode(65 + (sum % 26)) === value[15]
}

/** Mexico: CURP. */
export const isCurp = (value: string): boolean => {
  const characters = "0123456789ABCDEFGHIJKLMN_OPQRSTUVWXYZ"
  let sum = 0
  for (let index = 0; index < 17; index++) sum += characters.indexOf(value[index]!) * (18 - index)
  return (10 - (sum % 10)) % 10 === digitAt(value, 17) && beginsWithYmd(value.slice(4))
}

/** Ireland: PPS number. */
export const isPps = (value: string): boolean => {
  const second = value[8] === undefined || value[8] === "W" ? 0 : value.charCodeAt(8) - 64
  return "WABCDEFGHIJKLMNOPQRSTUV"[(weighted(value, [8, 7, 6, 5, 4, 3, 2]) + second * 9) % 23] === value[7]
}
