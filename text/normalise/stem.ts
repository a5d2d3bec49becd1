import { ownText } from "./ownText.js"

/**
 * The stem of a lower-case English word, without endings of number and tense: "cities" equals "city", "went" equals
 * "go". Stems are approximate: compare them, but do not show them. Words of other languages mostly stay unchanged.
 */
export const stemOf = (word: string): string => {
  const cached = stems.get(word)
  if (cached !== undefined) return cached
  const key = ownText(word)
  const stem = withoutEnding(irregularForms.get(key) ?? key)
  if (stems.size >= maxStems) stems.clear()
  stems.set(key, stem)
  return stem
}

/** The maximum number of cached stems. */
const maxStems = 8_000
const stems = new Map<string, string>()

const withoutEnding = (word: string): string => {
  let base = word
  if (base.length > 4 && /(?:ies|ied)$/.test(base)) return `${base.slice(0, -3)}y`
  if (base.length > 4 && /(?:ss|sh|ch|x|z)es$/.test(base)) base = base.slice(0, -2)
  else if (base.length > 3 && /[^sui]s$/.test(base)) base = base.slice(0, -1)
  if (base.length > 5 && /[aeiouy].*ing$/.test(base)) base = repaired(base.slice(0, -3))
  else if (base.length > 4 && /[aeiouy].*[^e]ed$/.test(base)) base = repaired(base.slice(0, -2))
  if (base.length > 6 && base.endsWith("ly")) base = base.slice(0, -2)
  return base.length > 4 && base.endsWith("e") ? base.slice(0, -1) : base
}

/** Corrects a word after its ending was cut: stopp → stop, mov → move, eat → eat. */
const repaired = (word: string): string => {
  if (/([bdgmnprt])\1$/.test(word)) return word.slice(0, -1)
  return /^[^aeiou][aeiou][^aeiouwxy]$/.test(word) ? `${word}e` : word
}

/** Irregular forms, in groups. The base form comes first. */
const irregularForms = new Map(
  `thema theme themes; use using used uses; be was were is are am been being; have has had having; do does did; done done; run ran;
    go went gone goes; choose chose chosen; take took taken; left left; become became; get got gotten;
    give gave given; make made; meet met; buy bought; sell sold; tell told; say said says; think thought;
    write wrote written; build built; keep kept; hold held; lead led; find found; see saw seen; speak spoke spoken;
    drink drank; eat ate eaten; drive drove; fly flew; grow grew; hear heard; lose lost; win won; pay paid;
    send sent; spend spent; sleep slept; break broke; broken broken; begin began begun; come came; child children;
    person people; man men; woman women; wife wives; knife knives; die dying; lie lying; stop stopped;
    prefer preferred preferring; cancel cancelled canceled cancelling; data data; status status; bus bus; swim swam;
    teach taught; know knew known; forbid forbade forbidden; hide hidden; store stored; live lives living;
    feed fed feed; need needed need; agree agreed; free freed; speed speed`
    .split(";")
    .flatMap((group) => {
      const [base, ...forms] = group.trim().split(/\s+/)
      return forms.map((form) => [form, base!] as const)
    })
)
