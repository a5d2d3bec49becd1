import { type Action, actions, type Story } from "./stories.js"

/** A reconciler's decision on a story's statement, with its reason. */
export interface Answer {
  readonly action: Action
  /** Index of the affected memory; undefined for ADD without a dispute. */
  readonly target?: number | undefined
  readonly reason?: string | undefined
  /** True for an ADD that disputes the target: the statement contradicts the target, but not with certainty. */
  readonly disputes?: boolean
  /** The retired memories and removed facts, after the write and after a night's maintenance. */
  readonly retired?: { readonly written: ReadonlyArray<Retirement>; readonly night: ReadonlyArray<Retirement> }
}

/** A memory that was retired (DELETE), or whose text lost words (UPDATE), and how many of its facts are gone. */
export interface Retirement {
  readonly action: "DELETE" | "UPDATE"
  readonly target: number
  readonly facts: number
}

/** Retirements that no accepted answer allows. */
export interface WrongRetirements {
  readonly memories: number
  readonly facts: number
}

/** Precision and recall of an action; null if no story has it. */
export interface ActionScores {
  /** Number of stories whose first accepted answer is this action. */
  readonly expected: number
  /** Number of stories answered with this action. */
  readonly answered: number
  /** The share of `answered` with an accepted answer, including the target. */
  readonly precision: number | null
  /** The share of `expected` stories that got any accepted answer. */
  readonly recall: number | null
}

/** A row of the confusion matrix: the answers to stories with one expected action. They add up to `expected`. */
export interface ConfusionRow {
  readonly answered: Readonly<Record<Action, number>>
  /** Answers with an accepted action for the wrong memory. They are not part of `answered`. */
  readonly wrongTarget: number
}

export interface KindScores {
  readonly stories: number
  readonly right: number
  readonly accuracy: number
}

/** A wrongly answered story. */
export interface Mistake {
  readonly story: Story
  readonly answer: Answer
}

export interface Scores {
  readonly stories: number
  readonly right: number
  /** Share of stories with accepted action and target; null without stories. */
  readonly accuracy: number | null
  /** Wrong answers that change or retire a memory (an UPDATE or DELETE that is not accepted): the worst errors. */
  readonly harmful: number
  /** Wrong retirements after the write, and after a night's maintenance. */
  readonly wrongRetirements: { readonly written: WrongRetirements; readonly night: WrongRetirements }
  /** Scores of the answers that are certain contradictions. */
  readonly certain: ActionScores
  /** Scores of the answers that are uncertain contradictions, which retire nothing. */
  readonly disputes: ActionScores
  readonly actions: Readonly<Record<Action, ActionScores>>
  /** One row for each first accepted action. */
  readonly confusion: Readonly<Record<Action, ConfusionRow>>
  /** Scores by kind of story, sorted by name. */
  readonly kinds: Readonly<Record<string, KindScores>>
  /** The wrong answers in story order. */
  readonly wrong: ReadonlyArray<Mistake>
}

/**
 * True if a story accepts an answer. The target of an ADD is ignored. An ADD that disputes a memory counts as the
 * DELETE of that memory: it is right if the story accepts this DELETE, and wrong otherwise, although it loses nothing.
 */
export const accepts = ({ accept }: Story, answer: Answer): boolean => {
  const [action, target] = [claimOf(answer), answer.target]
  return accept.some((accepted) => accepted.action === action && (action === "ADD" || accepted.target === target))
}

/** The action that an answer claims to be right: DELETE for a dispute. */
const claimOf = ({ action, disputes }: Answer): Action => (disputes === true ? "DELETE" : action)

/** Scores answers, one for each story in story order. */
export const scoreAnswers = (stories: ReadonlyArray<Story>, answers: ReadonlyArray<Answer>): Scores => {
  if (stories.length !== answers.length)
    throw new RangeError(`${answers.length} answers for ${stories.length} stories: pass one answer for each story`)
  const results = stories.map((story, place) => {
    const answer = answers[place]!
    return {
      story,
      answer,
      expected: story.accept[0]!.action,
      right: accepts(story, answer),
      claim: claimOf(answer),
      known: story.accept.some(({ action }) => action === claimOf(answer))
    }
  })
  const ofContradictions = (disputes: boolean): ActionScores => {
    const expected = results.filter((result) => result.expected === "DELETE")
    const answered = results.filter(
      ({ answer, claim }) => claim === "DELETE" && (answer.disputes === true) === disputes
    )
    const right = answered.filter((result) => result.right)
    return {
      expected: expected.length,
      answered: answered.length,
      precision: share(right.length, answered.length),
      recall: share(right.filter((result) => result.expected === "DELETE").length, expected.length)
    }
  }
  const wrongRetirements = (when: "written" | "night"): WrongRetirements => {
    const wrong = results.flatMap(({ answer, story }) =>
      (answer.retired?.[when] ?? []).filter(
        ({ action, target }) =>
          !story.accept.some((accepted) => accepted.target === target && isAllowed(accepted.action, action))
      )
    )
    return { memories: wrong.length, facts: wrong.reduce((sum, { facts }) => sum + facts, 0) }
  }
  const right = results.filter((result) => result.right).length
  const kinds = [...new Set(stories.map(({ kind }) => kind))].sort()
  return {
    stories: stories.length,
    right,
    accuracy: share(right, stories.length),
    harmful: results.filter(({ answer, right }) => !right && ["UPDATE", "DELETE"].includes(answer.action)).length,
    wrongRetirements: { written: wrongRetirements("written"), night: wrongRetirements("night") },
    certain: ofContradictions(false),
    disputes: ofContradictions(true),
    actions: each((action) => {
      const expected = results.filter((result) => result.expected === action)
      const answered = results.filter(({ claim }) => claim === action)
      return {
        expected: expected.length,
        answered: answered.length,
        precision: share(answered.filter((result) => result.right).length, answered.length),
        recall: share(expected.filter((result) => result.right).length, expected.length)
      }
    }),
    confusion: each((action) => {
      const row = results.filter((result) => result.expected === action)
      const wrongTargets = row.filter(({ known, right }) => known && !right)
      return {
        answered: each(
          (other) => row.filter((result) => result.claim === other && !wrongTargets.includes(result)).length
        ),
        wrongTarget: wrongTargets.length
      }
    }),
    kinds: Object.fromEntries(
      kinds.map((kind) => {
        const own = results.filter(({ story }) => story.kind === kind)
        const right = own.filter((result) => result.right).length
        return [kind, { stories: own.length, right, accuracy: right / own.length }]
      })
    ),
    wrong: results.filter((result) => !result.right).map(({ answer, story }) => ({ answer, story }))
  }
}

/** An accepted DELETE allows retiring the memory and changing its text. An accepted UPDATE allows only the change. */
const isAllowed = (accepted: Action, retirement: Retirement["action"]): boolean =>
  accepted === "DELETE" || (accepted === "UPDATE" && retirement === "UPDATE")

const each = <A>(value: (action: Action) => A): Record<Action, A> =>
  Object.fromEntries(actions.map((action) => [action, value(action)])) as Record<Action, A>

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)
