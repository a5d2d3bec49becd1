import type { Statement } from "../../src/ports/Reconciler.js"
import type { Claim } from "./claims/Claim.js"
import { type Lexicon, lexiconOf } from "./claims/lexicon.js"
import { readClaim } from "./claims/readClaim.js"
import { german } from "./de/words.js"
import { detectLanguage, type Language } from "./detectLanguage.js"
import { isPlainFact } from "./en/rules/claim.js"
import { parseStatement } from "./en/rules/parse.js"
import { spanish } from "./es/words.js"
import { french } from "./fr/words.js"
import { chinese } from "./zh/words.js"

export const modalities = ["fact", "question", "plan", "hedge", "quote", "irony"] as const
export const validities = ["open", "lasting", "bounded", "former"] as const

/** How a statement is meant, how long it is valid and to what it applies. The same for all languages. */
export interface StatedClaim {
  readonly modality: (typeof modalities)[number]
  readonly validity: (typeof validities)[number]
  /** The environments, devices, people or times to which the statement applies, by kind. English only. */
  readonly scopes: ReadonlyMap<string, ReadonlySet<string>>
  /** True if it is stated as a fact that is valid from now on, so that it can end another statement. */
  readonly canEnd: boolean
}

/** Reads the claim of a statement; undefined if its language is not supported. */
export const statedClaimOf = (statement: Statement): StatedClaim | undefined => {
  const language = detectLanguage([statement.title, ...statement.facts].join("\n")) ?? "en"
  if (language === "other") return undefined
  if (language === "en") {
    const { claim } = parseStatement(statement)
    const { act, modality, scopes, validity } = claim
    return { modality: act === "asks" ? "question" : modality, validity, scopes, canEnd: isPlainFact(claim) }
  }
  const { open } = readClaim(statement, lexiconFor(language))
  return { ...claimsOf[open ?? "stated"], scopes: new Map(), canEnd: open === undefined }
}

/**
 * True if the newer statement may end the older one: the newer one is a plain fact, and the two do not name different
 * scopes. If one of the claims cannot be read, the result is true.
 */
export const newerMayEndOlder = (newer: Statement, older: Statement): boolean => {
  const [claim, former] = [statedClaimOf(newer), statedClaimOf(older)]
  if (claim === undefined || former === undefined) return true
  const isElsewhere = [...claim.scopes].some(([kind, values]) => {
    const others = former.scopes.get(kind)
    return others !== undefined && [...values].every((value) => !others.has(value))
  })
  return claim.canEnd && !isElsewhere
}

const claimsOf: Readonly<Record<NonNullable<Claim["open"]> | "stated", Pick<StatedClaim, "modality" | "validity">>> = {
  stated: { modality: "fact", validity: "open" },
  question: { modality: "question", validity: "open" },
  maybe: { modality: "hedge", validity: "open" },
  plan: { modality: "plan", validity: "open" },
  said: { modality: "quote", validity: "open" },
  temporary: { modality: "fact", validity: "bounded" },
  past: { modality: "fact", validity: "former" }
}

const words = { de: german, es: spanish, fr: french, zh: chinese }
const lexicons = new Map<Language, Lexicon>()

/** The word lists of a language, indexed on first use. */
const lexiconFor = (language: Exclude<Language, "en" | "other">): Lexicon => {
  const lexicon = lexicons.get(language) ?? lexiconOf(words[language])
  lexicons.set(language, lexicon)
  return lexicon
}
