import type { WorthSign } from "./points.js"
import type { Reading } from "./reading.js"

/** The type of a fact, its rule and its importance, 0…1. */
export interface FactType {
  readonly type: string
  readonly rule: string
  readonly importance: number
}

const importances = {
  identity: 0.8,
  preference: 0.7,
  decision: 0.8,
  task: 0.6,
  plan: 0.6,
  event: 0.5,
  person: 0.6,
  config: 0.7,
  solution: 0.7,
  state: 0.5
} as const
/** Added to the importance of a statement if the user asks to remember it. */
const markedImportance = 0.1

/** Signs that a statement about the present may soon be outdated. */
const shortLivedSigns: ReadonlyArray<WorthSign> = [
  "aim",
  "change",
  "clock",
  "day",
  "fleeting",
  "having",
  "health",
  "passing",
  "pursuit",
  "solution"
]

/** Chooses the type of a piece by its signs: the first case that applies. */
export const chooseFactType = (
  signs: ReadonlySet<WorthSign>,
  { identifiers, subject, tense, words: [first = ""] }: Reading,
  { isAboutPerson, isAhead }: { readonly isAboutPerson: boolean; readonly isAhead: boolean }
): FactType => {
  const has = (...names: ReadonlyArray<WorthSign>) => names.some((name) => signs.has(name))
  const isFirst = has("speaker", "omitted", "group")
  const cases: ReadonlyArray<readonly [keyof typeof importances, boolean]> = [
    ["preference", has("instructs")],
    ["task", has("reminder")],
    ["decision", has("accepts")],
    ["identity", has("condition")],
    ["solution", has("solution") && (has("past", "perfect", "it") || tense === "past")],
    ["task", isFirst && has("duty")],
    ["decision", has("decision") && (isFirst || !isAboutPerson)],
    ["config", has("amount")],
    ["identity", has("family") && has("present") && !isAhead],
    ["person", isAboutPerson && has("present", "perfect", "none", "past") && !isAhead],
    ["plan", isAhead && !has("past", "lasting") && isFirst],
    ["event", isAhead && !has("past", "lasting")],
    ["preference", has("liking") && isFirst],
    ["config", identifiers.length > 0],
    ["identity", (isFirst || has("own")) && has("is a", "was a", "attribute", "aged", "named so", "has a", "lasts")],
    ["state", has("health")],
    ["config", has("number") && subject === "thing"],
    ["preference", isFirst && has("lasting") && !has("pursuit") && !first.endsWith("ing")],
    ["identity", isFirst && has("own state")],
    [
      "identity",
      (has("speaker", "group") || /^(?:my|our)$/u.test(first)) && has("present") && !has(...shortLivedSigns)
    ],
    ["event", has("past") || (has("change") && !has("frequency"))]
  ]
  const [type] = cases.find(([, holds]) => holds) ?? ["state"]
  return {
    type,
    rule: `en-${type}`,
    importance: Math.min(1, importances[type] + (has("marked") ? markedImportance : 0))
  }
}
