import type { Judgement, Question, Verdict } from "../../src/Reconciler.js"
import { type Compared, comparedOf, type Features } from "./features.js"
import type { Lexicon } from "./lexicon.js"
import { type Likelihoods, likelihoods } from "./model.js"

/** How likely an action must be to be taken: a memory that is wrongly retired or rewritten does the most harm. */
export const least = { UPDATE: 0.5, DELETE: 0.55 }
/** From here on nobody else need be asked. */
const certain = 0.9

/** What is to become of a candidate. */
export interface Decided {
  readonly action: Verdict["action"]
  readonly likely: Likelihoods
}

/**
 * The likeliest action; ADD where UPDATE or DELETE is unsure. What is asked or
 * hearsay makes nothing untrue, nor does what was said before it.
 */
export const decide = (likely: Likelihoods, { features, older }: Compared): Verdict["action"] => {
  const [add, update, remove, none] = likely
  const most = Math.max(...likely)
  const stated = features.question !== 1 && features["says said"] !== 1 && features["says once"] !== 1
  // The same words, what was preferred and what was not in each other's place.
  const reversed = features["roles swapped"] === 1 && features.covered! > 0.8
  if (reversed && stated && !older) return "DELETE"
  if (most === none) return "NONE"
  if (!stated) return "ADD"
  if (most === remove && remove >= least.DELETE && !older) return "DELETE"
  if (most === update && update >= least.UPDATE) return "UPDATE"
  return none > add ? "NONE" : "ADD"
}

/** The first candidate that is the least likely to have nothing to do with the statement; −1 where there are none. */
export const targetOf = (all: ReadonlyArray<Likelihoods>): number => {
  let target = -1
  for (const [at, [add]] of all.entries()) if (target === -1 || add < all[target]![0]) target = at
  return target
}

type Ground = readonly [reason: string, holds: (value: (name: string) => number) => boolean]

/** For each action the grounds that may be given, the strongest first. */
const grounds: Readonly<Record<Verdict["action"], ReadonlyArray<Ground>>> = {
  ADD: [
    ["nothing in common", (of) => of("covered") === 0],
    ["asked, not stated", (of) => of("question") === 1],
    ["said by others, not stated", (of) => of("says said") === 1],
    ["considered, not stated", (of) => of("says maybe") === 1],
    ["past, not stated", (of) => of("says once") === 1],
    ["one more beside it", (of) => of("says also") === 1],
    ["under another title", (of) => of("titles differ") === 1],
    ["another number in its name", (of) => of("naming differs") === 1],
    ["another subject", (of) => of("subjects differ") + of("person differs") > 0 || of("subject both") > 0],
    ["another attribute", (of) => of("attributes differ") === 1],
    ["another occasion", (of) => of("scope both") > 0],
    ["something else", () => true]
  ],
  UPDATE: [
    ["says it more exactly", (of) => of("number finer") > 0],
    ["adds detail", () => true]
  ],
  DELETE: [
    ["no longer so", (of) => of("says ended") > of("said ended")],
    ["opposite", (of) => of("sided") * of("turned") === 1],
    ["negated", (of) => of("turned") === 1],
    ["preference reversed", (of) => of("roles swapped") === 1],
    ["done since", (of) => of("said due") > of("says due")],
    ["another version", (of) => of("version differs") === 1],
    ["another day", (of) => of("day differs") === 1],
    ["another time", (of) => of("time differs") === 1],
    ["another number", (of) => of("number differs") > 0],
    ["replaced", (of) => of("former hit") === 1],
    ["another owner", (of) => of("another owner") === 1],
    ["changed", (of) => of("says changed") + of("elsewhere changed") > 0],
    ["corrected", (of) => of("says corrected") === 1],
    ["another value", () => true]
  ],
  NONE: [
    ["says the same", (of) => of("covered") > 0.99 && of("kept") > 0.99],
    ["says part of it", (of) => of("covered") > 0.99],
    ["says nothing new", () => true]
  ]
}

const groundOf = (action: Verdict["action"], features: Features): string =>
  grounds[action].find(([, holds]) => holds((name) => features[name] ?? 0))![0]

/** Every reason that may be given. */
export const reasons: ReadonlyArray<string> = [
  ...Object.values(grounds).flatMap((all) => all.map(([reason]) => reason)),
  "nothing like it says the same",
  "said before it"
]

/** The judge of one language. */
export const judgeIn =
  (name: string, lexicon: Lexicon) =>
  (question: Question): Judgement => {
    const compared = comparedOf(question, lexicon)
    const all = compared.map(({ features }) => likelihoods(features))
    const target = targetOf(all)
    const by = { kind: "rule" as const, name }
    if (target === -1) return { verdict: { action: "ADD", reason: "nothing in common" }, by, sure: true }
    const { features, older } = compared[target] as Compared
    const likely = all[target]!
    const action = decide(likely, compared[target]!)
    if (action !== "ADD") {
      const verdict = { action, target, reason: groundOf(action, features) } as Verdict
      return { verdict, by, sure: Math.max(...likely) >= certain }
    }
    const late = older && Math.max(...likely) === likely[2]
    const reason = late
      ? "said before it"
      : all.length > 1
        ? "nothing like it says the same"
        : groundOf("ADD", features)
    return { verdict: { action, reason }, by, sure: likely[0] >= certain }
  }
