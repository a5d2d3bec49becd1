import { describe, expect, it } from "vitest"
import { assistant, extract, standing, titlesOf as titles, user } from "./support/conversation.js"

describe("the rules that extract corrections", () => {
  it.each([
    ["My sister Lena arrives on Friday at 16.40", "Lena's coming on Saturday actually, not Friday", "Saturday"],
    ["The budget for the kitchen is 12,000 euros", "I checked, the kitchen budget is 14,000", "14,000"],
    ["We go live on 3 June", "go-live moved to 10 June", "10 June"],
    ["the demo is on Tuesday at 3", "demo got pushed to Thursday", "Thursday 7 May"],
    ["Our staging port is 5432", "ah no, staging listens on 5433", "5433"],
    ["I live in Ghent", "I said Ghent, it's Bruges of course", "Bruges"],
    ["My daughter Ida is 7", "Ida's 8, time flies, I always get it wrong", "8"],
    ["The party is at Mario's", "it's not at Mario's, it's at Luigi's", "Luigi's"],
    ["My boss is called Greta", "Sorry, my boss is called Gerda", "Gerda"],
    ["I take 20 mg of ramipril", "my mistake, 10 mg", "10 mg of ramipril"],
    ["The appointment with Dr Kay is on 12 May", "Dr Kay's surgery called, it's the 19th now", "Kay is on 19 May"],
    ["Tom moves in on 1 July", "Tom texted, he moves in on 15 July", "15 July"],
    ["my flight is on the 14th", "it's on the 15th", "flight is on 15 May"],
    ["I have two kids", "well, three kids if you count Max", "three kids"],
    ["The meeting is in room 4", "room 5, sorry", "meeting is in room 5"],
    ["The release is version 2.3", "I mean 2.4", "version 2.4"],
    ["My brother lives in Lyon", "he lives in Lille, not Lyon, I always mix them up", "Lille"],
    ["the wedding is on 20 June in Hull", "Update: wedding's on the 27th", "27"],
    ["I work from home on Mondays", "from now on I work from home on Fridays instead", "Fridays"],
    ["Deadline for the grant is 30 September", "the deadline has been extended to 15 October", "15 October"],
    ["we need 40 chairs for the hall", "make that 50 chairs", "50 chairs for the hall"],
    ["Course starts at 18:00 on 4 May", "it starts at 18:30", "Course starts at 18:30"],
    ["Rent is 850 a month", "no, 870 since January", "870"],
    ["I'm going to Porto in June", "I'm not going to Porto after all", "not going"],
    ["We're flying to Lisbon on Friday", "Sorry, I meant Porto, not Lisbon", "flying to Porto on Friday"],
    ["my brother Luis moved to Madrid", "no, not Madrid, Malaga", "moved to Malaga"],
    ["I'm 41", "Actually I'm 42", "42"],
    ["I'm allergic to peanuts", "I meant walnuts, not peanuts", "allergic to walnuts"],
    ["I'm allergic to peanuts", "sorry, walnuts not peanuts", "allergic to walnuts"],
    ["I'm allergic to peanuts", "I'm allergic to walnuts, not peanuts", "walnuts"],
    ["My sister plays the violin", "not the violin, the cello", "plays the cello"],
    ["My sister plays the violin", "it's not the violin, it's the cello", "plays the cello"],
    ["I drink tea every morning", "coffee, not tea", "drinks coffee every morning"],
    ["I like green tea", "I meant black coffee, not green tea", "likes black coffee"],
    ["My brother works as a plumber in Graz", "he works as an electrician in Graz, not a plumber", "electrician"],
    ["we're flying to lisbon on friday", "sorry, i meant porto, not lisbon", "flying to porto"],
    ["The interview is with Hanne on Monday", "oh the interview is with Prakash, Hanne is ill", "Prakash"]
  ])("leave one statement, with the right value: %s, %s", (said, corrected, value) => {
    const left = standing([user(said), assistant("Noted."), user("thanks"), assistant("More?"), user(corrected)])
    expect(left).toEqual([expect.stringContaining(value)])
  })

  it.each([
    [
      "We're using Redis for the cache",
      "scratch the redis thing, we're going with memcached",
      ["We're going with memcached"]
    ],
    ["I'm flying to Porto on 3 June", "no, scratch that", []],
    ["I'm flying to Porto on 3 June", "forget what I said about Porto", []],
    ["my brother lives in Lyon", "We'll take the flat in Graz. No, scratch that", ["Noor's brother lives in Lyon"]]
  ])("drop what is taken back: %s, %s", (said, back, left) => {
    expect(standing([user(said), assistant("Noted."), user(back)])).toEqual(left)
  })

  it.each([
    ["I have two kids", "I own three bikes"],
    ["My sister Lena lives in Graz", "My sister Ada lives in Bonn"],
    ["the dentist is on Thursday", "the school meeting is on Friday"],
    ["Our staging port is 5432", "the upload limit is 25 MB"],
    ["I play chess on Tuesdays", "I swim at the Moana pool on Fridays"],
    ["I'm allergic to peanuts", "I like walnuts, not peanuts"],
    ["I like hot chocolate on Sundays", "The soup at Ida's is cold, not hot"],
    ["My sister Lena lives in Graz", "my brother drinks coffee, not tea"],
    ["Noor Ltd was founded in 2019", "I joined the band in 2021"]
  ])("leave both statements: %s, %s", (one, other) => {
    expect(standing([user(one), assistant("Noted."), user(other)])).toHaveLength(2)
  })

  it.each([
    ["the dentist is on Friday. Wait, no, Saturday", "The dentist is on Saturday 9 May 2026"],
    ["the dentist is on Friday. Wait, no, Saturday at 9.15", "The dentist is on Saturday 9 May 2026 at 9.15"],
    ["the launch is on 18 July. Sorry, I meant the 25th", "The launch is on 25 July"],
    ["I have two cats… sorry, three", "Noor has three cats"],
    ["I have two cats, sorry, three, since Sunday", "Noor has three cats, since Sunday 3 May 2026"],
    ["Launch is planned for 8 June. Well, was. It's 22 June now", "Launch is planned for 22 June now"],
    ["My flight leaves at 9:40, no wait, 10:20", "Noor's flight leaves at 10:20"],
    ["our rent is 980 no wait 1080 euros", "Our rent is 1080 euros"],
    ["the budget is 12k, or rather 14k, for everything", "The budget is 14k, for everything"],
    ["I live in Lyon, sorry, Lille", "Noor lives in Lille"],
    ["I was born in 1984. Sorry, 1985", "Noor was born in 1985"],
    ["I hate cilantro. Wait, no, I meant parsley.", "Noor hates parsley"],
    ["I'm allergic to peanuts, sorry, I meant walnuts", "Noor is allergic to walnuts"],
    ["I'm allergic to peanuts. I meant walnuts, not peanuts", "Noor is allergic to walnuts"],
    ["I like green tea. No, sorry, I meant black coffee", "Noor likes black coffee"],
    ["I have a cat, wait, I meant a dog", "Noor has a dog"],
    ["I'm an engineer. No wait, I meant an architect", "Noor is an architect"],
    ["I work in a bakery, sorry, I meant a brewery, on weekends", "Noor works in a brewery, on weekends"],
    ["My sister plays the violin. Oops, I meant the cello.", "Noor's sister plays the cello"],
    ["My sister Lena, I mean Lisa, moved to Graz", "Noor's sister Lisa, moved to Graz"],
    [
      "the meeting with Otto is on Monday - I mean Tuesday, not Monday",
      "The meeting with Otto is on Tuesday 5 May 2026"
    ]
  ])("keep what is said last: %s", (text, title) => {
    expect(titles([user(text)])).toEqual([title])
  })

  it.each([
    ["We meet on Friday at Ida's. No, Saturday I'm at my mother's", "Friday"],
    ["I've got 3 kids, no dogs, 2 cats", "3 kids"],
    ["I like walking, I mean, who does not", "walking"],
    ["I live near the station. I meant to tell you that before", "station"],
    ["I play the cello. I meant it when I said so", "cello"],
    ["The trial takes 5 minutes. Wait 3 minutes and start the next one on port 81", "5 minutes"]
  ])("repair nothing that is no slip: %s", (text, value) => {
    expect(JSON.stringify(extract([user(`For the record: ${text}`)]).facts)).toContain(value)
  })

  it.each([
    [
      "Remind me on Monday to mail Ada",
      "Sorry, I meant Tuesday, not Monday",
      "Remind Noor on Tuesday 12 May 2026 to mail Ada"
    ],
    ["Eleven people come to dinner on 8 May", "sorry, not eleven, twelve", "Twelve people come to dinner on 8 May"],
    [
      "My knee is operated on 19 May in Lyon",
      "It is the 29th of May, not the 19th",
      "Noor's knee is operated on 29th of May in Lyon"
    ],
    ["The dentist is on Friday at 9", "no wait, Saturday at 9.15", "The dentist is on Saturday 9 May 2026 at 9.15"],
    ["my exams are on 11 and 14 May", "wait I said 11 and 14 May, it's 12 and 14", "Noor's exams are on 12 and 14 May"]
  ])("keep the earlier statement with the right value: %s, %s", (said, corrected, title) => {
    const earlier = [user(said), assistant("Noted.")]
    expect(titles([user(corrected)], earlier)).toEqual([title])
    expect(titles([...earlier, user(corrected)])).toEqual([title])
  })

  it.each([
    ["I don't work as a tuner any more, I'm a nurse now", "Noor is a nurse now", "Noor works as a tuner"],
    ["I used to live in Bergen but now I live in Lyon", "Noor lives in Lyon now", "Noor lives in Bergen"],
    ["I'm no longer a vegetarian, I eat fish now", "Noor eats fish now", "Noor is a vegetarian"],
    ["Karim used to smoke. Now he runs marathons", "Karim runs marathons now", "Karim smokes"],
    [
      "We don't use Looker any more, it's Lightdash now",
      "We don't use Looker any more, it's Lightdash now",
      "We use Looker"
    ]
  ])("take a change of state as one statement: %s", (text, title, former) => {
    const { archive, facts } = extract([user(text)])
    expect(facts.map((fact) => fact.title)).toEqual([title])
    expect(archive).toMatchObject([{ title: former, reason: "replaced", sources: [{ turn: 0 }] }])
  })

  it("keep the type of the statement that gets another value", () => {
    const said = [user("I'm allergic to peanuts"), assistant("Noted.")]
    expect(extract([user("I meant walnuts, not peanuts")], said).facts).toMatchObject([
      { title: "Noor is allergic to walnuts", type: "identity", rule: "en-identity" }
    ])
  })

  it("leave only the correction", () => {
    const said = user("the launch party is on 18 July in Todmorden")
    const corrected = user("no sorry, the launch party is on 25 July")
    expect(titles([said, assistant("Noted."), corrected])).toEqual(["The launch party is on 25 July in Todmorden"])
    expect(extract([corrected], [said, assistant("Noted.")])).toMatchObject({
      facts: [{ title: "The launch party is on 25 July in Todmorden" }],
      archive: [{ title: "The launch party is on 18 July in Todmorden", reason: "corrected" }]
    })
    expect(titles([user("oops, the 25th")], [said])).toEqual(["The launch party is on 25 July in Todmorden"])
  })
})

describe("a slip whose words are not certain", () => {
  it.each([
    ["We use React for the frontend. Sorry, I meant Svelte.", "We use React for the frontend"],
    ["Tom is allergic to nuts at lunch. I meant eggs.", "Tom is allergic to nuts at lunch"],
    ["I love the garden. I meant every word.", "Noor loves the garden"],
    ["I take the tram to the office. I meant the bus.", "Noor takes the tram to the office"]
  ])("is not repaired: %s", (text, title) => {
    expect(titles([user(text)])).toContain(title)
  })
})
