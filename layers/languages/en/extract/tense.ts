import { setOf } from "../../../../text/normalise/functionWords.js"
import { stemOf } from "../../../../text/normalise/stem.js"
import { lexicon } from "../rules/lexicon.js"
import { pastForms } from "../rules/pivot.js"

/** The tense and mood of a piece's first finite verb; "none" without a verb. */
export type Tense = "present" | "perfect" | "past" | "future" | "modal" | "none"

const present = setOf(
  "am is are i'm im he's she's it's its that's there's we're you're they're hes shes thats theyre im its do does don't doesn't isn't aren't ain't name's can can't cannot who's"
)
const perfect = setOf("have has i've we've they've you've ive haven't hasn't")
const past = setOf(
  `was were had did wasn't weren't didn't hadn't used thought knew heard felt stood sat kept came meant told said saw ate drank slept woke drove rang wore bit hit tried cried
  forgot taught caught fought shook stole sang swung threw blew hung spent lent sent bent dealt fed led read shot slid stuck swept tore understood withdrew wept`
)
const future = setOf("will i'll we'll he'll she'll they'll it'll won't gonna shall")
const modal = setOf(
  "would could might may should wouldn't couldn't shouldn't mightn't i'd he'd she'd they'd we'd ought"
)
const participle = /(?:ed|en|wn|ught|one|ung|ept|ost|old|ade|een|ome|ead|ut|et|ot|ft|nt|it|un)$/u

/** Verbs of place, which are also plurals of nouns: "the broker sits on mq-2". */
const placed =
  /^(?:sits|lives|runs|stands|stays|resides|belongs|goes|comes|listens|points|hangs|lies|works|ships|moves|talks|connects|deploys)$/u

/** Adverbs between a subject and its verb. */
const adverbs = /^(?:just|also|already|still|finally|both|never|always|once|even|only|\w{2,}ly)$/u

/** Maximum words of a piece that are searched for its verb. */
const maxWords = 16

export const tenseOf = (words: ReadonlyArray<string>): Tense => {
  for (const [index, word] of words.slice(0, maxWords).entries()) {
    const next = words[index + 1] ?? ""
    const after = words[index + 2] ?? ""
    if (future.has(word)) return "future"
    if ((word === "going" && next === "to") || (present.has(word) && next === "going" && after === "to"))
      return "future"
    if (modal.has(word) && !(word === "may" && isMonth(words[index - 1], next))) return "modal"
    if (perfect.has(word)) {
      const verb = /^(?:just|also|already|still|always|never|only|now|not|since|finally|even)$/u.test(next)
        ? after
        : next
      return verb !== "to" &&
        verb !== "had" &&
        participle.test(verb) &&
        verb !== "got" &&
        !/^(?:it|that|not|lot|a)$/u.test(verb)
        ? "perfect"
        : verb === "had"
          ? "perfect"
          : "present"
    }
    if (index > 0 && placed.test(word) && /^(?:in|on|at|to|from|with|under|behind|near|by|inside)$/u.test(next))
      return "present"
    if (past.has(word)) return "past"
    if (present.has(word)) return "present"
    if (
      word !== "need" &&
      index > 0 &&
      pastForms.test(word) &&
      !/^(?:need|speed|feed|seed|bed|red|hundred|hatred|sacred|kid|shed|sled|bleed|breed|indeed|infrared)$/u.test(
        word
      ) &&
      !isAttribute(words, index)
    )
      return "past"
    if (index === 0 && pastForms.test(word) && !/^(?:need|feed|speed|red|bed|led|shed)$/u.test(word)) return "past"
    if (index === 0 && /^(?:need|want|have|hate|love)$/u.test(word)) return "present"
    const entry = lexicon.entries.get(stemOf(word))
    if (
      index > 0 &&
      entry?.verb === true &&
      /[^su]s$/u.test(words[index - 1]!) &&
      !/^(?:is|was|has|this|its|his)$/u.test(words[index - 1]!) &&
      /^(?:in|on|at|to|from|with|the|a|an|for)$/u.test(next)
    )
      return "present"
    if (
      index > 0 &&
      /[^s]s$/u.test(word) &&
      entry?.verb === true &&
      !/^(?:my|our|his|her|their|the|a|an|two|three|some|\d+)$/u.test(words[index - 1]!)
    )
      return "present"
    const isAdverb = adverbs.test(word) && next !== ""
    const subject = adverbs.test(words[index - 1] ?? "") ? words[index - 2] : words[index - 1]
    if (!isAdverb && /^(?:i|we|they|you)$/u.test(subject ?? "") && /^\p{L}+$/u.test(word)) return "present"
    if (
      index > 0 &&
      entry?.verb === true &&
      /^(?:always|never|usually|often|mostly|also|still)$/u.test(words[index - 1]!)
    )
      return "present"
  }
  return "none"
}

/** True if "may" between two words is the month: "8 May", "in May", "May 2026". */
const isMonth = (before = "", after: string): boolean =>
  /^(?:\d+(?:st|nd|rd|th)?|in|of|until|till|by|since|early|late|mid|this|next|last|from|to|and)$/u.test(before) ||
  /^\d/u.test(after)

/** True if a participle stands before its noun: "a used car", "the archived ones". */
const isAttribute = (words: ReadonlyArray<string>, index: number): boolean =>
  /^(?:the|a|an|my|our|his|her|their|this|that|of|with|no|some|to|is|are|be|been|get|got|partially|fully)$/u.test(
    words[index - 1]!
  )
