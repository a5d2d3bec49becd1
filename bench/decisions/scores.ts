import { type Action, actions, type Story } from "./stories.js"

/** A reconciler's decision on a story's statement, with its reason. */
export interface Answer {
  readonly action: Action
  /** Index of the affected memory; undefined for ADD. */
  readonly target?: number | undefined
  readonly reason?: string | undefined
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
  readonly actions: Readonly<Record<Action, ActionScores>>
  /** One row for each first accepted action. */
  readonly confusion: Readonly<Record<Action, ConfusionRow>>
  /** Scores by kind of story, sorted by name. */
  readonly kinds: Readonly<Record<string, KindScores>>
  /** The wrong answers in story order. */
  readonly wrong: ReadonlyArray<Mistake>
}

/** True if a story accepts an answer. The target of an ADD is ignored. */
export const accepts = ({ accept }: Story, { action, target }: Answer): boolean =>
  accept.some((accepted) => accepted.action === action && (action === "ADD" || accepted.target === target))

/** Scores answers, one for each story in story order. */
export const scores = (stories: ReadonlyArray<Story>, answers: ReadonlyArray<Answer>): Scores => {
  if (stories.length !== answers.length)
    throw new RangeError(`${answers.length} answers for ${stories.length} stories: pass one answer for each story`)
  const results = stories.map((story, place) => {
    const answer = answers[place]!
    return {
      story,
      answer,
      expected: story.accept[0]!.action,
      right: accepts(story, answer),
      known: story.accept.some(({ action }) => action === answer.action)
    }
  })
  const right = results.filter((result) => result.right).length
  const kinds = [...new Set(stories.map(({ kind }) => kind))].sort()
  return {
    stories: stories.length,
    right,
    accuracy: share(right, stories.length),
    harmful: results.filter(({ answer, right }) => !right && ["UPDATE", "DELETE"].includes(answer.action)).length,
    actions: each((action) => {
      const expected = results.filter((result) => result.expected === action)
      const answered = results.filter(({ answer }) => answer.action === action)
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
          (other) => row.filter((result) => result.answer.action === other && !wrongTargets.includes(result)).length
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

const each = <A>(value: (action: Action) => A): Record<Action, A> =>
  Object.fromEntries(actions.map((action) => [action, value(action)])) as Record<Action, A>

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)
