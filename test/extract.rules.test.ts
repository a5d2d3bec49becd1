import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as fc from "effect/FastCheck"
import type * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { scoreSessions } from "../bench/capture/score.js"
import { Label, readLines, Session } from "../bench/capture/sessions.js"
import { ruleExtractor } from "../layers/RuleExtractor.js"
import type { ExtractorService, ExtractRequest, ExtractTurn } from "../src/ports/Extractor.js"
import { findSensitiveData } from "../text/personal/findSensitiveData.js"
import { lawRuns } from "./support/size.js"

/** Sentences with a spoken access code each. */
const { secrets }: { readonly secrets: ReadonlyArray<{ readonly text: string; readonly value: string }> } = JSON.parse(
  readFileSync(new URL("./fixtures/marks/codes.json", import.meta.url), "utf8")
)

const at = Date.UTC(2026, 4, 4, 9)
const user = (text: string, speaker: string | undefined = "Noor"): ExtractTurn => ({
  role: "user",
  text,
  at,
  ...(speaker === undefined ? {} : { speaker })
})
const assistant = (text: string): ExtractTurn => ({ role: "assistant", text, at })
const extract = (
  turns: ReadonlyArray<ExtractTurn>,
  context: ReadonlyArray<ExtractTurn> = [],
  recalled: ReadonlyArray<string> = []
) => ruleExtractor.extract({ context, turns, recalled } satisfies ExtractRequest)
const titles = (...parameters: Parameters<typeof extract>) => extract(...parameters).facts.map(({ title }) => title)

describe("the rules that extract statements", () => {
  it.each([
    ["I'm a nurse at St. Mary's", "Noor is a nurse at St. Mary's", "identity"],
    ["I've been a teacher for 12 years", "Noor has been a teacher for 12 years", "identity"],
    ["ok so I don't eat meat by the way", "Noor doesn't eat meat", "preference"],
    ["I like green tea", "Noor likes green tea", "preference"],
    ["I no longer work at Siemens", "Noor no longer works at Siemens", "decision"],
    ["my sister Lena moved to Graz in March", "Noor's sister Lena moved to Graz in March", "person"],
    ["we've decided to go with Postgres", "We've decided to go with Postgres", "decision"],
    [
      "I have to send the invoice to Brandt by Friday",
      "Noor has to send the invoice to Brandt by Friday 8 May 2026",
      "task"
    ],
    ["I always fly to Porto in June", "Noor always flies to Porto in June", "preference"],
    ["I'm flying to Madrid tomorrow", "Noor is flying to Madrid on 5 May 2026", "plan"],
    ["please answer in German from now on", "Please answer in German from now on", "preference"],
    ["max upload size is 25 MB", "Max upload size is 25 MB", "config"],
    ["my sister's name is Lena", "Noor's sister's name is Lena", "person"],
    ["my wife is called Ines", "Noor's wife is called Ines", "identity"],
    ["Tomas is my partner", "Tomas is Noor's partner", "identity"],
    ["I wanna learn Dutch this year", "Noor wants to learn Dutch this year", "preference"],
    ["I was a surveyor for forty years", "Noor was a surveyor for forty years", "identity"],
    ["Nadja reviews everything touching payments", "Nadja reviews everything touching payments", "person"],
    ["Temi's little brother, he's four", "Temi's little brother is four", "person"],
    ["our kids are Jef and Lotte", "Noor's kids are Jef and Lotte", "person"],
    ["we've got two hens and a cat", "Noor has got two hens and a cat", "person"],
    ["we also have two hens", "Noor also has two hens", "person"],
    ["our CTO is called Anna", "Our CTO is called Anna", "person"],
    ["deploy freeze starts on the 20th", "Deploy freeze starts on 20 May 2026", "event"],
    ["the broker sits on mq-int-02", "The broker sits on mq-int-02", "config"],
    ["memory limit of the api pods should be 768Mi", "Memory limit of the api pods should be 768Mi", "config"],
    ["I can only write in the mornings", "Noor can only write in the mornings", "preference"],
    ["yo, I passed the driving test today", "Noor passed the driving test on 4 May 2026", "event"],
    ["they moved me to the early shift", "They moved me to the early shift".replace("me", "Noor"), "person"],
    ["I'd rather buy a UPS first", "Noor would rather buy a UPS first", "preference"],
    ["the exam is on 8 May", "The exam is on 8 May", "event"],
    ["prep the steering meeting. It's Thursday at 10", "The steering meeting is Thursday 7 May 2026 at 10", "event"],
    ["that did it! we wrapped the calls in one queue", "We wrapped the calls in one queue", "solution"],
    ["we're going to Lyon in June, can I use data there?", "We're going to Lyon in June", "plan"],
    ["no meetings on Wednesdays please", "No meetings on Wednesdays", "state"],
    ["for the record, the budget was approved at 40k", "The budget was approved at 40k", "decision"]
  ])("%s → %s", (text, title, type) => {
    expect(extract([user(text)]).facts).toMatchObject([{ title, type, statedBy: "user", sources: [{ turn: 0 }] }])
  })

  it.each([
    "our team has children in the office on Fridays",
    "our child process leaks memory since v3",
    "our parents table has an index on email",
    "our shop sells cat food",
    "our partner bank is KBC",
    "we have no children's menu",
    "we have one dentist on call",
    "we got a dog in March"
  ])("name the speaker for relatives and pets only: %s", (text) => {
    for (const title of titles([user(text)])) expect(title).not.toContain("Noor")
  })

  it.each([
    "INFO: I'm allergic to penicillin",
    "I have U visa status until 2028",
    "back to the office from 1 June",
    "I'm heading home to Ghana for good in June",
    "My wife is ill",
    "I work for Acme | Globex | Initech as a freelancer",
    "I'm a beekeeper now"
  ])("keep what only looks like a log, a farewell or a table: %s", (text) => {
    expect(titles([user(text)])).toHaveLength(1)
  })

  it("call no partner in business a relative", () => {
    for (const text of ["Acme is our hosting partner", "Tomas is my business partner", "my ex wife is called Ines"])
      expect(extract([user(text)]).facts).toMatchObject([{ type: "person" }])
  })

  it("call a speaker without a name the user", () => {
    expect(titles([{ role: "user", text: "I live in Utrecht and my office is in Delft", at }])).toEqual([
      "The user lives in Utrecht",
      "The user's office is in Delft"
    ])
  })

  it.each([
    "how do I reverse a list in python",
    "what if I just moved to Iceland",
    "maybe I should become a monk",
    "if I won the lottery I'd buy a house in Rome",
    "I'm going to marry that machine lol",
    'my boss says "I have always hated Mondays and Berlin"',
    "could you book a table for 12 May?",
    "I'm so tired today",
    "I'm a millionaire and I live on the moon, just kidding",
    "yes please, let's do that",
    "Otto loves that one",
    "can u write a note to Annegret",
    "serious q, how do ppl sleep in the day",
    "I must go and feed the cat",
    "home time, see you tomorrow",
    "Hanne is ill",
    "here's the log: 2026-03-02 12:01:33 ERROR hivectl: sensor 4 timeout",
    "rust-lld: error: section '.text' will not fit in region 'FLASH': overflowed by 3320 bytes",
    "Dec 09 23:41:07 nas1 smartd[1822]: Device /dev/sdf has 8 unreadable sectors",
    " pid | state | wait | query\n 8812 | idle in transaction | Client | select id from jobs",
    "I'm Noor",
    "hang on, the doorbell",
    "thanks, that helps a lot",
    "```\nconst port = 5432\n```",
    "> I live in Lyon and work at Airbus",
    "2026-05-04 09:00:01 INFO the server runs on port 8080",
    "Ich wohne seit 2019 in Berlin und arbeite bei Siemens",
    "Vivo en Madrid desde 2019 con mi hermana Ana"
  ])("keep nothing of: %s", (text) => {
    expect(titles([user(text)])).toEqual([])
  })

  it("take the assistant's proposal as the statement of a user who accepts it", () => {
    const proposed = assistant("I'd suggest a cache of 200 entries.")
    expect(extract([user("yes, exactly")], [proposed]).facts).toMatchObject([
      {
        title: "Decided: a cache of 200 entries",
        type: "decision",
        statedBy: "user",
        sources: [{ turn: 0, reason: "accepts a proposal" }]
      }
    ])
    expect(titles([user("sounds good, let's do eight then")], [assistant("Shall we meet at eight?")])).toEqual([
      "Decided: let's do eight then"
    ])
    const chosen = titles([user("works for me, Friday it is")], [assistant("Friday or Monday?")])
    expect(chosen.join()).not.toContain("works for")
    for (const answer of ["hm, why?", "no, rather not", "thanks", "maybe later"])
      expect(titles([user(answer)], [proposed])).toEqual([])
    expect(titles([user("SQLite please")], [assistant("Postgres or SQLite for the log?")])).toEqual(["Decided: SQLite"])
    expect(titles([user("yes")], [assistant("How about Lyon or Graz?")])).toEqual([])
    expect(titles([user("yes please")], [assistant("Shall I draft the mail to Brandt?")])).toEqual([])
    expect(titles([user("yes please")], [assistant("Would you like a packing list?")])).toEqual([])
    const undecided = user("I was going to go with Hyperoptic but haven't checked the street")
    expect(titles([undecided], [assistant("BT or Hyperoptic?")])).not.toContainEqual(expect.stringMatching(/^Decided/))
    expect(titles([proposed])).toEqual([])
  })

  it("keep every example of the documentation, with its type", () => {
    const rows = readFileSync(new URL("../docs/capture.md", import.meta.url), "utf8").matchAll(
      /^\| [^|`]+ \| (?<types>(?:`\w+`(?:, )?)+) \| (?<examples>".+") \|$/gmu
    )
    const examples = [...rows].flatMap(({ groups }) =>
      [...groups!.examples!.matchAll(/"([^"]+)"/gu)].map(([, example]) => ({
        example: example!,
        types: groups!.types!
      }))
    )
    expect(examples.length).toBeGreaterThan(15)
    for (const { example, types } of examples) {
      const { facts } = extract([user(example)], [assistant("I'd suggest a cache of 200 entries.")])
      expect([example, facts.map(({ type }) => types.includes(`\`${type}\``))]).toEqual([example, [true]])
    }
  })

  it("name the person for whom a pronoun stands, if there is one only", () => {
    const mother = user("my mother lives in Gdansk")
    expect(extract([user("She is 78 and lives alone")], [mother]).facts).toMatchObject([
      { title: "Noor's mother is 78 and lives alone", type: "person" }
    ])
    const both = user("my mother and my sister live in Gdansk, my sister called")
    expect(titles([user("She is a lawyer in Basel")], [mother, both])[0]).not.toMatch(/mother/)
    expect(extract([user("my brother Jonas works at Siemens")]).facts).toMatchObject([{ people: ["Jonas"] }])
  })

  it("keep no secret, wherever the word for it stands", () => {
    const asked = assistant("What is the network key?")
    for (const [texts, context] of [
      [["the wifi password is Larkspur-7714-Kettle and I live in Lyon"], []],
      [["It is Larkspur-7714-Kettle for the flat in Lyon"], [asked]],
      [["I use AKIAIOSFODNN7EXAMPLE for the bucket in Lyon"], []]
    ] as const)
      expect(
        JSON.stringify(
          extract(
            texts.map((text) => user(text)),
            context
          )
        )
      ).not.toMatch(/7714|AKIA/)
  })

  it.each([
    "my passport number is YB4471902 and it expires in May 2031",
    "note my IBAN DE89 3704 0044 0532 0130 00 for the deposit",
    "the driving licence no. is MORGA753116SM9IJ",
    "my passport is YB4471902",
    "my bank account is 83920174",
    "my sort code is 20-45-77",
    "my visa card is 4929 1234"
  ])("keep no number of a document: %s", (text) => {
    expect(JSON.stringify(extract([user(text)]))).not.toMatch(/4471902|3704|753116|83920174|45-77|4929/)
  })

  it.each([
    ["What's your passport number?", "YB4471902"],
    ["Which account number do you use?", "83920174 at Barclays"],
    ["Which passport, YB4471902 or the new?", "the blue one"],
    ["Is Kettle-7714-Larkspur the wifi password, or which one?", "the blue router"],
    [`${"Fine. ".repeat(800)}Which one has Kettle-7714-Larkspur as its password?`, "the blue router"],
    ["Which one has correct horse battery staple as its wifi password?", "the blue router"]
  ])("keep nothing secret of a question and its answer: %s", (question, answer) => {
    expect(JSON.stringify(extract([user(answer)], [assistant(question)]))).not.toMatch(/4471902|83920174|7714|staple/)
  })

  it.each(secrets)("keep no access code: $text", ({ text, value }) => {
    const said = `I live in Lyon and ${text}. My sister Ada visits on Friday`
    const leaked = [
      text,
      `For the record, ${text}`,
      said,
      `${text.replace(value, "new")}. It's ${value} now, remember that`
    ].flatMap((spoken) => JSON.stringify(extract([user(spoken)]).facts))
    expect(leaked.filter((facts) => facts.includes(value))).toEqual([])
    expect(titles([user(said)])).toContain("Noor's sister Ada visits on Friday 8 May 2026")
  })

  it("keep nothing that only repeats a memory that was shown", () => {
    expect(titles([user("I live in Utrecht")], [], ["Noor lives in Utrecht"])).toEqual([])
    expect(titles([user("I live in Ghent")], [], ["Noor lives in Utrecht"])).toEqual(["Noor lives in Ghent"])
  })

  it.each([
    ["i finally handed in my resignation", "Noor finally handed in Noor's resignation"],
    ["starting at a printing house in march", "Noor is starting at a printing house in March"],
    ["dont call me before ten please", "Don't call Noor before ten"],
    ["The lease in Bruges fell through", "The lease in Bruges fell through"],
    ["vinegar got rid of the limescale", "Vinegar got rid of the limescale"],
    ["spare me the disclaimers", "Spare Noor the disclaimers"],
    ["would you answer in French in future?", "Answer in French in future"],
    ["my late husband Piet kept bees", "Noor's late husband Piet kept bees"],
    ["my hearing is not what it was", "Noor's hearing is not what it was"],
    ["We had booked a cottage, but it was cancelled", "We had booked a cottage, but it was cancelled"]
  ])("keep %j", (text, title) => {
    expect(titles([user(text)])).toEqual([title])
  })

  it.each([
    "thread 'main' panicked at src/main.rs:12:5: the index is 7",
    "Cannot read properties of null (reading 'size')",
    "I know what they changed",
    "I'd rather find out first",
    "we're taking turns"
  ])("leave out %j", (text) => {
    expect(titles([user(text)])).toEqual([])
  })

  it.each([
    ["Which editor do you use?", "helix", "Noor uses helix (editor)"],
    ["Nice. Where are you staying?", "at my aunt's in Namur", "Noor is staying at Noor's aunt's in Namur"],
    ["How many hens do you have?", "seven", "Noor has seven hens"],
    ["What is your budget?", "about 900 euros", "Noor's budget is about 900 euros"],
    ["Is Odile your sister?", "yep", "Odile is Noor's sister"],
    ["Could you rent a smaller studio?", "yes, let's do that", "Decided: rent a smaller studio"]
  ])("read %j with the answer %j", (question, answer, title) => {
    expect(titles([user(answer)], [assistant(question)])).toEqual([title])
  })

  it.each([
    ["Which editor do you use?", "no idea"],
    ["Which of them do you mean?", "the second"],
    ["What do you need?", "a hug"],
    ["About the rent?", "yes"],
    ["Shall I add these to the list?", "yes please"],
    ["How can I help?", "Keep it short"]
  ])("keep nothing of %j and the answer %j", (question, answer) => {
    expect(titles([user(answer)], [assistant(question)])).toEqual([])
  })

  it("keep a short answer that is no statement with its question", () => {
    expect(titles([user("gtx 660")], [assistant("Fans can be quieter. Which card is it?")])).toEqual([
      'Noor, asked "Which card is it?": Gtx 660'
    ])
    expect(titles([user("the Miramar")], [assistant('Nice. Which "grand hotel" is it for tomorrow?')])).toEqual([
      `Noor, asked "Which 'grand hotel' is it for 5 May 2026?": The Miramar`
    ])
    for (const answer of ["no idea", "later", "yes please", "let me look"])
      expect(titles([user(answer)], [assistant("Which card is it?")])).toEqual([])
  })

  it.each([
    "The spinner hung because the service worker cached an old manifest",
    "Aunt Jitka keeps bees and sells honey in Brno",
    "I have three cats",
    "We have two daughters",
    "My sisters like sushi",
    "I love hiking",
    "I can't stand coriander"
  ])("keep what labelled conversations taught: %s", (text) => {
    expect(titles([user(text)])).not.toEqual([])
  })

  it.each([
    "it was like ten degrees",
    "I love those brackets",
    "Dr Kay's surgery called",
    "I always get it wrong",
    "I'm in the shower",
    "I stand corrected",
    "it was a long day"
  ])("keep nothing that only resembles it: %s", (text) => {
    expect(titles([user(text)])).toEqual([])
  })

  it("give a statement without a subject the person who was mentioned last", () => {
    expect(extract([user("Wim's my stepson, he's 9. Lives in Aalst")]).facts).toMatchObject([
      { title: "Wim is Noor's stepson", facts: ["Wim is 9"], people: ["Wim"] },
      { title: "Wim lives in Aalst", people: ["Wim"] }
    ])
  })

  it.each([
    ["my dose is 20 mg since the operation", { topic: "health" }],
    ["the exam is on 8 May #biology", { topic: "study", tags: ["biology"] }],
    ["we're launching Project Heron in June", { project: "Heron", topic: "software" }],
    ["our web-shop repo uses pnpm", { project: "web-shop", topic: "software" }],
    ["I live in Ghent", { tags: [] }]
  ])("name the topic, project and tags of %j", (text, expected) => {
    const [fact] = extract([user(text)]).facts
    expect(fact).toMatchObject(expected)
    expect(fact!.topic).toBe("topic" in expected ? expected.topic : undefined)
    expect(fact!.project).toBe("project" in expected ? expected.project : undefined)
  })

  it("set an end for what holds in a span of time", () => {
    expect(extract([user("I'm on call this week")]).facts).toMatchObject([{ expiresAt: Date.UTC(2026, 4, 11) }])
    expect(extract([user("I moved to Lyon this week")]).facts[0]!.expiresAt).toBeUndefined()
  })

  it.each([
    ["I moved to Ghent in October", Date.UTC(2025, 9, 1)],
    ["I moved to Ghent in March", Date.UTC(2026, 2, 1)],
    ["We booked a cottage for August", Date.UTC(2026, 7, 1)],
    ["We've booked a cottage on the coast for 3 August", Date.UTC(2026, 7, 3)],
    ["I decided to run the marathon in October", Date.UTC(2026, 9, 1)],
    ["My boss promised to pay the invoice by 3 August", Date.UTC(2026, 7, 3)],
    ["The demo was moved to Thursday", Date.UTC(2026, 4, 7)],
    ["We moved to the 3rd of August with the launch", Date.UTC(2026, 7, 3)],
    ["My sister Ada broke her arm on 3 August", Date.UTC(2025, 7, 3)],
    ["My sister Ada broke her arm on 3 August 2027", Date.UTC(2027, 7, 3)],
    ["We've had a cat since September", Date.UTC(2025, 8, 1)],
    ["We will move to Porto in February", Date.UTC(2027, 1, 1)],
    ["My exam is on 3 August", Date.UTC(2026, 7, 3)]
  ])("place a date without a year by the tense: %j", (text, occurredAt) => {
    expect(extract([user(text)]).facts).toMatchObject([{ occurredAt }])
  })

  it("set an end for what holds until a day", () => {
    expect(extract([user("My boss Ingrid is on leave until 12 May 2026")]).facts).toMatchObject([
      { expiresAt: Date.UTC(2026, 4, 13), people: ["Ingrid"] }
    ])
  })

  it("are pure, and extract no secret and no empty title from any text", () => {
    const words = fc.constantFrom(
      ..."I my we she he it is have lives works on in the a not no yes maybe if 12 May Friday tomorrow Lyon Anna port 5432 password: sk-ant-api03-Ab3Cd5Ef7Gh9Ij1Kl3Mn5 \" ' ? ! . , ; - \n ``` > you said because and but".split(
        " "
      )
    )
    const text = fc.array(words, { maxLength: 40 }).map((list) => list.join(" "))
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 3 }), (last, before) => {
        const request: ExtractRequest = {
          context: before.map((line, index) => (index % 2 === 0 ? user(line) : assistant(line))),
          turns: [user(last)],
          recalled: []
        }
        const extraction = ruleExtractor.extract(request)
        expect(ruleExtractor.extract(request)).toEqual(extraction)
        for (const { sources, title } of extraction.facts) {
          expect(title.trim()).not.toBe("")
          expect(sources).toHaveLength(1)
          expect(findSensitiveData([title]).credential).toEqual([])
        }
      }),
      {
        numRuns: lawRuns({ quick: 200, full: 5_000 }),
        examples: [
          // A correction rewrites an earlier statement, and a short answer is kept with its question.
          ["no May", ["", "", "Friday sk-ant-api03-Ab3Cd5Ef7Gh9Ij1Kl3Mn5"]],
          ["Friday", ["", "sk-ant-api03-Ab3Cd5Ef7Gh9Ij1Kl3Mn5 ?"]]
        ]
      }
    )
  })
})

describe("conversations of other writers than the rules learn from", () => {
  it.each([
    { set: "kept", precision: 0.9, recall: 0.8, quotes: 0 },
    // The quotations that are counted are captured as what somebody else says, not as the user's own view.
    { set: "kept-2", precision: 0.8, recall: 0.7, quotes: 1 },
    { set: "kept-3", precision: 0.8, recall: 0.7, quotes: 2 },
    { set: "kept-4", precision: 0.8, recall: 0.7, quotes: 0 },
    { set: "kept-5", precision: 0.79, recall: 0.64, quotes: 1 }
  ])(
    "are captured with the promised precision and recall, and no secret: $set",
    ({ precision, quotes, recall, set }) => {
      const read = <A, I>(name: string, schema: Schema.Schema<A, I>) =>
        readLines(fileURLToPath(new URL(`./fixtures/capture/${name}.jsonl`, import.meta.url)), schema)
      const { credentials, judged, kept, missed } = scoreSessions(
        read(`${set}-turns`, Session),
        read(`${set}-labels`, Label),
        ruleExtractor
      )
      const right = judged.filter(({ verdict }) => verdict === "keep" || verdict === "allowed").length
      expect(right / judged.length).toBeGreaterThanOrEqual(precision)
      expect(kept / (kept + missed.length)).toBeGreaterThanOrEqual(recall)
      expect(judged.filter(({ verdict }) => verdict.startsWith("never: quote")).length).toBeLessThanOrEqual(quotes)
      expect(credentials).toBe(0)
    }
  )
})

describe("the benchmark of capture", () => {
  it("counts what the labels call a secret, whatever the detector says", () => {
    const session: Session = {
      session: "s",
      turns: [
        { id: "s-1", at: "2026-05-04T09:00:00Z", role: "user", text: "the fox is under the blue pot" },
        { id: "s-2", at: "2026-05-04T09:01:00Z", role: "user", text: "I live in Lyon" }
      ]
    }
    const parrot: ExtractorService = {
      name: "parrot",
      extract: ({ turns }) => ({
        facts: turns.map(({ text }) => ({
          ...{ title: text, type: "state", people: [], tags: [], rule: "all", statedBy: "user" },
          sources: [{ turn: 0, reason: "" }]
        })),
        by: { kind: "rule", name: "parrot" }
      })
    }
    const label = (why: string): Label => ({ turn: "s-1", never: [{ why, words: [["blue pot"]] }] })
    expect(scoreSessions([session], [label("secret")], parrot).credentials).toBe(1)
    expect(scoreSessions([session], [label("joke")], parrot).credentials).toBe(0)
  })
})
