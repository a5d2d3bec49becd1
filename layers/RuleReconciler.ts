import * as Layer from "effect/Layer"
import { type Question, Reconciler, type ReconcilerService, type Statement } from "../src/ports/Reconciler.js"
import { claimJudge } from "./languages/claims/judgeClaims.js"
import { german } from "./languages/de/words.js"
import { detectLanguage, type Language } from "./languages/detectLanguage.js"
import { judgeNamed } from "./languages/en/rules/judge.js"
import { spanish } from "./languages/es/words.js"
import { french } from "./languages/fr/words.js"
import { chinese } from "./languages/zh/words.js"

const name = "rules-v12"
const judgeEnglish = judgeNamed(name)
const judges = new Map(
  [german, french, spanish, chinese].map((words) => [words.tag as Language, claimJudge(words, name)] as const)
)

const ownLanguage = ({ facts, title }: Statement, minEnglish?: number): Language | undefined =>
  detectLanguage(title, minEnglish) ??
  (facts.length === 0 ? undefined : detectLanguage([title, ...facts].join("\n"), minEnglish))

/** The language of a statement. A text without frequent words is in the language of what it resembles. */
const languageOf = ({ candidates, statement }: Question): Language | undefined =>
  ownLanguage(statement) ?? detectLanguage([statement, ...candidates.slice(0, 2)].map(({ title }) => title).join("\n"))

/**
 * Decides by the shared words and the differences of two texts: English with a small bundled model, German, French,
 * Spanish and Chinese by what they claim. Deterministic, no network.
 */
export const rules: ReconcilerService = {
  name,
  judge: (question) => {
    const language = languageOf(question)
    const judge = language === undefined ? undefined : judges.get(language)
    if (judge === undefined) return judgeEnglish(question)
    return judge(question, (candidate) => {
      const other = ownLanguage(candidate, 2)
      return other !== undefined && other !== language
    })
  }
}

export const layer: Layer.Layer<Reconciler> = Layer.succeed(Reconciler, rules)
