import { describe, expect, it } from "vitest"
import { extract, titlesOf, user } from "./support/conversation.js"

const day = (date: string): number => Date.parse(`${date}T00:00:00Z`)
/** A fact's title and first day, for a text that was said on a day at 9:00. */
const dated = (text: string, said: string) =>
  extract([user(text, day(said) + 9 * 3_600_000)]).facts.map(({ occurredAt, title }) => [title, occurredAt])

describe("a date within a period that the statement names", () => {
  it.each([
    // Monday 30 November 2026
    ["2026-11-30", "next week the sync is on Thursday", "on Thursday 10 December 2026", "2026-12-10"],
    [
      "2026-11-30",
      "Next week, the sync is on Thursday and Friday",
      "on Thursday 10 December 2026 and Friday 11 December 2026",
      "2026-12-10"
    ],
    ["2026-11-30", "the sync is on Thursday next week", "on Thursday 10 December 2026", "2026-12-10"],
    ["2026-11-30", "the sync is on the 10th next week", "10 December 2026", "2026-12-10"],
    ["2026-11-30", "next year the trade fair in Graz is in March", "in March", "2027-03-01"],
    ["2026-11-30", "next year the trade fair in Graz is on 14 January", "on 14 January", "2027-01-14"],
    ["2026-11-30", "in 2028 the trade fair in Graz is on 14 January", "on 14 January", "2028-01-14"],
    ["2026-11-30", "the trade fair in Graz is in March next year", "in March", "2027-03-01"],
    ["2026-11-30", "Next year we get married in June on the 12th", "on 12 June 2027", "2027-06-12"],
    ["2026-11-30", "The party is on Saturday the 12th next month", "on 12 December 2026", "2026-12-12"],
    // Friday 4 December 2026
    ["2026-12-04", "for the record, this week the sync was on Tuesday", "on Tuesday 1 December 2026", "2026-12-01"],
    ["2026-12-04", "this weekend my sister Lena visits me on Sunday", "on Sunday 6 December 2026", "2026-12-06"],
    ["2026-12-04", "next weekend my sister Lena visits me on Sunday", "on Sunday 6 December 2026", "2026-12-06"],
    // Sunday 6 December 2026
    ["2026-12-06", "this weekend the fair in Graz ends on Sunday", "on Sunday 6 December 2026", "2026-12-06"],
    // Thursday 14 May 2026
    ["2026-05-14", "Next month the review is on the 3rd", "on 3 June 2026", "2026-06-03"],
    ["2026-05-14", "The review is on the 3rd of next month", "on 3 June 2026", "2026-06-03"],
    ["2026-05-14", "In June the review is on the 3rd", "on 3 June 2026", "2026-06-03"],
    ["2026-05-14", "for the record, this month the review is on the 28th", "on 28 May 2026", "2026-05-28"]
  ])("is resolved within it, said on %s: %s", (said, text, words, occurredAt) => {
    expect(dated(text, said)).toEqual([[expect.stringContaining(words), day(occurredAt)]])
  })

  it.each([
    // Several days fit, so the weekday stays as it was said.
    [
      "2026-05-14",
      "Next month the review of the budget is on a Tuesday",
      "In June 2026 the review of the budget is on a Tuesday",
      "2026-06-01"
    ],
    [
      "2026-05-14",
      "this month my rent is due on Friday",
      "This month Noor's rent is due on Friday 15 May 2026",
      "2026-05-15"
    ],
    // The second date is not in the period.
    [
      "2026-05-14",
      "The invoice of our trip in June is due on Friday",
      "The invoice of our trip in June is due on Friday 15 May 2026",
      "2026-06-01"
    ],
    [
      "2026-11-30",
      "before next week we meet on Thursday at Ida's",
      "Before the week of 7 December 2026 we meet on Thursday 3 December 2026 at Ida's",
      "2026-12-07"
    ],
    ["2026-11-30", "the sync is on Thursday", "The sync is on Thursday 3 December 2026", "2026-12-03"],
    [
      "2026-11-30",
      "next week the sync is on 17 December",
      "In the week of 7 December 2026 the sync is on 17 December",
      "2026-12-07"
    ]
  ])("is only resolved there if it belongs there, said on %s: %s", (said, text, title, occurredAt) => {
    expect(dated(text, said)).toEqual([[title, day(occurredAt)]])
  })
})

describe("the first day of a range", () => {
  it.each([
    ["the workshop in Graz runs from 3 to 9 June", "2026-06-03"],
    ["the workshop in Graz is between 3 and 9 June", "2026-06-03"],
    ["we're in Porto from 12 to 15 July", "2026-07-12"],
    ["we're in Porto 12-15 July", "2026-07-12"],
    ["we're in Porto from the 12th to the 15th of July", "2026-07-12"],
    ["we're in Porto from July 12 to 15", "2026-07-12"],
    ["we're in Porto from 30 June to 3 July", "2026-06-30"],
    ["my exams are on 11 and 14 May", "2026-05-11"],
    ["the trade fair in Graz is from 28 to 30 January 2028", "2028-01-28"],
    ["the trade fair in Graz is from 3 to 9 June at 10 to 6", "2026-06-03"],
    // No ranges of days.
    ["we expect 10 to 15 guests on 3 July", "2026-07-03"],
    ["the party in room 4 is on 9 June", "2026-06-09"]
  ])("is when it happens: %s", (text, occurredAt) => {
    expect(dated(text, "2026-05-04")).toMatchObject([[expect.anything(), day(occurredAt)]])
  })
})

describe("a weekday that comes again", () => {
  it.each([
    "Our weekly sync is on Wednesday",
    "Every week we meet on Wednesday at Ida's",
    "I usually swim at the Moana pool on Wednesday",
    "Each month the board meets on the first Wednesday",
    "The team meeting is on Wednesdays"
  ])("has no date: %s", (text) => {
    const [fact, ...others] = dated(text, "2026-05-04")
    expect(others).toEqual([])
    expect(fact![0]).not.toMatch(/\d{4}/u)
    expect(fact![1]).toBeUndefined()
  })

  it.each([
    ["This week the weekly sync is on Wednesday", "2026-05-06"],
    ["The weekly sync is next Wednesday", "2026-05-06"],
    ["My weekly magazine is due on 12 May", "2026-05-12"]
  ])("has one where a week is named: %s", (text, occurredAt) => {
    expect(dated(text, "2026-05-04")).toMatchObject([[expect.anything(), day(occurredAt)]])
  })
})

describe("a distance in time", () => {
  it.each([
    ["My driving test is in two weeks", "Noor's driving test is on 18 May 2026"],
    ["In two weeks we move to Ghent", "On 18 May 2026 we move to Ghent"],
    ["I'm flying to Porto in ten days", "Noor is flying to Porto on 14 May 2026"],
    ["The course in Graz starts in three weeks", "The course in Graz starts on 25 May 2026"]
  ])("is resolved: %s", (text, title) => {
    expect(dated(text, "2026-05-04").map(([words]) => words)).toEqual([title])
  })

  it.each([
    "I can read Proust in two weeks",
    "The backup tapes are overwritten within 30 days",
    "We ship 40 crates in two weeks on average",
    "I wrote my first novel in 90 days"
  ])("stays if it is a duration: %s", (text) => {
    expect(dated(`For the record, ${text}`, "2026-05-04").join()).not.toMatch(/2026/u)
  })
})

describe("a time that is no date", () => {
  it.each([
    "Invoices are due in 30 days",
    "Refunds arrive in 5 days",
    "Free trials end in 14 days",
    "We're building an MVP in 6 weeks"
  ])("stays as it is: %s", (text) => {
    expect(titlesOf([user(text)])).toEqual([text])
  })

  it.each(["The first weekly sync is on Wednesday", "The yoga course starts on Thursday and is weekly"])(
    "names one day: %s",
    (text) => {
      expect(titlesOf([user(text)])[0]).toMatch(/May 2026/u)
    }
  )
})
