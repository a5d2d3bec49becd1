import { stemOf } from "../../../../text/normalise/stem.js"
import { lexicon } from "../rules/lexicon.js"
import type { WordClass } from "./lexicon.js"
import type { Reading } from "./reading.js"
import { kin } from "./words.js"

/** Points for each sign. A piece with at least `minWorth` is kept. */
const points = {
  asks: -5,
  requests: -2.5,
  instructs: 2,
  speaker: 0,
  omitted: 0,
  group: 0.2,
  own: 0.3,
  pronoun: 0,
  named: 0.6,
  thing: 0,
  it: -0.7,
  listener: -1.5,
  present: 0.1,
  perfect: 0.2,
  past: -0.7,
  future: -0.1,
  modal: -1,
  none: -0.2,
  day: 1.6,
  clock: 0.3,
  number: 0.4,
  name: 0.6,
  names: 0.3,
  identifier: 0.6,
  identifiers: 0.4,
  "is a": 1.7,
  aged: 1.2,
  attribute: 1,
  keyed: 0.8,
  value: 1,
  dense: 0.5,
  rule: 0.8,
  aim: 0.4,
  "own health": 0.5,
  "has a": 0.7,
  "named so": 1,
  lasts: 0.8,
  relative: 0.9,
  dated: 0.9,
  pursuit: 1,
  judged: -1,
  health: 1.3,
  liking: 1.4,
  "own state": 1.5,
  having: 0.6,
  practice: 0.5,
  happening: 0.5,
  frequency: 0.8,
  pleased: -1.4,
  decision: 1.3,
  duty: 0.6,
  change: 1.7,
  solution: 1.5,
  lasting: 0.6,
  plan: 0.4,
  marked: 2.2,
  accepts: 3,
  corrects: 1.2,
  listed: 0.6,
  answers: 0.7,
  fleeting: -1.3,
  passing: -1.6,
  supposing: -1.6,
  believing: -0.4,
  joking: -1.3,
  smiling: -0.1,
  quoted: -1.2,
  saying: -0.5,
  minding: -1,
  generic: -0.7,
  compared: -1,
  exclaimed: -0.2,
  trouble: -0.3,
  short: -0.4,
  "very short": -0.7,
  continues: -0.4
} as const

export type Sign = keyof typeof points

const base = -1

/** The fewest points of a piece that is kept. */
export const minWorth = 0.45

export const worthOf = (signs: ReadonlySet<Sign>): number => {
  let sum = base
  for (const sign of signs) sum += points[sign]
  return sum
}

/** How a piece stands to the assistant's last turn. */
export interface Circumstances {
  /** It answers a question. */
  readonly isAnswer: boolean
  /** It picks something that was proposed. */
  readonly isAccepting: boolean
}

/** Signs that a piece is worth keeping, or is not. */
export const signsOf = (reading: Reading, { isAccepting, isAnswer }: Circumstances): ReadonlySet<Sign> => {
  const {
    act,
    hits,
    identifiers,
    isCorrection,
    isKeyed,
    isMarked,
    isQuoted,
    names,
    piece,
    subject,
    tense,
    text,
    values,
    words
  } = reading
  const signs = new Set<Sign>([subject, tense])
  const add = (sign: Sign, holds: boolean) => holds && signs.add(sign)
  const has = (...classes: ReadonlyArray<WordClass>) => classes.some((name) => hits.has(name))
  const line = ` ${words.join(" ")} `
  if (act !== "states" && !(act === "requests" && isAccepting)) signs.add(act)
  const isFirst = subject === "speaker" || subject === "omitted" || subject === "group"
  const isSomebody = isFirst || subject === "own" || subject === "pronoun" || subject === "named"
  const isPast = tense === "past"
  const kindOf = (...kinds: ReadonlyArray<string>) => values.some(({ value }) => kinds.includes(value.kind))
  const hasDate = values.some(
    ({ value: { day, kind, month, weekday, year } }) =>
      kind === "day" && (month ?? year ?? day ?? (isPast ? undefined : weekday)) !== undefined
  )
  const hasFigure = values.some(
    ({ value: { form, kind } }) => kind === "version" || (kind === "quantity" && /\d/u.test(form))
  )
  add(
    "dated",
    isPast &&
      values.some(
        ({ value: { day, isRelative, kind, month, year } }) =>
          kind === "day" &&
          isRelative !== true &&
          (month !== undefined || year !== undefined) &&
          (day !== undefined || year !== undefined)
      )
  )
  add("day", hasDate)
  add("clock", kindOf("clock"))
  add("number", hasFigure)
  add("name", names.length > 0)
  add("names", names.length > 1)
  add("identifier", identifiers.length > 0)
  add("identifiers", identifiers.length > 1)
  add("is a", isSomebody && frames.isA.test(line))
  add("aged", isSomebody && frames.aged.test(line))
  add("has a", isFirst && frames.hasA.test(line))
  add("named so", frames.namedSo.test(line))
  add("lasts", frames.lasts.test(line))
  add("relative", relativeFrame.test(line))
  add("pursuit", isFirst && has("pursuing"))
  add("judged", !isAccepting && has("judging") && subject !== "speaker" && subject !== "group")
  add("health", has("health"))
  add("liking", isSomebody && has("liking"))
  add("own state", isSomebody && (!isPast || isFirst) && has("stative"))
  add("having", isSomebody && !isPast && has("having"))
  add("practice", subject === "group" && tense === "present")
  add("happening", isSomebody && has("happening"))
  add("frequency", frames.frequency.test(line))
  add("pleased", isFirst && frames.pleased.test(line))
  add("decision", has("deciding"))
  add("duty", has("duty"))
  add(
    "change",
    has("changing") && (isSomebody || identifiers.length > 0 || hasFigure) && tense !== "future" && tense !== "modal"
  )
  add("rule", has("ruling"))
  add("aim", isFirst && has("aiming"))
  add("keyed", isKeyed)
  add("own health", isSomebody && has("health"))
  add("attribute", isAttribute(frames.attribute.exec(line)?.[1]))
  add(
    "value",
    !isQuoted &&
      (subject === "thing" || subject === "own" || subject === "named") &&
      tense === "present" &&
      (hasFigure || kindOf("clock") || identifiers.length > 0 || (names.length > 0 && frames.copula.test(line)))
  )
  add("dense", values.length + names.length + identifiers.length > 2)
  add("solution", has("solving"))
  add("lasting", has("lasting"))
  add("plan", has("planning") && hasDate)
  add("marked", isMarked)
  add("corrects", isCorrection && (values.length > 0 || names.length > 0))
  add("accepts", isAccepting)
  add("listed", piece.heading !== undefined)
  add("answers", isAnswer && words.length > 1)
  add("fleeting", has("fleeting") || frames.soon.test(line))
  add("passing", frames.passing.test(line))
  const isPreferring = frames.preferring.test(line)
  const isDue = isFirst && frames.due.test(line)
  add("supposing", has("supposing") && !isPreferring)
  if (isPreferring || isDue) signs.delete("modal")
  add("duty", isDue)
  add("believing", has("believing"))
  add("joking", has("joking"))
  add("smiling", /[:;]-?[)DP]|\p{Extended_Pictographic}/u.test(piece.text))
  add("quoted", isQuoted)
  add(
    "saying",
    !isFirst && reading.hitList.some(({ index, wordClass }) => wordClass === "saying" && index < maxSpeakerWords)
  )
  add("minding", isFirst && frames.minding.test(line))
  add(
    "generic",
    / (?:you|your|one (?:is|was|does|did|gave|has|had|addresses|knew)|everyone|everybody|someone|somebody) /u.test(
      line
    ) && act === "states"
  )
  add("compared", / (?:like an? |as if |as though |like (?:some|my|the) |feels? like |looks? like )/u.test(line))
  add("exclaimed", /!/u.test(piece.text))
  add("trouble", !isSomebody && frames.trouble.test(line))
  const isClause = isSomebody && tense !== "none"
  add("short", !isClause && words.length < 4)
  add("very short", words.length < 3 && (!isClause || /^\p{L}+$/u.test(text)))
  add("continues", piece.continues)
  return signs
}

/** Words before a verb of speech: "my old boss says". */
const maxSpeakerWords = 5

/** Whether a noun names something that has one value at a time: a port, a theme, a budget. */
const isAttribute = (noun: string | undefined): boolean =>
  noun !== undefined && lexicon.entries.get(stemOf(noun))?.singular === true

const number = "\\d\\d?|\\w+ty(?:-\\w+)?|\\w+teen|ten|eleven|twelve|two|three|four|five|six|seven|eight|nine"
const adverb = "(?:(?:\\w+ly|also|still|just|now|so|very|a bit|pretty|kinda|not|quite|both) )*"
const relatives = [kin.she, kin.he, kin.either, kin.they, kin.pets].join(" ").trim().split(/\s+/u).join("|")
const relativeFrame = new RegExp(
  ` (?:my|our|his|her|their|[a-z]+'s|\\w+ has|have|got) (?:an? |two |three |four |\\d )?(?:\\w+ ){0,2}?(?:${relatives})(?:'s)? | the (?:kids|twins|children|baby|boys|girls|dog|cat|in-laws) `,
  "u"
)
const frames = {
  isA: new RegExp(
    ` (?:i'm|im|i am|we're|we are|he's|she's|they're|is|are|works as|work as|name's|called) ${adverb}(?:an?|the|called) (?!bit |little|lot|mess|bad|good|great|nice|pain|joke|shame|problem|pity|start|question|\\w+ idea|one |best|worst|thing|point|same)`,
    "u"
  ),
  hasA: / (?:i|we|he|she|they|they've|i've|we've|he's|she's)(?: also| still| only| now)? (?:have|has|had|got|own|owns|have got|has got|got) (?:an?|the|two|three|four|five|my|our|no|one|\d+) (?!question|meeting|look|idea|feeling|minute|moment|problem|headache|bit |lot |clue|think|thought|go |favour|chance|word)/u,
  aged: new RegExp(
    ` (?:am|i'm|im|is|turned|turns|turning|he's|she's|are|they're) (?:now |only |just |nearly |almost )?(?:${number})(?: years| months| weeks| and| now| in | on | $)`,
    "u"
  ),
  namedSo:
    / (?:(?:my|his|her|its|the|our|their) (?:\w+ )?(?:name|email|address|birthday|number|job|title|company|team|firm|editor|laptop|car|doctor|favou?rite|goal|budget|rent|salary|landlord|school|printer|dosage|size|blood type)(?:'s| is| are)|name's|called) /u,
  lasts: new RegExp(
    ` (?:(?:for|since|over|last|been|every|each) .*?(?:${number}|a couple of|several|many|few) (?:years?|months?|decades?)|since (?:\\d{4}|i |january|february|march|april|may|june|july|august|september|october|november|december|last|the )|(?:${number}) years (?:now|ago)|\\w+ (?:${number}) years )`,
    "u"
  ),
  attribute: / (?:(?:my|our|the|its|his|her|their) )?(?:[a-z-]+ ){0,2}?([a-z-]+)(?:'s| is| are|'s called) /u,
  frequency:
    / (?:every|each) (?:other )?(?:day|morning|evening|night|week|weekend|month|year|second|two|three|summer|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday)| (?:once|twice|times) (?:a|per) (?:day|week|month|year)|on (?:mon|tues|wednes|thurs|fri|satur|sun)days /u,
  pleased: / (?:love|like|hate|enjoy|liked|loved) (?:it|that|this|how|when|you|your|these|those|the way|the idea) /u,
  copula: / (?:is|are|was|were|called|named|runs on|run on) /u,
  preferring: / (?:i'd|i would|would) (?:much |really )?(?:rather|prefer) /u,
  due: / (?:i|we) (?:really |also |still )?should (?!have |be able|know|say|probably)/u,
  soon: / (?:in|for|after) (?:a|an|half an|\d+|two|three|four|five|ten|twenty|thirty|a few|few) (?:min|mins|minutes?|seconds?|secs?|hours?|moments?)(?: now)? /u,
  passing: new RegExp(
    ` (?:i'm|im|i am|we're|feeling|feel|i've been) ${adverb}(?:tired|exhausted|hungry|thirsty|bored|annoyed|sad|happy|glad|excited|nervous|stressed|sleepy|knackered|busy|ok|okay|fine|sure|ready|done|late|stuck|lost|confused|curious|back|home|here|awake|worried|relieved|impressed|grateful|lazy|cold|hot|drunk|proud|sorry|thinking|wondering|looking|trying|guessing|asking|listening|sitting|staring|walking|crying|laughing|kidding|off|making|telling|saying|living on) `,
    "u"
  ),
  minding:
    / (?:i|we) (?:\w+ly |do |don't |can't |just |also )*(?:know|see|mean|understand|get|wonder|remember|forget|hear|agree|trust|thank|promise|swear|appreciate|doubt|confess|admit|say|tell|ask|misread|mis\w+|look|hope|wish|suppose|imagine) /u,
  trouble:
    / (?:doesn't|don't|won't|isn't|no error|fails?|failing|error|errors|hangs?|broken|crash\w*|stuck|throws?|dies) /u
}
