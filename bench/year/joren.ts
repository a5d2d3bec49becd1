import type { TrackedAttribute } from "./tracked.js"

/** Columns: type, about, name | values | said | changed. " / " separates values and texts. */
const lines = `
identity, Joren, town | Leuven / Arnhem / Utrecht / Delft | Joren has a flat in {v} / Joren's address is in {v} / The town where Joren lives is {v} | Joren has moved to {v} / Joren gave up the flat in {o} and lives in {v} since today
identity, Joren, hospital | Sint-Rafael / Radboud / Antonius | Joren is a nurse at {v} / The hospital where Joren works is {v} / Joren is on the staff of {v} | Joren changed from {o} to {v} / Joren is a nurse at {v} as of this week
identity, Joren, ward | cardiology / oncology / paediatrics | Joren is on the {v} ward / The ward of Joren is {v} / Joren does shifts on {v} | Joren was transferred from {o} to {v} / The ward of Joren is now {v}
identity, Joren, bicycle | Gazelle / Koga / Batavus | Joren rides a {v} / Joren's bicycle is a {v} / Joren has a {v} to get to work | Joren bought a {v} in place of the {o} / Joren rides a {v} now
identity, Joren, sister | Lieke | Joren's sister is called Lieke / Lieke is the sister of Joren / Joren has one sister, Lieke |
identity, Joren, cat | Mokka | Joren's cat is called Mokka / Joren has a cat, Mokka / Mokka is Joren's cat |
identity, Joren, instrument | cello / clarinet / accordion | Joren plays the {v} / Joren's instrument is the {v} / Joren has lessons on the {v} | Joren dropped the {o} and plays the {v} / Joren plays the {v} these days
identity, Joren, bank | Triodos / Rabobank / Bunq | Joren's account is with {v} / Joren banks with {v} / The bank of Joren is {v} | Joren's account is with {v} from now on / Joren closed the account at {o} and banks with {v}
identity, Joren, doctor | Dr. Smit / Dr. Kaya / Dr. Bakker | Joren's doctor is {v} / {v} is the doctor of Joren / Joren is a patient of {v} | Joren's doctor is {v} now / Joren's doctor is no longer {o} but {v}
identity, Joren, blood | AB negative | Joren's blood group is AB negative / Joren has the blood group AB negative / The blood group of Joren is AB negative |
preference, Joren, breakfast | porridge / rye bread / yoghurt | Joren likes {v} for breakfast / Joren's breakfast is {v} / For breakfast Joren has {v} | Joren likes {v} for breakfast now / Joren's breakfast is {v} rather than {o} from today on
preference, Joren, shifts | early / late / night | Joren would rather work {v} shifts / Joren prefers {v} shifts / The shifts that Joren likes are {v} ones | Joren prefers {v} shifts now / Joren no longer prefers {o} shifts but {v} ones
preference, Joren, calls | by phone / by video / by text | Joren prefers to be reached {v} / Joren wants to be reached {v} / To reach Joren is best {v} | Joren prefers to be reached {v} now / Joren wants to be reached {v} instead of {o}
preference, Joren, units | metric / imperial | Joren reads measures in {v} units / Joren wants {v} units / Measures for Joren are in {v} units | Joren wants {v} units from now on / Joren wants {v} units instead of {o} ones
preference, Joren, tone | formal / casual / terse | Joren wants replies in a {v} tone / Replies to Joren have a {v} tone / Joren likes a {v} tone in replies | Joren wants replies in a {v} tone now / Joren wants a {v} tone in replies instead of a {o} one
preference, Joren, browser | Firefox / Vivaldi / Brave | Joren uses {v} as his browser / Joren's browser is {v} / Joren surfs with {v} | Joren's browser is {v} now / Joren went from {o} to {v} as his browser
preference, Joren, airport | Schiphol / Zaventem / Eindhoven | Joren flies from {v} / Joren's airport is {v} / Joren likes to fly from {v} | Joren flies from {v} now / Joren flies from {v} instead of {o}
preference, Joren, paper | De Standaard / Trouw / Volkskrant | Joren reads {v} every day / Joren's newspaper is {v} / Joren has a subscription to {v} | Joren's newspaper is {v} now / Joren cancelled {o} and reads {v} every day
preference, Joren, holiday | Tuscany / Brittany / Jutland | Joren spends the summer in {v} / Joren goes to {v} in summer / Joren's summer holidays are in {v} | Joren's summer holidays are in {v} from this year on / Joren goes to {v} in summer instead of {o}
preference, Joren, size | small / medium / large | Joren wears size {v} / Joren's shirts are size {v} / Shirts for Joren are size {v} | Joren wears size {v} now / Joren's shirts are no longer size {o} but size {v}
decision, Quayside, rota | Mondays / Fridays / Sundays | The rota of Quayside comes out on {v} / Quayside publishes its rota on {v} / It was agreed that the rota of Quayside comes out on {v} | The rota of Quayside comes out on {v} from now on / It was agreed to move the rota of Quayside from {o} to {v}
decision, Quayside, supplier | Medline / Hartmann / Lohmann | The supplier of Quayside is {v} / Quayside buys from {v} / It was agreed that Quayside buys from {v} | The supplier of Quayside is {v} now / It was agreed to replace {o} by {v} as the supplier of Quayside
decision, Quayside, alarm | pager / siren / app | The alarm of Quayside goes by {v} / Quayside raises the alarm by {v} / It was agreed that the alarm of Quayside goes by {v} | The alarm of Quayside goes by {v} now / It was agreed to change the alarm of Quayside from {o} to {v}
decision, Quayside, budget | 40,000 euros / 55,000 euros / 70,000 euros | The budget of Quayside is {v} / Quayside has a budget of {v} / It was agreed on a budget of {v} for Quayside | The budget of Quayside is {v} now / The budget of Quayside was raised from {o} to {v}
decision, Quayside, records | Epic / Chipsoft / Nexus | Quayside keeps its records in {v} / The records of Quayside are in {v} / It was agreed to keep the records of Quayside in {v} | The records of Quayside are in {v} now / It was agreed to move the records of Quayside from {o} to {v}
decision, Lantern, lead | Saskia / Marten / Yvonne | The lead of Lantern is {v} / {v} leads Lantern / It was agreed that {v} leads Lantern | The lead of Lantern is {v} now / {v} leads Lantern in place of {o}
decision, Lantern, room | B12 / C07 / A31 | Lantern meets in {v} / The room of Lantern is {v} / It was agreed that Lantern meets in {v} | Lantern meets in {v} now / Lantern no longer meets in {o} but in {v}
decision, Lantern, deadline | 1 March / 15 April / 30 May | The deadline of Lantern is {v} / Lantern is due on {v} / It was agreed that Lantern is due on {v} | The deadline of Lantern is {v} now / The deadline of Lantern was moved from {o} to {v}
decision, Lantern, format | PDF / Word / LaTeX | Reports of Lantern are in {v} / Lantern reports in {v} / It was agreed to write the reports of Lantern in {v} | Reports of Lantern are in {v} now / It was agreed to change the reports of Lantern from {o} to {v}
decision, Lantern, language | Dutch / English / French | Lantern is held in {v} / The language of Lantern is {v} / It was agreed to hold Lantern in {v} | The language of Lantern is {v} now / Lantern changed from {o} to {v}`

const parts = (text: string): ReadonlyArray<string> =>
  text.trim() === "" ? [] : text.split(" / ").map((one) => one.trim())

/** Parses attributes from lines in the format above. */
export const parseAttributes = (lines: string): ReadonlyArray<TrackedAttribute> =>
  lines
    .trim()
    .split("\n")
    .map((line) => {
      const [head = "", values = "", said = "", changed = ""] = line.split("|")
      const [type = "", about = "", name = ""] = head.split(",").map((one) => one.trim())
      return {
        name,
        about,
        type: type as TrackedAttribute["type"],
        values: parts(values),
        said: parts(said),
        changed: parts(changed)
      }
    })

/** 30 attributes by another author, about another person and two other projects, in other sentences. */
export const jorenAttributes: ReadonlyArray<TrackedAttribute> = parseAttributes(lines)
