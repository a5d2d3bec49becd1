import { sentencesOf } from "../../../../text/normalise/sentences.js"

/** Proposals of the assistant, and how a user accepts them. */

const acceptance =
  /^(?:(?:(?:let's )?go (?:right |straight )?ahead|let's go(?=[\s.!]*$)|(?:let's )?proceed(?! with (?!it|that|this|them))|by all means|be my guest|oh|ah|ooh|hm+|ok|okay|yeah|yes|yep|yup|sure|right|great|good|nice|perfect|lovely|cool|fine|exactly|definitely|absolutely|indeed|agreed|deal|done|alright|excellent|brilliant|super|correct|confirmed|makes sense|sounds (?:good|great|right|perfect|fine|like a plan)|good (?:idea|one|plan|call|point)|love it|works(?: for me| for us)?|please(?: do)?|do (?:that|it|so|this)|go (?:for|with|ahead)(?: with)?(?: (?:it|that|that one|this))?|let's (?:do|go with|use|take|keep|say|make it|stick with)(?: (?:it|that|this|that one|this one|so|exactly))*|that(?:'s| is)(?: exactly)? (?:it|the one|right|the plan|perfect|good|fine|exactly it|the main one)|that one|exactly (?:that|like that|so)|(?:i'll|we'll) (?:do|take|go with) (?:that|it|this)(?: one)?|i(?:'ll| will)? (?:do|take|agree)(?: (?:that|it|with that))?|as you say|pls|thanks|thank you|sensible|yes exactly(?: that)?|then|so be it|why not|that works)(?:[\s,.!–—-]+|$))+/iu
const certainAcceptance =
  /\b(?:go (?:right |straight )?ahead|proceed(?! with (?!it|that|this|them))|by all means|be my guest|yes|yep|yeah|yup|exactly|agreed|deal|perfect|do (?:that|it|so)|go (?:for|with|ahead)|let's|that(?:'s| is)(?: exactly)? (?:it|the one|right|the plan|perfect)|that one|sounds (?:good|great|right|perfect|fine)|good (?:idea|one|plan|call)|correct|confirmed|works|sensible|i'll (?:do|take)|makes sense|sure|please do|definitely|absolutely|why not)\b/iu
const refusal = /\b(?:no|not|nah|don't|rather not|instead|except|but i|later|maybe|perhaps|never|won't|wouldn't)\b/iu

/** True if a sentence of the user only accepts a proposal, and the following words do not refuse it. */
export const acceptsProposal = (text: string): boolean => {
  const sentences = sentencesOf(text)
  return sentences.some((sentence, index) => {
    const match = acceptance.exec(sentence)
    if (match === null || !certainAcceptance.test(match[0])) return false
    const rest = sentence.slice(match[0].length)
    return (index === 0 || rest === "") && !refusal.test(`${rest} ${sentences[index + 1] ?? ""}`.slice(0, restLength))
  })
}
/** "Go ahead" and the like, which name nothing: "yes please go ahead with that", "go for it", "go ahead and do it". */
const consent =
  /^(?:(?:yes|yep|yeah|ok(?:ay)?|sure|please|just|then|well|so|right|great|perfect|fine|cool|alright|good idea|(?:that |it )?(?:sounds|looks) (?:good|great|perfect|fine))[,\s]+)*(?:let's )?(?:go (?:(?:right |straight )?ahead|for it|on)|(?<=let's )go|proceed)(?!\p{L})[\s,]*(?:(?:then|now|please|thanks|with (?:it|that|this|them)|and \p{L}+ (?:it|that|this|so|them)(?: (?:up|in|out|down))?)(?:[\s,.!]+|$))*[.!]*$/iu

/** True if a piece only tells the assistant to do what it proposed. */
export const isConsent = (text: string): boolean => consent.test(text)

/** Characters after an acceptance that are searched for a refusal. */
const restLength = 40

/** True if a piece chooses something: "X it is", "X yes", "go with X". */
export const expressesChoice = (text: string): boolean =>
  /\b(?:it is|that one|that's the one|sounds (?:good|great|perfect)|(?:is|'s) (?:good|great|perfect|fine)|go with|let's (?:do|go|take|use|keep|say)|i'll take|we'll take|good idea|good one)\b|\byes\b[\s.!,]*(?:$|and|that)/iu.test(
    text
  )

/**
 * Verbs of work with a lasting result. Other offers of the assistant ("shall I draft it?") are over with its answer.
 */
const lastingWork =
  "set(?: up)?|move|add|use|switch|change|replace|rename|delete|remove|enable|disable|pin|split|merge|raise|lower|put|convert|limit|cap|schedule|book|keep|drop|store|save as|call|name|migrate|upgrade|downgrade|deploy|turn|make it|go with|take|reserve|order|cancel|postpone|invite|stick|skip|start|stop|bump|cache|index|host|plan"
const proposing = [
  /^(?:then |so |in that case |perhaps |maybe |ok,? )?(?:i'd|i would|i|we'd|my suggestion is to|my advice:?|my vote:?)\s+(?:rather )?(?:suggest|recommend|propose|go with|go for|pick|choose|use|say|advise|keep|start with|take|do|put|make|leave)(?:\s+to|\s+that)?[:,]?\s+(.+)$/iu,
  /^(?:and )?(?:how|what) about\s+(.+)$/iu,
  /^(?:then |so |well, |ok, )?let's\s+(?:say |go with |use |make it |call it )?(.+)$/iu,
  /^(?:then |so |or |alternatively,? |otherwise,? )?(?:you|we) (?:could|can|should|might|may want to|may also want to)(?: also| just| simply)?(?: use| take| try| do| go with)?[:,]?\s+(.+)$/iu,
  /^(?:so )?(?:do you want|would you like|shall we|should we|want|could we|can we)\s+(?:me to |to )?(.+)$/iu,
  new RegExp(`^(?:so )?(?:shall|should|can) i\\s+((?:${lastingWork})\\b.+)$`, "iu"),
  /^(?:could|can) you (?:just |maybe |also |perhaps )?(?!share|send|paste|post|provide|confirm|tell|show|give|describe|explain|check|clarify|elaborate|upload|attach|say|be more)(.+)$/iu,
  /^why (?:not|don't (?:you|we))\s+(.+)$/iu,
  /^(?:suggestion|proposal|plan|option|draft|recommendation|so|then):\s*(.+)$/iu,
  /^(.+?) (?:would be|is probably|is|seems|might be) (?:the )?(?:simplest|best|safer|safest|easier|easiest|better|cleaner|cleanest|simpler|simple|enough|sensible)\b.*$/iu,
  /^(?:then|so|better)\s+(.+)$/iu
]
const questionWord =
  /^(?:(?:and|so|then|but|or|ok)[,\s]+)*(?:what|which|who|whose|where|when|why|how|is|are|was|were|do|does|did|can|could|should|shall|would|will|have|has|any|want|anything|need)\b/iu
const passingWork =
  /^(?:me|it|that|this|them|i|so|you|draft|write|list|show|explain|check|look|search|summari[sz]e|suggest|remind|translate|help|go through|print|give|tell|see|try again|compare|sketch|(?:an?|some|the) (?:[\w-]+ ){0,2}?(?:draft|list|summary|template|recipe|table|sketch|wording|hint|script|snippet|questions?|examples?|outline|overview|quiz|exercises?|explanation|suggestions?|ideas?|tips?|walkthrough)(?=[\s?.!]*$|\s+(?:of|for|with|about|to|so)\b))(?![\p{L}-])/iu
/**
 * A proposal that names its object only by a pronoun, or names only a place for it: "add these to the plan", "about the
 * budget".
 */
const nameless =
  /^(?:\p{L}+ (?:(?:up|out|down|off) )?(?:it|them|these|this|that|those)(?: (?:all|too|up|out|in|down|now|for you|to (?:the|your) \p{L}+|in (?:the|your) \p{L}+))*|(?:about|like|as in|regarding) .*)[?.!]*$/iu
const confirming =
  /^(?:so|then|just to confirm|to confirm|you mean|meaning)[,:]?\s+(.+?)(?:,?\s+(?:right|correct|then|yes))?\?$/iu

/** The proposal in a sentence of the assistant; undefined if the sentence proposes nothing with a lasting result. */
export const proposalOf = (sentence: string): string | undefined => {
  const text = sentence.trim()
  const proposal = proposedIn(text)
  return proposal === undefined || nameless.test(proposal) ? undefined : proposal
}

const proposedIn = (text: string): string | undefined => {
  const confirmed = confirming.exec(text)?.[1]
  if (confirmed !== undefined) return confirmed
  // "Dates with Intl only?": a statement that is put as a question.
  if (text.endsWith("?") && !questionWord.test(text))
    return passingWork.test(text) ? undefined : text.replace(/[?\s]+$/u, "")
  for (const pattern of proposing) {
    const proposal = pattern.exec(text)?.[1]
    if (proposal !== undefined) return passingWork.test(proposal) ? undefined : proposal.replace(/[?.!]+$/u, "")
  }
  return undefined
}

/** True if a sentence is an alternative to the one before it. */
export const isAlternative = (sentence: string): boolean => /^(?:or|alternatively|otherwise)\b/iu.test(sentence)

/** True if a proposal leaves a choice open, so that "yes" does not say which option is meant. */
export const leavesChoiceOpen = (proposal: string): boolean => /\b(?:or|either|whichever)\b/iu.test(proposal)

const choosing =
  /^(?:please |just |then |ok |yes |no |nah )*(?:keep|use|go|leave|drop|make|put|take|skip|let's|set|stick|call|name|do|delete|remove|add|start|stay|book|order|cancel|move|rename|kill|pick|choose|send|schedule)\b/iu

/** True if a request can be the answer to a question that the assistant asked: "keep them in". Then it is a decision. */
export const isDecidingRequest = (text: string): boolean => choosing.test(text)
