import { lazy } from "../normalise/lazy.js"
import type { CueTopic } from "./cueWordList.js"
import type { CueWords } from "./cueWords.js"

/**
 * Postal addresses: a street and a house number in a language's format, a PO box, or a town with its postal code. Each
 * format is searched only near its cue words.
 */
const number = "\\d{1,5}(?: ?[a-zA-Z])?(?:[-/]\\d{1,4}[a-z]?)?"
const name = "[\\p{Lu}][\\p{L}\\d'’.-]{0,24}"

/** Words before a street that indicate a location. */
const cue =
  /(?:\bat|\bto|\bfrom|\bnear|address|lives?|living|moved|located|deliver\w*|ship\w*|visit|office|home|house|\bis|wohnt|adresse|anschrift|ziehe?n?|zog|in der|im|am|bei|nach|:|,|^)[\s,:"'(]{1,3}$/i

interface Shape {
  readonly shape: RegExp
  /** If true, the match also needs a location word before it, or a postal code or a comma and a town after it. */
  readonly weak?: boolean
}

const shapes = lazy(
  (): Partial<Record<CueTopic, Shape>> => ({
    // For example: 221B Baker Street. A year is not a house number: "in 2008 Wall Street fell".
    english: {
      shape: new RegExp(
        `(?<![\\w.,-])(?!(?:19|20)\\d\\d )${number} (?:(?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)\\.? )?(?:(?:${name} |\\d{1,3}(?:st|nd|rd|th) ){1,4}(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Parkway|Pkwy|Terrace|Crescent|Mews|Highway)\\b|[a-z]{3,20} (?:street|avenue|boulevard)\\b(?! (?:art|food|light|sign|view|name)))`,
        "gu"
      )
    },
    lane: {
      shape: new RegExp(
        `(?<![\\w.,-])(?!(?:19|20)\\d\\d )${number} (?!Google|Star|One|Hard|Flash|USB|Pen|Disk|Test|Whole)(?:${name} ){1,3}(?:Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Way|Close|Gardens|Grove|Quay|Alley|Circle|Trail|Hill|Row)\\b`,
        "gu"
      ),
      weak: true
    },
    box: {
      shape:
        /\bP\.? ?O\.? ?Box \d{1,6}|\bPostfach \d{2}|\bBo[iî]te postale \d|\bApartado (?:de correos |postal )?\d|\bCasilla (?:de correo )?\d/gi
    },
    // The number follows a street name of one or two words.
    german: {
      shape:
        /(?:\p{Lu}[\p{L}.-]{0,30}(?:stra(?:ß|ss)e|str\.|gasse|allee|chaussee|straat|laan|gracht|kade|singel|gatan|vägen|gata|veien|vej|gade|katu)|\p{Lu}\p{L}{1,20}[- ](?:Stra(?:ß|ss)e|Str\.|Gasse|Allee|Chaussee|Straat|Laan)) \d{1,4} ?[a-zA-Z]?\b/gu
    },
    square: {
      shape:
        /\p{Lu}\p{L}{2,30}(?<!Tabellen|Sitz|Park|Arbeits|Stell|Rück|Um|Hin|Aus|Heim)(?:platz|weg|damm|ufer|plein|ring|hof) \d{1,4}[a-z]?\b/gu,
      weak: true
    },
    // For example: 12 bis, rue de la Paix.
    french: {
      shape:
        /(?<![\w.,])\d{1,4}(?: ?(?:bis|ter|quater))?,? (?:(?:[Rr]ue|[Aa]venue|[Aa]v\.|[Bb]oulevard|[Bb]d|[Cc]hemin|[Ii]mpasse|[Aa]llée|[Qq]uai) (?:de la |de l['’]|du |des |de |d['’]|la |le |les |à )?|(?:[Pp]lace|[Rr]oute|[Cc]ours) (?:de la |de l['’]|du |des |de |d['’]))\p{Lu}[\p{L}'’-]{1,30}/gu
    },
    // For example: Calle de Alcalá, 48; Rua Augusta 100; Piazza Navona 3.
    spanish: {
      shape:
        /(?<!\p{L})(?:(?:[Cc]alle|[Aa]venida|Avda\.?|Plaza|Paseo|Carrera|[Rr]ua|Travessa|Praça|Viale|Piazza|Vicolo|Corso|Carrer|Gran Vía|Largo|Rambla) |C\/ ?)(?:(?:de|del|da|do|dos|das|di|della|la|el|los|las) ){0,2}\p{Lu}[\p{L}'’.]{0,20}(?: (?:de|del|da|do|dos|e|y|di|\p{Lu}[\p{L}'’.]{0,20})){0,4},? (?:n[º°.]{1,2} ?|# ?)?\d{1,5}\b/gu
    },
    via: {
      shape:
        /\b[Vv]ia (?:(?:del(?:la)?|dei|di|San|Santa) )?\p{Lu}[\p{L}'’]{2,20}(?: \p{Lu}\p{L}{2,20})?,? \d{1,4}(?=\s*(?:$|[,.;)]|\d{5}))/gu
    },
    polish: { shape: /(?<!\p{L})(?:ul|al|pl|os)\. ?\p{Lu}[\p{L}.-]{1,30}(?: \p{Lu}[\p{L}.-]{1,30}){0,2} \d{1,4}/gu },
    russian: {
      shape:
        /(?:ул\.?|улица|улице|улицу|проспекте?|просп\.|пр-т|пер\.|переулке?|бульваре?) ?\p{Lu}[\p{L}.-]{1,30}(?: \p{L}{2,20})?,? ?(?:д(?:ом|\.)? ?)?\d{1,4}|\p{Lu}\p{L}{2,24} (?:улиц[аеу]|проспекте?|переулке?|переулок|бульваре?),? ?(?:д(?:ом|\.)? ?)?\d{1,4}/gu
    },
    turkish: { shape: /\p{Lu}\p{L}{1,20} (?:Sokak|Sokağı|Sok\.|Sk\.|Caddesi|Cad\.|Bulvarı),? (?:No:? ?)?\d{1,4}/gu },
    chinese: { shape: /\p{Script=Han}{2,12}(?:路|街|大道|巷|弄|胡同) ?\d{1,5} ?[号號弄]/gu },
    japanese: { shape: /〒 ?\d{3}-?\d{4}|[都道府県市区町村]\p{L}{1,12}\d{1,3}(?:丁目|番地|-\d{1,3}-\d{1,3})/gu },
    korean: { shape: /[가-힣]{1,6}[시구군동] [가-힣]{1,10}\d{0,3}(?:로|길) ?\d{1,4}/gu },
    arabic: { shape: /شارع [\u0600-\u06ff ]{2,30},? ?(?:رقم )?\d{1,4}/gu }
  })
)

/** A town in the United States with its ZIP code: Springfield, IL 62704. */
const usTown =
  /[A-Z][a-z]{2,20},? (?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]) \d{5}(?:-\d{4})?(?!\d)/
/** A postal code of the United Kingdom. It begins with the letters of a postcode area. */
const ukPostcode =
  /(?<![A-Z\d-])(?:A[BL]|B[ABDHLNRST]?|C[ABFHMORTVW]|D[ADEGHLNTY]|E[CHNX]?|FK|FY|G[LUY]?|H[ADGPRSUX]|I[GPV]|K[ATWY]|L[ADELNSU]?|M[EKL]?|N[EGNPRW]?|O[LX]|P[AEHLOR]|R[GHM]|S[AEGKLMNOPRSTWY]?|T[ADFNQRSW]|UB|W[ACDFNRSV]?|YO|ZE)\d[A-Z\d]? \d[ABD-HJLNP-UW-Z]{2}(?![A-Z\d-])/

const charactersBefore = 64
const charactersAfter = 72

/** Whether a text contains a postal address. */
export const hasAddress = (text: string, cues: CueWords): boolean => {
  if (usTown.test(text) || ukPostcode.test(text)) return true
  const searchedUntil = new Map<CueTopic, number>()
  for (const [index, topic] of cues.topics.entries()) {
    const format = shapes()[topic]
    const start = cues.starts[index]!
    // Skip text that was already searched because of the previous cue word.
    if (format === undefined || start < (searchedUntil.get(topic) ?? 0)) continue
    searchedUntil.set(topic, start + charactersAfter / 2)
    const window = text.slice(Math.max(0, start - charactersBefore), start + charactersAfter)
    if (/\d/.test(window) && matches(window, format)) return true
  }
  return false
}

const matches = (window: string, { shape, weak }: Shape): boolean => {
  if (weak !== true) return window.search(shape) >= 0
  for (const { 0: address, index } of window.matchAll(shape)) {
    if (cue.test(window.slice(0, index)) || townOrCode().test(window.slice(index + address.length))) return true
  }
  return false
}

/** Matches what follows an address: a comma and a town, or a postal code. */
const townOrCode = lazy(() => /^,? (?:\p{Lu}\p{L}{2,20},? )?(?:[A-Z]{2} )?\d{4,5}\b|^, \p{Lu}/u)
