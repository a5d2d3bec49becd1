import * as Layer from "effect/Layer"
import { type Question, Reconciler, type ReconcilerService, type Statement } from "../src/ports/Reconciler.js"
import { makeClaimJudge } from "./languages/claims/judgeClaims.js"
import { german } from "./languages/de/words.js"
import { detectLanguage, type Language } from "./languages/detectLanguage.js"
import { createEnglishJudge } from "./languages/en/rules/judge.js"
import { spanish } from "./languages/es/words.js"
import { french } from "./languages/fr/words.js"
import { chinese } from "./languages/zh/words.js"

const name = "rules-v13"
const judgeEnglish = createEnglishJudge(name)
const judges = new Map(
  [german, french, spanish, chinese].map((words) => [words.tag as Language, makeClaimJudge(words, name)] as const)
)

const ownLanguage = ({ facts, title }: Statement, minEnglish?: number): Language | undefined =>
  detectLanguage(title, minEnglish) ??
  (facts.length === 0 ? undefined : detectLanguage([title, ...facts].join("\n"), minEnglish))

/** The language of a statement. If its text has too few frequent words, the first two candidates help to detect it. */
const languageOf = ({ candidates, statement }: Question): Language | undefined =>
  ownLanguage(statement) ?? detectLanguage([statement, ...candidates.slice(0, 2)].map(({ title }) => title).join("\n"))

/**
 * Decides from the shared words and the differences of two texts. For English, it uses a small bundled model. For
 * German, French, Spanish and Chinese, it compares the claims of the texts. Deterministic, no network.
 */
export const ruleReconciler: ReconcilerService = {
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

export const layer: Layer.Layer<Reconciler> = Layer.succeed(Reconciler, ruleReconciler)
