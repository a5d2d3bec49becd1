import { describe, expect, it } from "vitest"
import { assistant, titlesOf, user } from "./support/conversation.js"

const answered = (question: string, answer: string) => titlesOf([user(answer)], [assistant(question)])

describe("words that only accept a proposal", () => {
  it.each([
    "sure, go ahead",
    "yes please go ahead",
    "go ahead",
    "ok go for it",
    "please go right ahead",
    "yes, go ahead with that",
    "go ahead then",
    "yes, go ahead and do it",
    "sounds good, go ahead and use it",
    "sure, please proceed",
    "by all means",
    "yes let's go",
    "yes, carry on"
  ])("are stored as the proposal: %s", (answer) => {
    expect(answered("Shall we use pnpm?", answer)).toEqual(["Decided: use pnpm"])
  })

  it.each([
    ["Shall we use pnpm or yarn?", "go with pnpm", "Decided: go with pnpm"],
    ["Should I keep the old columns or drop them?", "leave the old columns in", "Decided: leave the old columns in"],
    ["Which colour for the header?", "go for a dark blue", "Decided: go for a dark blue"]
  ])("are no choice with a name: %s %s", (question, answer, title) => {
    expect(answered(question, answer)).toEqual([title])
  })

  it.each([
    ["Shall we use pnpm?", "go ahead, but not with pnpm"],
    ["Shall I draft the mail to Brandt?", "sure, go ahead"],
    ["Postgres or SQLite?", "go ahead"]
  ])("decide nothing else: %s %s", (question, answer) => {
    expect(answered(question, answer)).toEqual([])
  })
})
