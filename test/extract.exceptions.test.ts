import { describe, expect, it } from "vitest"
import { assistant, extract, standing, titlesOf, user } from "./support/conversation.js"

describe("an exception for a limited time", () => {
  it.each([
    ["The team meeting is on Mondays at 10", "this week the team meeting is on Tuesday"],
    ["The team meeting is on Mondays at 10", "no, this week the team meeting is on Tuesday"],
    ["The team meeting is on Mondays at 10", "the team meeting moved to Tuesday this week"],
    ["The standup is at 9:30", "tomorrow the standup is at 10:15"],
    ["The standup is at 9:30", "today the standup is at 10:15 instead"],
    ["The standup is at 9:30", "only this once the standup is at 10:15"],
    ["The standup is at 9:30", "the standup is at 10:15 next Friday"],
    ["The standup is at 9:30", "for once the standup is at 10:15"],
    ["The standup is at 9:30", "while Ada is away the standup is at 10:15"],
    ["The standup is at 9:30", "the standup is at 10:15 until 3 June"],
    ["The standup is at 9:30", "This week, the standup is at 10:15"],
    ["The standup is at 9:30", "While Ada is away, the standup is at 10:15"],
    ["The gym closes at 22:00", "on Sundays the gym closes at 18:00"],
    ["I live in Lyon", "this month I live in Porto"],
    ["Choir practice is every Thursday in the old school", "choir practice is cancelled this Thursday"],
    ["The staging port is 5432", "the staging port is 5433 for the next two weeks"],
    ["My boss is called Greta", "my boss is called Gerda while Greta is on leave"]
  ])("stands beside what holds otherwise: %s, %s", (said, exception) => {
    const turns = [user(said), assistant("Noted."), user(exception)]
    const [first, second, ...others] = standing(turns)
    expect([first, others]).toEqual([titlesOf([turns[0]!])[0], []])
    expect(second).toBeDefined()
    expect(titlesOf(turns)).toEqual([first, second])
  })

  it.each([
    ["The library is open till 20:00", "No, the library is open till 21:00"],
    ["I work from 9 until 5", "Actually I work from 8 until 4"],
    ["We keep backups for 30 days", "We keep backups for 90 days now"],
    ["Tokens are valid for 7 days", "No, tokens are valid for 14 days"],
    ["My budget is 500 euros this month", "Actually my budget is 600 euros this month"]
  ])("is not a value that contains a time: %s, %s", (said, correction) => {
    expect(standing([user(said), assistant("Noted."), user(correction)])).toHaveLength(1)
  })

  it("of one day stays when the regular statement changes for good", () => {
    const said = [
      "My gym class is on Fridays at 6",
      "This Friday the gym class is at 7",
      "The gym class moved to 5 for good"
    ]
    expect(standing(said.flatMap((text) => [user(text), assistant("Noted.")]))).toEqual([
      "Friday 8 May 2026 the gym class is at 7",
      "The gym class moved to 5 on Fridays for good"
    ])
  })

  it("stays when the other statement changes for good", () => {
    const said = [
      "The standup is at 9:30",
      "While Ada is away, the standup is at 10:15",
      "actually the standup is at 9:45 for good"
    ]
    expect(standing(said.flatMap((text) => [user(text), assistant("Noted.")]))).toEqual([
      "While Ada is away the standup is at 10:15",
      expect.stringContaining("9:45")
    ])
  })

  it("stands beside an exception that has ended before", () => {
    const weeks = ["this week the team meeting is on Tuesday", "next week the team meeting is on Thursday"]
    expect(standing(weeks.flatMap((text) => [user(text), assistant("Noted.")]))).toHaveLength(2)
  })

  it.each([
    ["The team meeting is on Mondays at 10", "actually the team meeting moved to Tuesdays for good", "Tuesdays"],
    ["The team meeting is on Mondays at 10", "starting next week the team meeting is on Tuesdays", "Tuesdays"],
    ["The team standup is at 9:30", "from tomorrow on the team standup is at 10:15", "10:15"],
    ["The team standup is at 9:30", "as of next Monday the team standup is at 10:15", "10:15"],
    ["Our rent is 850 euros", "our rent was raised to 870 euros this month", "870"],
    ["The demo is on Tuesday at 3", "the demo is tomorrow at 4 instead", "5 May 2026"],
    ["On Sundays the gym closes at 18:00", "on Sundays the gym closes at 17:00", "17:00"],
    ["The demo is on 12 May", "the demo moved to next Friday", "Friday 8 May 2026"],
    ["This week the standup is at 9:30", "no, this week the standup is at 10:15", "10:15"]
  ])("is told from a change for good: %s, %s", (said, change, value) => {
    expect(standing([user(said), assistant("Noted."), user(change)])).toEqual([expect.stringContaining(value)])
  })
})

describe("a rescheduling that gives only a time", () => {
  it.each([
    [
      "My dentist appointment is on Thursday at 14:30",
      "the dentist moved my appointment to 16:00",
      "The dentist moved Noor's appointment to 16:00 on Thursday 7 May 2026",
      Date.UTC(2026, 4, 7)
    ],
    [
      "my flight is on 3 June at 7am",
      "the flight moved to 9am",
      "The flight moved to 9am on 3 June",
      Date.UTC(2026, 5, 3)
    ],
    [
      "The team meeting is on Mondays at 10",
      "the team meeting moved to 11",
      "The team meeting moved to 11 on Mondays",
      undefined
    ],
    [
      "The interview with Hanne is tomorrow at 9:15",
      "Hanne called, the interview with her was pushed to 11:30, she is stuck in traffic",
      "The interview with her was pushed to 11:30 on 5 May 2026",
      Date.UTC(2026, 4, 5)
    ],
    ["Course starts on 8 May at 18:00", "the course starts at 18:30 now", "18:30 on 8 May", Date.UTC(2026, 4, 8)]
  ])("keeps the day: %s, %s", (said, change, title, occurredAt) => {
    const turns = [user(said), assistant("Noted."), user(change)]
    expect(standing(turns)).toEqual([expect.stringContaining(title)])
    expect(extract(turns).facts.map((fact) => fact.occurredAt)).toEqual([occurredAt])
  })

  it.each([
    ["the demo is on Tuesday at 3", "demo got pushed to Thursday", "Demo got pushed to Thursday 7 May 2026"],
    ["The budget was approved on 3 May at 40k", "the budget is now 45k", "The budget is now 45k"],
    [
      "The dentist is on Thursday at 14:30",
      "the dentist moved to Friday at 16:00",
      "The dentist moved to Friday 8 May 2026 at 16:00"
    ]
  ])("adds a day to no other change: %s, %s", (said, change, title) => {
    expect(standing([user(said), assistant("Noted."), user(change)])).toEqual([title])
  })

  it.each([
    ["The book club meets every second Tuesday at 7", "The book club moved to 8"],
    ["My classes are on Monday at 8 and Tuesday at 9", "My class moved to 10"],
    ["The flight to Oslo is on 8 May at 7am", "My flight back from Oslo is at 9pm"]
  ])("stands beside a statement whose day it cannot take over: %s, %s", (said, change) => {
    expect(standing([user(said), assistant("Noted."), user(change)])).toHaveLength(2)
  })
})
