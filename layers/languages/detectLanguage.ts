/** English and the other supported languages; "other" stands for all the rest. */
export type Language = "en" | "de" | "fr" | "es" | "zh" | "other"

/** Frequent words by language. A word of several languages counts for each of them. */
const frequentWords = {
  en: `the a an of to and is are was were be been it its this that these those for with on at by from as or but not no i you he she we they
    my your his her our their has have had will would can could should may must do does did now if so than then there when which who what into only more all any per am me him us
    our became makes runs ends first too also just still over after before between out up down off about new every each likes was your how no done since went thing one some much very because don doesn isn`,
  de: `in der die das den dem des und ist sind ein eine einen einem einer kein keine keinen nicht mit auf für von vom zu zum zur im am beim bei aus nach um bis über unter
    ich wir er sie es uns unser unsere mein meine sein seine ihr ihre hat haben wird werden war jetzt noch nur auch schon mehr wie wenn dass ab seit sich uhr doch ja oder aber sondern statt wieder alle jeden fürs heißt wohnt arbeitet`,
  fr: `le la les un une des du de et est sont à au aux en dans sur pour par avec chez ne pas que qu qui ce cet cette ces il elle ils elles on nous je mon ma mes notre nos
    son sa ses leur leurs se y a ont été était maintenant désormais mais ou si tous toute où dès`,
  es: `el la los las un una unos de del y es son está están en con por para no ya se su sus mi mis nuestro nuestra lo le les al que a ha han hay era muy pero como más este esta ahora
    sino también sí cuando desde hasta sin tiene`,
  nl: `de het een en van is zijn niet in op te met voor aan er wordt worden geen bij ook naar dat die ik wij hij zij maar uit om nog nu heeft mijn onze hun`,
  it: `il lo la gli le i un una di del della dei delle e è sono non che in con per su da al alla nel nella si ha hanno ora più ma anche mio nostra questo questa ogni alle`,
  pt: `o a os as um uma de do da dos das e é são não que em no na nos nas com por para ao se seu sua meu minha nosso já agora mas também está mais foi às`,
  pl: `i w z na do nie jest są się że to od po za jak już o przez dla ale przy teraz ma jego jej nasz są każdy we`,
  sv: `och är en ett det den i på av för med till inte som om har från vi jag de nu men var hos`,
  da: `og er en et det den i på af for med til ikke som om har fra vi jeg de nu men hver`,
  ca: `els les i és són amb que no als a per ja ha té dels`,
  ro: `și este sunt un o de la cu pe din nu că în pentru se mai are acum dar`,
  cs: `a je se na v že s z do ne to jsou pro od už ale o má`
} as const

const tags = Object.keys(frequentWords) as ReadonlyArray<keyof typeof frequentWords>
let languagesOf: Map<string, ReadonlyArray<number>> | undefined

const indexed = (): Map<string, ReadonlyArray<number>> => {
  const index = new Map<string, ReadonlyArray<number>>()
  for (const [language, tag] of tags.entries())
    for (const word of frequentWords[tag].split(/\s+/)) index.set(word, [...(index.get(word) ?? []), language])
  return index
}

/** Maximum characters that are read from a text. */
const maxRead = 300
/** Minimum frequent words to detect a language other than English: a name alone may contain one. */
const minWords = 2
/**
 * Letters that are typical of one language. A match weighs less than a frequent word, because names contain such
 * letters too.
 */
const letters = { de: /[ßäöü](?!.*[åøæ])/iu, fr: /[çœêèù]|(?<!\p{L})[ldnjsc]['’]\p{L}/iu, es: /[ñ¿¡]|[íóú]/iu }
const letterWeight = 0.9
const otherScripts = /[\u0370-\u052f\u0590-\u06ff\u0900-\u0e7f\u3040-\u30ff\uac00-\ud7af]/u

/**
 * Detects the language of a text by its script and its frequent words; undefined if these do not decide. English needs
 * at least `minEnglish` frequent words.
 */
export const detectLanguage = (text: string, minEnglish = 1): Language | undefined => {
  const start = text.slice(0, maxRead)
  if (otherScripts.test(start)) return "other"
  const han = start.match(/\p{Script=Han}/gu)?.length ?? 0
  if (han > 0 && han >= (start.match(/[a-z]+/giu)?.length ?? 0)) return "zh"
  languagesOf ??= indexed()
  const counts = tags.map(() => 0)
  for (const [word] of start.toLowerCase().matchAll(/[\p{L}\p{M}]+/gu))
    for (const language of languagesOf.get(word) ?? []) counts[language]!++
  for (const [tag, pattern] of Object.entries(letters))
    if (pattern.test(start)) counts[tags.indexOf(tag as keyof typeof letters)]! += letterWeight
  const most = Math.max(...counts)
  const tied = tags.filter((_, language) => counts[language] === most)
  if (most >= minEnglish && tied.includes("en")) return "en"
  const [tag] = tied
  if (most < minWords || tied.length > 1) return undefined
  return tag === "de" || tag === "fr" || tag === "es" ? tag : "other"
}
