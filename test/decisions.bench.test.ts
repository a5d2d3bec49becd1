import { readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { answerStories } from "../bench/decisions/answer.js"
import { replayDialogue, type Statement } from "../bench/decisions/dialogue.js"
import { render, renderWrong } from "../bench/decisions/render.js"
import { renderDialogue } from "../bench/decisions/renderDialogue.js"
import { type Answer, accepts, scoreAnswers } from "../bench/decisions/scores.js"
import { decodeStories, type Story } from "../bench/decisions/stories.js"
import { remove, temporaryFolder } from "../bench/harness.js"
import * as SetClock from "../bench/year/clock.js"
import * as Default from "../layers/Default.js"
import * as Maintenance from "../layers/Maintenance.js"
import { defaults } from "../src/ports/Policy.js"
import { type Question, Reconciler } from "../src/ports/Reconciler.js"
import { readHeldOutStories, readStories } from "./support/decisions.js"

const heldOutStories = readHeldOutStories()

const story = (id: string, accept: Story["accept"], kind = "value"): Story => ({
  id,
  kind,
  memories: [{ title: "The door is red" }, { title: "The gate is green" }],
  statement: { title: "The gate is blue" },
  accept
})
const ADD = { action: "ADD" } as const
const DELETE = (target: number) => ({ action: "DELETE", target }) as const
const UPDATE = (target: number) => ({ action: "UPDATE", target }) as const
const NONE = (target: number) => ({ action: "NONE", target }) as const

const stories = [
  story("a", [DELETE(1)]),
  story("b", [DELETE(1)]),
  story("c", [DELETE(0), ADD]),
  story("d", [ADD], "lookalike"),
  story("e", [NONE(0)], "paraphrase"),
  story("f", [UPDATE(0), UPDATE(1)], "refinement")
]
const given: ReadonlyArray<Answer> = [DELETE(1), DELETE(0), ADD, UPDATE(0), NONE(0), UPDATE(1)]

describe("scores of decisions", () => {
  const result = scoreAnswers(stories, given)

  it("count an answer as right if its action and target are accepted", () => {
    expect(result.stories).toBe(6)
    expect(result.right).toBe(4)
    expect(result.accuracy).toBeCloseTo(4 / 6)
    expect(result.wrong.map(({ story }) => story.id)).toEqual(["b", "d"])
    expect(accepts(story("x", [ADD]), { action: "ADD", target: 1 })).toBe(true)
    expect(accepts(story("x", [NONE(0)]), { action: "NONE" })).toBe(false)
  })

  it("count a wrong change of a memory as harmful", () => {
    expect(result.harmful).toBe(2)
    expect(scoreAnswers(stories, Array(6).fill(ADD)).harmful).toBe(0)
    expect(scoreAnswers([story("x", [DELETE(1)])], [NONE(1)]).harmful).toBe(0)
  })

  it("count a dispute as the DELETE of its target, and wrong retirements by memories and facts", () => {
    const disputes = (target: number): Answer => ({ ...ADD, target, disputes: true })
    const counted = scoreAnswers([stories[0]!, stories[3]!, stories[1]!], [disputes(1), disputes(0), DELETE(1)])
    // A dispute where another action is expected is wrong, though nothing is lost.
    expect(counted).toMatchObject({ right: 2, harmful: 0 })
    expect(counted.certain).toEqual({ expected: 2, answered: 1, precision: 1, recall: 0.5 })
    expect(counted.disputes).toEqual({ expected: 2, answered: 2, precision: 0.5, recall: 0.5 })
    expect(counted.actions.DELETE).toEqual({ expected: 2, answered: 3, precision: 2 / 3, recall: 1 })
    expect(renderWrong(counted.wrong)).toContain("expected ADD, answered disputes 0")
    const lost = [
      { action: "DELETE", target: 1, facts: 2 },
      { action: "UPDATE", target: 0, facts: 1 }
    ] as const
    const retired = { written: lost.slice(0, 1), night: lost }
    const answered = [stories[0]!, stories[5]!, stories[3]!].map(() => ({ ...ADD, retired }))
    const { night, written } = scoreAnswers([stories[0]!, stories[5]!, stories[3]!], answered).wrongRetirements
    // The first story accepts the DELETE of 1, the second an UPDATE of 0, the third neither.
    expect({ night, written }).toEqual({
      written: { memories: 2, facts: 4 },
      night: { memories: 4, facts: 6 }
    })
  })

  it("give precision over the answers, recall over the expectations", () => {
    expect(result.actions).toEqual({
      ADD: { expected: 1, answered: 1, precision: 1, recall: 0 },
      UPDATE: { expected: 1, answered: 2, precision: 0.5, recall: 1 },
      DELETE: { expected: 3, answered: 2, precision: 0.5, recall: 2 / 3 },
      NONE: { expected: 1, answered: 1, precision: 1, recall: 1 }
    })
  })

  it("are null if there is nothing to count", () => {
    const { accuracy, actions } = scoreAnswers([], [])
    expect(accuracy).toBeNull()
    expect(actions.DELETE).toEqual({ expected: 0, answered: 0, precision: null, recall: null })
  })

  it("separate a wrong target from a wrong action in the confusion matrix", () => {
    const none = { ADD: 0, UPDATE: 0, DELETE: 0, NONE: 0 }
    expect(result.confusion).toEqual({
      ADD: { answered: { ...none, UPDATE: 1 }, wrongTarget: 0 },
      UPDATE: { answered: { ...none, UPDATE: 1 }, wrongTarget: 0 },
      DELETE: { answered: { ...none, DELETE: 1, ADD: 1 }, wrongTarget: 1 },
      NONE: { answered: { ...none, NONE: 1 }, wrongTarget: 0 }
    })
  })

  it("are given by kind of story", () => {
    expect(result.kinds).toEqual({
      lookalike: { stories: 1, right: 0, accuracy: 0 },
      paraphrase: { stories: 1, right: 1, accuracy: 1 },
      refinement: { stories: 1, right: 1, accuracy: 1 },
      value: { stories: 3, right: 2, accuracy: 2 / 3 }
    })
    expect(Object.keys(result.kinds)).toEqual(["lookalike", "paraphrase", "refinement", "value"])
  })

  it("are refused if answers are missing", () => {
    expect(() => scoreAnswers(stories, given.slice(1))).toThrow("5 answers for 6 stories")
  })

  it("are printed as aligned tables, with each wrong answer and its reason", () => {
    const text = render(result)
    expect(text).toContain("4 of 6 right: accuracy 66.7 %; 2 wrong UPDATE or DELETE")
    expect(text).toContain("DELETE         3         2     50.0 %   66.7 %")
    expect(text).toContain("DELETE                  1       0       1     0             1")
    const [wrong] = scoreAnswers([stories[2]!], [{ ...DELETE(1), reason: "another colour" }]).wrong
    expect(renderWrong([wrong!])).toBe(
      "c (value): expected DELETE 0 or ADD, answered DELETE 1: another colour\n  0  The door is red\n  1  The gate is green\n  >  The gate is blue"
    )
  })
})

describe("a file of stories", () => {
  const file = (...stories: ReadonlyArray<unknown>) => ({ name: "a file", stories })
  const problems = (document: unknown) =>
    Either.match(decodeStories(document), { onLeft: ({ problems }) => problems, onRight: () => [] })

  it("is read unchanged", () => {
    const told = {
      type: "decision",
      title: "t",
      narrative: "n",
      facts: ["f"],
      tags: [],
      people: ["p"],
      at: "2026-01-05"
    }
    const whole = { ...stories[2]!, statement: told }
    expect(Either.getOrThrow(decodeStories(file(whole)))).toEqual({ name: "a file", stories: [whole] })
  })

  it("is refused with every invalid story and field, without their texts", () => {
    const { accept, ...rest } = story("no-accept", [ADD])
    const bad = { ...story("bad", [ADD]), memories: [{ title: "secret", fact: [] }, { title: " " }], kind: 3 }
    expect(problems(file(rest, bad))).toEqual([
      `story "no-accept": accept: is missing`,
      `story "bad": kind: must be text`,
      `story "bad": memories.0.fact: is not a known field`,
      `story "bad": memories.1.title: is empty`
    ])
    expect(accept).toHaveLength(1)
  })

  it.each([
    ["file: stories: is missing", { name: "a" }],
    ["file: stories: is empty", { name: "a", stories: [] }],
    [
      "story 1: id: is missing",
      file({ kind: "k", memories: [{ title: "t" }], statement: { title: "t" }, accept: [ADD] })
    ],
    ["story 2: is not valid", file(story("x", [ADD]), "y")],
    [`story "x": memories: is empty`, file({ ...story("x", [ADD]), memories: [] })],
    [`story "x": accept: is empty`, file(story("x", []))],
    [
      `story "x": accept.0.action: must be one of ADD, UPDATE, DELETE, NONE`,
      file(story("x", [{ action: "KEEP" as "ADD" }]))
    ],
    [`story "x": accept.1.target: is not among the 2 memories`, file(story("x", [ADD, DELETE(2)]))],
    [`story "x": accept.0.target: is missing`, file(story("x", [{ action: "NONE" }]))],
    [`story "x": accept.0.target: must be absent for ADD`, file(story("x", [{ action: "ADD", target: 0 }]))],
    [`story "x": accept.0.target: must be an index, counted from 0`, file(story("x", [DELETE(0.5)]))],
    [`story "x": id: an earlier story has the same id`, file(story("x", [ADD]), story("x", [ADD]))],
    [
      `story "x": statement.at: is not a date: use an ISO 8601 time`,
      file({ ...story("x", [ADD]), statement: { title: "t", at: "30 Feb" } })
    ]
  ])("says %s", (problem, document) => {
    expect(problems(document)).toEqual([problem])
  })
})

describe("the stories of this repository", () => {
  const training = fileURLToPath(new URL("../training/stories", import.meta.url))
  const sets = readdirSync(training).filter((name) => name.endsWith(".jsonl"))
  const textOf = ({ memories, statement }: Pick<Story, "memories" | "statement">) =>
    JSON.stringify([memories, statement])

  it("share no held-out story with the training sets", () => {
    const trained = sets.flatMap((name) => readStories(join(training, name)))
    expect(trained.length).toBeGreaterThan(2_900)
    expect(heldOutStories.length).toBe(260)
    const texts = new Set(trained.map(textOf))
    const ids = new Set(trained.map(({ id }) => id))
    expect(heldOutStories.filter((story) => texts.has(textOf(story)) || ids.has(story.id))).toEqual([])
  })

  it("are valid, and cover every action", () => {
    for (const stories of [heldOutStories, readStories(join(training, "tune.jsonl"))]) {
      expect(Either.isRight(decodeStories({ name: "set", stories }))).toBe(true)
      const { actions } = scoreAnswers(stories, Array(stories.length).fill(ADD))
      for (const { expected } of Object.values(actions)) expect(expected / stories.length).toBeGreaterThan(0.1)
    }
  })
})

describe("the answer to a story", () => {
  it("comes from the public API, with the story's memories stored first", async () => {
    const asked: Array<Question> = []
    const reconciler = Layer.succeed(Reconciler, {
      name: "the oldest",
      judge: (question) => {
        asked.push(question)
        const target = question.candidates.findIndex(({ title }) => title.endsWith("first"))
        return {
          verdict: { action: "DELETE", target, reason: "it is the oldest" },
          by: { kind: "rule", name: "the oldest" },
          sure: true
        }
      }
    })
    const memories = [
      { title: "The port of the gate is first" },
      { title: "The port of the gate is second", at: "2026-01-05" }
    ]
    const dated = { ...stories[0]!, memories, statement: { title: "The port of the gate is third" } }
    const unlike = { ...stories[0]!, memories: [{ title: "Marmots whistle" }], statement: { title: "Tea is at four" } }
    const policy = { ...defaults, reconcile: { ...defaults.reconcile, reconciler: "rules" } } as const
    const gone = [{ action: "DELETE", target: 0, facts: 1 }]
    expect(await answerStories([dated, unlike], policy, reconciler)).toEqual([
      { action: "DELETE", target: 0, reason: "it is the oldest", retired: { written: gone, night: gone } },
      { action: "ADD", reason: "nothing in the store is like it", retired: { written: [], night: [] } }
    ])
    const [{ candidates, statement }] = asked as [Question]
    expect(candidates.map(({ title }) => title).sort()).toEqual(memories.map(({ title }) => title))
    for (const { at } of candidates) expect(at).toBeLessThan(statement.at)
  })
})

describe("a dialogue", () => {
  it("is told with maintenance at work each night, and each statement's memory is followed to the end", async () => {
    const clock = SetClock.make(Date.parse("2026-01-05T10:00:00Z"))
    const statements: ReadonlyArray<Statement> = [
      { n: 1, at: "2026-01-05T10:00:00Z", title: "The gate code is 4711", atEnd: "ended", endedBy: 3 },
      { n: 2, at: "2026-01-06T10:00:00Z", title: "Marta sings in the choir of Saint Bavo", atEnd: "true" },
      { n: 3, at: "2026-01-08T10:00:00Z", title: "The gate code is 5822 now", atEnd: "true" },
      { n: 4, at: "2026-01-08T11:00:00Z", title: "The gate code is 5822 now", atEnd: "true" }
    ]
    const folder = temporaryFolder()
    const { active, fates, nights } = await replayDialogue(statements, clock).pipe(
      Effect.provide(
        Layer.provideMerge(Maintenance.layer({ every: 3_600_000 }), Layer.orDie(Default.layer({ folder })))
      ),
      Effect.provide(clock.layer),
      Effect.runPromise
    )
    remove(folder)
    expect(nights).toBe(4)
    expect(active).toBe(2)
    expect(fates.map(({ outcome, status }) => `${outcome}, ${status}`)).toEqual([
      "added, superseded",
      "added, active",
      "replaced, active",
      "duplicate, active"
    ])
    const text = renderDialogue({ active, events: 9, fates, nights }, true)
    expect(text).toContain("true at the end, but gone:           0 of 3 (0.0 %)")
    expect(text).toContain("outdated and retired:                1")
  })
})
