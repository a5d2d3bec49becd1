import type { Relation } from "./Language.js"

const changed = (words: string): NonNullable<Relation["cues"]> =>
  Object.fromEntries(words.split(",").map((word) => [word.trim(), "changed" as const]))

/** The relations that English verbs and nouns express, and how many values each has at a time. */
export const relations: Readonly<Record<string, Relation>> = {
  live: {
    words:
      "live, reside, dwell, live in, reside in, be based, base in, be home, be located, locate, settle, settle in, move in",
    nouns: "residence",
    valueCount: "one",
    cues: changed("settle in, move in")
  },
  work: {
    words: "work at, work for, employ by, be employed, start at, join, work, hire by, work as",
    nouns: "employer, job at",
    valueCount: "one",
    cues: changed("start at, join, hire by")
  },
  move: {
    words: "move, move to, relocate, relocate to, transfer, transfer to, shift to, move back to",
    valueCount: "one",
    cues: changed("relocate, relocate to, transfer, transfer to")
  },
  replace: {
    words: "replace, swap, supersede, swap for, replace with, replace by, supersede by",
    valueCount: "scoped",
    cues: changed("replace, supersede")
  },
  leave: { words: "left, resign", valueCount: "many", cues: { left: "ended", resign: "ended" } },
  name: {
    words: "call, name, rename, rename to, go by",
    nouns: "title, nickname, name",
    valueCount: "one",
    cues: changed("rename, rename to")
  },
  own: {
    words: `own, maintain, lead, responsible for, be responsible, in charge of, in charge, take over, manage, look after,
      take care of, handle, assign, assign to, be on call, hand over, hand over to, hand to, reassign, reassign to, run by,
      supervise, coordinate, appoint, elect, nominate`,
    nouns: "owner, maintainer, leader, lead, assignee, head, chair, point person",
    valueCount: "one",
    inverse: true,
    cues: changed("take over, hand over, hand over to, hand to, reassign, reassign to, appoint, elect")
  },
  report: { words: "report to", nouns: "boss, supervisor, manager", valueCount: "one" },
  marry: { words: "marry", nouns: "spouse, husband, wife, partner", valueCount: "one" },
  prefer: {
    words: "prefer, favor, favour, would rather, rather, go for",
    nouns: "preference, first choice",
    valueCount: "scoped"
  },
  favorite: { words: "be best", nouns: "favorite, favourite, number one", valueCount: "one" },
  like: {
    words: "like, love, enjoy, fond of, be fond, fan of, adore, be into, keen on, appreciate",
    valueCount: "many"
  },
  use: {
    words: `use, utilize, utilise, adopt, rely on, switch to, migrate to, migrate, power by, build with, build on, go with,
      stick with, choose, pick, decide on, decide, choose to use, opt for, settle on, base on, switch, standardize on,
      standardise on, decide to use, go back to, run on, run in, transition to`,
    valueCount: "scoped",
    cues: changed("adopt, switch, switch to, migrate, migrate to, transition to, go back to")
  },
  write: { words: "write in, write, implement in, code in", valueCount: "one" },
  store: {
    words: `store, store in, save, save in, keep, keep in, host, host on, host in, host at, deploy to, deploy on, deploy in,
      persist, live at, put, reside at, serve from`,
    valueCount: "one"
  },
  listen: {
    words: "listen on, listen, bind to, bind, expose on, expose, run on port, serve on",
    nouns: "port",
    valueCount: "one"
  },
  happen: {
    words: `happen, take place, be due, due, due on, schedule, schedule for, be scheduled, plan for, start, begin, end, finish,
      expire, expire on, close, open, be set, be held, hold, postpone, postpone to, postpone until, reschedule, reschedule to,
      push back, push back to, bring forward, bring forward to, depart, depart at, leave at, arrive, meet, occur, set for, kick off, run until,
      recur, launch, ship`,
    nouns: "deadline",
    valueCount: "one",
    cues: changed(
      "postpone, postpone to, postpone until, reschedule, reschedule to, push back, push back to, bring forward, bring forward to"
    )
  },
  cost: { words: "cost, charge, be priced, pay", nouns: "price, fee", valueCount: "one" },
  last: { words: "take, last for, require", valueCount: "scoped" },
  weigh: { words: "weigh, measure, earn, make up, amount to", nouns: "weight", valueCount: "one" },
  speak: { words: "speak, be fluent, know, understand", valueCount: "many" },
  default: { words: "default to, be default, by default", nouns: "default", valueCount: "one" },
  contain: { words: "have, contain, include, consist of, comprise, come with", valueCount: "many" },
  visit: { words: "visit, travel to, go to, fly to, attend", valueCount: "many", event: true },
  mean: { words: "mean, stand for, equal", valueCount: "one" },
  allow: { words: "allow, permit, support, accept, can use", valueCount: "many" }
}
