import { type Action, actions, type Story } from "./stories.js"

/** What a reconciler made of a story's statement, and why. */
export interface Answer {
  readonly action: Action
  /** The place among the memories; none for ADD. */
  readonly target?: number | undefined
  readonly reason?: string | undefined
}

/** How an action fared. A share of nothing is null. */
export interface ActionScores {
  /** Stories whose first accepted answer it is. */
  readonly expected: number
  /** Stories that were answered with it. */
  readonly answered: number
  /** Of those answered with it, the share where that very answer, target included, is accepted. */
  readonly precision: number | null
  /** Of those that expect it, the share that was answered rightly, be it by another accepted answer. */
  readonly recall: number | null
}

/** A row of the confusion matrix: how the stories that expect an action were answered. They add up to `expected`. */
export interface ConfusionRow {
  readonly answered: Readonly<Record<Action, number>>
  /** Answered with an accepted action, but for a memory that it does not concern: counted here and not in `answered`. */
  readonly wrongTarget: number
}

export interface KindScores {
  readonly stories: number
  readonly right: number
  readonly accuracy: number
}

/** A story that was answered wrongly. */
export interface Mistake {
  readonly story: Story
  readonly answer: Answer
}

export interface Scores {
  readonly stories: number
  readonly right: number
  /** Share of stories whose action and target are accepted; null where there are no stories. */
  readonly accuracy: number | null
  /** Wrong answers that retire or rewrite a memory, the worst there are: an UPDATE or DELETE that is not accepted. */
  readonly harmful: number
  readonly actions: Readonly<Record<Action, ActionScores>>
  /** By the first accepted action. */
  readonly confusion: Readonly<Record<Action, ConfusionRow>>
  /** In the order of their names. */
  readonly kinds: Readonly<Record<string, KindScores>>
  /** In the order of the stories. */
  readonly wrong: ReadonlyArray<Mistake>
}

/** Whether a story accepts an answer. The target of an ADD means nothing. */
export const accepts = ({ accept }: Story, { action, target }: Answer): boolean =>
  accept.some((one) => one.action === action && (action === "ADD" || one.target === target))

/** Holds answers, one for each story in their order, against what the stories accept. */
export const scores = (stories: ReadonlyArray<Story>, answers: ReadonlyArray<Answer>): Scores => {
  if (stories.length !== answers.length)
    throw new RangeError(`${answers.length} answers for ${stories.length} stories: there must be one for each`)
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
      const astray = row.filter(({ known, right }) => known && !right)
      return {
        answered: each((other) => row.filter((one) => one.answer.action === other && !astray.includes(one)).length),
        wrongTarget: astray.length
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
