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
    "let's proceed",
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

describe("a value after yes", () => {
  it.each([
    ["Are you allergic to something?", "yes, penicillin", "Noor is allergic to penicillin"],
    ["Are you allergic to any foods or drugs?", "Yes, shellfish", "Noor is allergic to shellfish"],
    ["Do you have any appointments tomorrow?", "Yes, the dentist at 9", "Noor has the dentist at 9 on 5 May 2026"],
    [
      "Do you have any trips planned this summer?",
      "Yes, a week in Rome",
      "Noor has a week in Rome planned this summer"
    ],
    ["Do you have a cat?", "Yes, two cats", "Noor has two cats"],
    ["Do you have kids?", "Yes, one", "Noor has kids: one"],
    ["Are you allergic to anything?", "Yes. Penicillin and ibuprofen.", "Noor is allergic to Penicillin and ibuprofen"],
    ["Are you allergic to anything in particular?", "yes, to penicillin", "Noor is allergic to penicillin"],
    ["Are you allergic to anything?", "yes I am, penicillin", "Noor is allergic to penicillin"],
    ["Do you have any allergies?", "yes, shellfish", "Noor has allergies: shellfish"],
    ["Do you have any food allergies?", "yep: shellfish, nuts", "Noor has food allergies: shellfish, nuts"],
    ["Do you have allergies?", "yes, shellfish", "Noor has allergies: shellfish"],
    ["Do you have any pets at home?", "yes, a cat", "Noor has a cat at home"],
    ["Do you have any siblings?", "yes, two", "Noor has two siblings"],
    ["Do you have any siblings?", "yes, two brothers", "Noor has two brothers"],
    ["Do you have any siblings?", "yes, a sister called Lena", "Noor has a sister called Lena"],
    ["Do you have children?", "yes, two", "Noor has two children"],
    ["Do you speak any other languages?", "yes, Dutch and Frisian", "Noor speaks Dutch and Frisian"],
    ["Do you play any instruments?", "yes, the cello", "Noor plays the cello"],
    ["Do you have a dog?", "yes, a beagle called Rex", "Noor has a dog: a beagle called Rex"],
    ["Do you have any dietary restrictions?", "yes, no gluten", "Noor has dietary restrictions: no gluten"],
    ["Do you have any plans for June?", "yes, hiking in the Alps", "Noor has plans for June: hiking in the Alps"],
    ["Do you take any medication?", "yes, 20 mg of ramipril", "Noor takes 20 mg of ramipril"],
    ["Do you live with someone?", "yes, my sister", "Noor lives with Noor's sister"]
  ])("takes the place of the indefinite word: %s %s", (question, answer, title) => {
    expect(answered(question, answer)).toEqual([title])
  })

  it.each([
    ["Do you have any siblings?", "yes", "Noor has siblings"],
    ["Do you have any siblings?", "yes, of course", "Noor has siblings"],
    ["Do you have any siblings?", "yes, a few", "Noor has siblings"],
    ["Do you have a dog?", "yes", "Noor has a dog"],
    ["Is Odile your sister?", "yes", "Odile is Noor's sister"],
    ["Are you from Spain?", "Yes", "Noor is from Spain"],
    ["Are you vegan?", "yes, since 2019", "Noor is vegan"]
  ])("is not needed by a question that is a statement without it: %s %s", (question, answer, title) => {
    expect(answered(question, answer)).toContain(title)
    expect(answered(question, answer).join()).not.toMatch(/\bany\b|something|Decided/u)
  })

  it.each([
    ["Are you allergic to something?", "yes"],
    ["Do you live with anyone?", "yes, why?"],
    ["Do you have any questions?", "yes"],
    ["Do you have any other preferences?", "yes, a few"],
    ["Do you have any experience?", "yes, unfortunately"],
    ["Do you work anywhere else?", "yep"],
    ["Do you have any siblings or pets?", "yes"],
    ["Are you vegan or vegetarian?", "yes"]
  ])("is missing, so that nothing is stored: %s %s", (question, answer) => {
    expect(answered(question, answer)).toEqual([])
  })

  it("is kept out if it may be the number of a document", () => {
    for (const question of ["Do you have a passport?", "Do you have any bank accounts?"])
      expect(answered(question, "yes, NL91 8842 7719").join()).not.toMatch(/\d/u)
  })

  it("is not needed by a whole statement", () => {
    expect(answered("Are you allergic to something?", "yes, I'm allergic to penicillin")).toEqual([
      "Noor is allergic to penicillin"
    ])
    expect(answered("Do you use pnpm?", "yes, we use pnpm")).toEqual(["We use pnpm"])
  })
})
