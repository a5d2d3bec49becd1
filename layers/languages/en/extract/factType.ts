import type { Sign } from "./points.js"
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
/** What is added for a statement that says it is to be remembered. */
const markedImportance = 0.1

/** The type of a piece by its signs: the first that holds. */
export const typeOf = (
  signs: ReadonlySet<Sign>,
  { identifiers, subject }: Reading,
  { isAboutPerson, isAhead }: { readonly isAboutPerson: boolean; readonly isAhead: boolean }
): FactType => {
  const has = (...names: ReadonlyArray<Sign>) => names.some((name) => signs.has(name))
  const isFirst = has("speaker", "omitted", "group")
  const type: keyof typeof importances = has("instructs")
    ? "preference"
    : has("accepts")
      ? "decision"
      : has("solution") && has("past", "perfect", "it")
        ? "solution"
        : isFirst && has("duty")
          ? "task"
          : has("decision") && (isFirst || !isAboutPerson)
            ? "decision"
            : isAboutPerson && has("present", "perfect", "none", "past") && !isAhead
              ? "person"
              : isAhead && !has("past", "lasting")
                ? isFirst
                  ? "plan"
                  : "event"
                : has("liking") && isFirst
                  ? "preference"
                  : identifiers.length > 0
                    ? "config"
                    : (isFirst || has("own")) && has("is a", "attribute", "aged", "named so", "has a", "lasts")
                      ? "identity"
                      : has("health")
                        ? "state"
                        : has("number") && subject === "thing"
                          ? "config"
                          : isFirst && has("lasting")
                            ? "preference"
                            : isFirst && has("own state")
                              ? "identity"
                              : has("past", "change")
                                ? "event"
                                : "state"
  return {
    type,
    rule: `en-${type}`,
    importance: Math.min(1, importances[type] + (has("marked") ? markedImportance : 0))
  }
}
