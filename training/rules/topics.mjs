// @ts-nocheck: a maintainers' tool.
import { randomOf } from "./boost.mjs"

/** Irrelevant remarks. They must not change the answer. */
const fillers =
  `Came up in the Monday call.|Told me on the phone.|Noted after the meeting.|He was quite cross about it.|
See the wiki for the rest.|Took longer than expected.|Everyone agreed.|Heard it from Jonas.|The paperwork is in the green binder.|
Needs no action for the moment.|She mentioned it in passing.|Two people asked about it last week.|Checked it this morning.|
Written down for the record.|The neighbours know as well.|It was raining all day.|Agreed with the landlady|Page 4 of the manual|
noticed by Tarek|asked her twice|costs nothing extra|as announced in the letter|third time this year|email of 4 February|
Ticket 2231|contact: front desk|valid for everyone|paid by the company|in writing|the old form is still on the website`
    .split("|")
    .map((filler) => filler.trim())
const unsure = /\?|might|suggest|propos|could|would|wish|asked|joked/

/** Generates stories from topics: one for each pair of sentences whose relation is known. */
export const storiesOf = (text) => {
  const random = randomOf(5)
  const some = (these) => these[Math.floor(random() * these.length)]
  const observationOf = (sentence) => {
    const [, key, value] = random() < 0.5 ? (sentence.match(/^([^:,]{3,40}): (.+)$/) ?? []) : []
    const observation = key === undefined ? { title: sentence } : { title: key, facts: [value] }
    const dice = random()
    if (dice < 0.22) observation.facts = [...(observation.facts ?? []), some(fillers)]
    else if (dice < 0.33) observation.narrative = some(fillers)
    return observation
  }
  const topics = text
    .split("\n\n")
    .map((block) =>
      Object.fromEntries(
        [..."=!+?"].map((sign) => [
          sign,
          block
            .split("\n")
            .filter((line) => line.startsWith(`${sign} `))
            .map((line) => line.slice(2))
        ])
      )
    )
    .filter((topic) => topic["="].length > 0)
  return topics.flatMap((topic, place) => {
    const stories = []
    const add = (memory, statement, action) => {
      const others = topic["?"].filter((sentence) => sentence !== statement && !unsure.test(sentence))
      const memories = []
      if (random() < 0.5 && others.length > 0) memories.push(observationOf(some(others)))
      if (random() < 0.4) {
        const other = some(topics)
        if (other !== topic) memories.push(observationOf(other["="][0]))
      }
      const target = Math.floor(random() * (memories.length + 1))
      memories.splice(target, 0, observationOf(memory))
      const accept = [action === "ADD" ? { action } : { action, target }]
      stories.push({
        id: `topic-${place}-${stories.length}`,
        kind: "topic",
        memories,
        statement: observationOf(statement),
        accept
      })
    }
    for (const memory of topic["="]) {
      for (const same of topic["="]) if (same !== memory) add(memory, same, "NONE")
      for (const changed of topic["!"]) add(memory, changed, "DELETE")
      for (const detailed of topic["+"]) {
        add(memory, detailed, "UPDATE")
        add(detailed, memory, "NONE")
      }
      for (const other of topic["?"]) add(memory, other, "ADD")
    }
    for (const detailed of topic["+"]) for (const changed of topic["!"]) add(detailed, changed, "DELETE")
    return stories
  })
}
