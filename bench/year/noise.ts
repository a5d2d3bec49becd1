import type { Observation } from "../../src/model/input.js"

type Chooser = <A>(values: ReadonlyArray<A>) => A

const list = (text: string): ReadonlyArray<string> => text.split(", ")

export const people = list(
  "Ana Ferro, Bojan Ilic, Chidi Eze, Dora Lind, Emil Roth, Farah Aziz, Gil Mota, Hana Sato, Ivo Kral, Jana Blom, Kofi Mensah, Lena Vogt, Milo Grant, Nadia Haddad, Oskar Falk, Priya Nair, Quentin Roy, Ravi Menon, Sofia Lopes, Tariq Amin, Uma Rao, Viktor Bergh, Wanda Nowak, Xavi Puig, Yusuf Demir, Zora Babic"
)
const projects = list("Tern, Kelpie, Sandpiper, Marram, Groyne")
const parts = list(
  "invoice export, login form, search index, upload queue, map view, billing job, audit trail, mail gateway, report builder, photo import, rate limiter, webhook sender, user import, price list, order screen, sync worker, chat widget, calendar feed, tax module, token refresh, archive job, label printer, stock counter, image cache, feature flags, help page, backup script, alert rules, session store, currency table"
)
const faults = list(
  "times out, returns 502, shows stale rows, loses the last line, doubles entries, ignores the time zone, crashes on empty input, leaks file handles, is slow after midnight, rejects umlauts, forgets the filter, prints the wrong total"
)
const works = list(
  "rewrote the tests of, reviewed the change to, cleaned up the code of, added metrics to, wrote the documentation of, fixed the pagination of, removed dead code from, measured the memory use of, raised the limits of, split up"
)
const places = list("Porto, Ostend, Genoa, Malmo, Gdansk, Split, Cork, Nantes, Tartu, Bremen, Vigo, Brno")
const objects = list(
  "the whiteboard, a second monitor, the badge printer, the coffee machine, a projector, the bike rack, the meeting booth, the label tape, the spare charger, the first-aid box"
)
const topics = list(
  "caching, on-call, hiring, budgets, accessibility, tracing, test data, onboarding, naming, licences of fonts, error pages, release notes"
)
const choices = list(
  "feature branches live at most a week, error messages name the field, dates are shown in ISO form, every service has an owner, flaky tests are deleted after two weeks, incidents get a number, dashboards are kept in the repository, secrets rotate each quarter, invoices are sent as PDF, review needs one approval, time zones are stored as names, prices are kept in cents"
)
const fixes = list(
  "a larger connection pool, a retry with jitter, an index on the foreign key, pinning the base image, a shorter cache time, a lock around the import, reading in pages, turning off prefetch, a newer driver, clearing the build cache"
)
const words = list(
  "the change is behind a flag, nobody saw it before the weekend, the numbers look right again, we should look at it once more in spring, it was found by a customer, the log had nothing of it, the same happened two years ago, it took most of the afternoon, the vendor was told, a note stands in the runbook, the dashboard shows it in red, it is not urgent"
)

/** An invented event at work, of one kind from `kinds`. Longer than 80 lines because of its word lists. */
export const makeNoise = (random: () => number, kind: NoiseKind, day: string): Observation => {
  const some: Chooser = (values) => values[Math.floor(random() * values.length)]!
  const number = (least: number, most: number) => least + Math.floor(random() * (most - least + 1))
  const ticket = `${some(["TRN", "KLP", "SND", "MAR", "GRY"])}-${number(100, 9_999)}`
  const [part, otherPart, project, person] = [some(parts), some(parts), some(projects), some(people)]
  const narrative = (): { readonly narrative?: string } => {
    const sentences = Array.from({ length: number(1, 7) }, () => {
      const start = some([`${person} says that`, "It seems that", `In ${ticket} it says that`, "For the record,"])
      return `${start} ${some(words)} (${some(parts)}, ${number(2, 400)} ${some(["rows", "ms", "users", "files"])}).`
    })
    return random() < 0.4 ? { narrative: sentences.join(" ") } : {}
  }
  const facts = (): ReadonlyArray<string> =>
    random() < 0.4 ? [`${ticket}: ${number(2, 90)} ${some(["users", "orders", "hosts", "reports"])} affected`] : []
  switch (kind) {
    case "event":
      return {
        type: "event",
        title: some([
          `The ${part} of ${project} ${some(faults)} since ${number(6, 21)}:${number(10, 59)} (${ticket})`,
          `${person} ${some(works)} the ${part} of ${project} (${ticket})`,
          `${person} is in ${some(places)} until the ${number(2, 28)}th`,
          `${ticket} was closed by ${person} after ${number(2, 40)} days`,
          `Release ${number(1, 9)}.${number(0, 40)}.${number(0, 9)} of ${project} went out`
        ]),
        facts: facts(),
        people: [person],
        ...narrative()
      }
    case "discovery":
      return {
        type: "discovery",
        title: some([
          `The ${part} of ${project} calls the ${otherPart} ${number(2, 40)} times for each request`,
          `${person} knows the ${part} of ${project} best`,
          `The ${part} takes ${number(30, 900)} ms at ${number(100, 900)} rows`,
          `Half of the load of the ${part} in ${project} comes from the ${otherPart}`
        ]),
        facts: facts(),
        ...(random() < 0.5 ? { people: [person] } : {}),
        project,
        ...narrative()
      }
    case "technical":
      return {
        type: some(["technical", "config"]),
        title: some([
          `The ${part} of ${project} listens on port ${number(3_000, 9_900)}`,
          `The time limit of the ${part} in ${project} is ${number(2, 90)} seconds`,
          `The ${part} of ${project} keeps ${number(2, 60)} workers`,
          `${project} reads the ${part} from bucket ${project.toLowerCase()}-${number(10, 99)}`
        ]),
        facts: facts(),
        project,
        ...narrative()
      }
    case "task":
      return {
        type: "task",
        title: some([
          `Ask ${person} about the ${part} of ${project}`,
          `Look at ${ticket}: the ${part} ${some(faults)}`,
          `Order ${some(objects)} for the room in ${some(places)}`,
          `Prepare ${number(2, 9)} slides on ${some(topics)} for ${person}`
        ]),
        people: [person],
        ...narrative()
      }
    case "purpose":
      return {
        type: some(["decision", "decision", "solution", "preference"]),
        title: some([
          `In ${project} ${some(choices)}`,
          `The ${part} of ${project} was mended by ${some(fixes)} (${ticket})`,
          `${person} prefers to talk about ${some(topics)} at ${number(9, 17)}:${some(["00", "30"])}`,
          `${project} gets ${number(2, 9)} more days for the ${part}`
        ]),
        facts: facts(),
        project,
        ...narrative()
      }
    case "daily":
      return {
        type: "event",
        tier: "daily",
        title: some([`Stand-up of ${project}`, `Notes of the day, ${project}`, `Talked with ${person}`]),
        facts: [
          `${day}: ${some(works).replace("the code of", "code:")} the ${part}`,
          `${ticket} waits for ${some(people)}`
        ],
        people: [person],
        project,
        topic: some(topics)
      }
    case "person":
      return {
        type: "person",
        title: some([
          `${person} looks after the ${part} of ${project}`,
          `${person} sits in ${some(places)}`,
          `${person} knows a lot about ${some(topics)}`
        ]),
        people: [person]
      }
    case "passing":
      return {
        type: some(["temp", "debug"]),
        title: some([
          `Trying the ${part} of ${project} with ${number(2, 90)} threads`,
          `Trace of ${ticket}: line ${number(10, 900)} of the ${part}`,
          `Branch try-${number(100, 999)} has the ${part} of ${project} half done`
        ])
      }
  }
}

/** A short remark about where or when something was said. */
export const passingRemark = (random: () => number): string => {
  const some: Chooser = (values) => values[Math.floor(random() * values.length)]!
  return some([
    `It came up in a talk with ${some(people)} about ${some(topics)}.`,
    `${some(people)} had asked, while the ${some(parts)} was looked at.`,
    `From the notes on ${some(topics)}: ${some(words)}.`,
    `Written down on the way to ${some(places)}.`,
    `Said between two questions on the ${some(parts)} of ${some(projects)}; ${some(words)}.`,
    `Heard by ${some(people)} at lunch in ${some(places)}.`
  ])
}

/** The percentage of each kind of noise, and whether the user asks to remember it. */
export const noiseKinds = [
  ["event", 26, false],
  ["discovery", 14, false],
  ["technical", 12, false],
  ["task", 10, false],
  ["purpose", 9, true],
  ["daily", 16, true],
  ["person", 4, true],
  ["passing", 9, false]
] as const
export type NoiseKind = (typeof noiseKinds)[number][0]
