import { kinWords, relativesByPronoun } from "./words.js"

// Patterns for the words of a piece: in lower case, separated by spaces, with a space at both ends.

const number = "\\d\\d?|\\w+ty(?:-\\w+)?|\\w+teen|ten|eleven|twelve|two|three|four|five|six|seven|eight|nine"
const adverb = "(?:(?:\\w+ly|also|still|just|now|so|very|a bit|pretty|kinda|not|quite|both) )*"
const relatives = kinWords.join("|")
const relativeFrame = new RegExp(
  ` (?:my|our|his|her|their|[a-z]+'s|\\w+ has|have|got) (?:an? |two |three |four |\\d )?(?:\\w+ ){0,2}?(?:${relatives})(?:'s)? | (?:mum|mom|dad|grandma|grandpa|granny|granddad)(?:'s)? | the (?:kids|twins|children|baby|boys|girls|dog|cat|in-laws) `,
  "u"
)
/**
 * The closest relatives. "partner" must directly follow "my": another word before it may make it a business partner.
 */
const closest =
  "(?:partner|(?:(?:elder|older|big|little|younger|late|twin) )?(?:wife|husband|spouse|girlfriend|boyfriend|fiancée?|fiancee?|mother|father|mum|mom|dad|parents|sisters?|brothers?|sons?|daughters?|kids|children|twins))"
const familyFrame = new RegExp(
  ` my ${closest}(?:'s| is| are) (?:called|named) |(?:'s| is| are) my ${closest} $| (?:i|we) live (?:together )?with my ${closest} `,
  "u"
)
/** Phrases that show what a piece states, and how it is meant. */
export const phrasePatterns = {
  relative: relativeFrame,
  /** Relatives and pets that the speaker has: "I have three cats". */
  household: new RegExp(
    ` (?:i|we|i've|we've) (?:have|got|have got|keep|own|raise) (?:an?|no|one|my|our|${number}) (?:(?!friend|question)\\w+ ){0,2}?(?:${[relativesByPronoun.she, relativesByPronoun.he, "kids kid children child twins twin siblings sibling grandchildren sisters brothers daughters sons", relativesByPronoun.pets].join(" ").trim().split(/\s+/u).join("|")}) `,
    "u"
  ),
  /**
   * Statements about the speaker's closest relatives: "my wife is called Ines", "Tomas is my partner", "I live with my
   * son".
   */
  family: familyFrame,
  just: / (?:has|have|\w+'ve|i|he|she|they|we) just /u,
  generic: / (?:you|your|one (?:is|was|does|did|gave|has|had|knew)|everyone|everybody|someone|somebody) /u,
  compared: / (?:like an? |as if |as though |like (?:some|my|the) |feels? like |looks? like )/u,
  /** The object is only named in another piece: "Otto loves that one". */
  dangling:
    / (?:that|this|the other|the same) (?:one|ones|thing) | (?:transfer|do|does|did|handle|handles|buy|love|loves|like|likes|want|wants|hate|hates|need|needs|take|takes|try|use) (?:it|them|some|that|those|these) (?:too |now |yet |again |today |tomorrow |tonight |before .*|on .*|by .*)?$| (?:be|get|go) there (?:by|at|before|around|in time|soon)(?: .*)? $/u,
  /** The speaker's relative with a name: "my wife Solveig". */
  introduces: new RegExp(` (?:my|our) (?:[a-z]+ )?(?:${relatives}) `, "u"),
  /** Something is said about a part of somebody's body. */
  body: / (?:my|his|her|your|\w+'s) (?:left |right |bad |lower |upper |own )?(?:knees?|hips?|back|shoulders?|ankles?|wrists?|elbows?|eyesight|eyes|hearing|heart|lungs?|kidneys?|liver|thyroid|blood (?:pressure|sugar|type)|memory|balance|spine|neck|stomach|gut|skin|teeth|tooth) (?:is|are|isn't|has|hasn't|was|gave|keeps|doesn't|can't|won't|needs?) /u,
  /** A remedy that helped: "rice flour worked". */
  helped:
    /^ (?!that |it |this |which |nothing |what |who |i |we |he |she |they )(?:[\w'-]+ ){1,6}?(?:worked(?: (?:a treat|fine|perfectly|well|wonders|like a charm|for (?:me|us)))?|helped(?: (?:a lot|me|us))?|did (?:it|the trick)|fixed (?:it|that|this)|solved (?:it|that|the \w+)|cured (?:it|that|the \w+)|got rid of (?:it|them|the \w+)|sorted (?:it|that)(?: out)?|made it go away) $/u,
  /** The cause of a failure or a cure: "it hung because the worker cached a page". */
  caused:
    / (?:caused|was causing|is causing|was behind|came from|comes from|blew|tripped|broke) (?:the|my|our|all|those|these|it|a|an) | (?:hung|crash\w*|fail\w*|broke|stopped|stuck|leak\w*|froze|slow\w*|flak\w*|timed out|exploded|dropped|restart\w*|flicker\w*|missing|rejected|refused|spik\w*|jam\w*|corrupt\w*|disconnect\w*|connection) (?:.* )?(?:because|whenever) (?:the|our|my|its|a|an|we|they|it|of) | (?:working|running|going|green|stable) again $| (?:went|goes|gone) away (?:after|once|when|with) /u,
  /** The cause of a fault: "it was the proxy". Counts only in a piece that also has words for a solution. */
  culprit: /^ (?:so |and |then )?it (?:\w+ )?was (?:just |only |simply )?(?:the|our|my) | culprit /u,
  /** Somebody or something is away, back, closed or the like on certain days: "she's out on Monday". */
  away: / (?:out|off|away|back|in|home|over|gone|free|around|closed|open|shut) (?:on|until|till|from|by|in|the|all|next|this|every) /u,
  /** A wish for the form of answers: "skip the explanations". */
  form: /^ (?:(?:please|and|just|also|you can) )*(?:skip|leave out|drop|spare me|cut|omit|no need for|lose|avoid|keep) (?:(?:the|your|all|any|those|these|my) )?(?:\w+ )?(?:explanations?|comments?|intro\w*|summar(?:y|ies)|apolog\w+|disclaimers?|small talk|preambles?|pleasantries|emojis?|filler|flattery|compliments|bullet points?|headings?|answers?|repl(?:y|ies)|responses?|jargon|exclamation marks?)(?: (?:short|brief|simple|plain|formal|informal|out|too|from now on|in future|please|at all))* $/u,
  /** A question inside a statement: "I know what they changed". */
  indirect:
    / (?:know|knows|knew|see|saw|wonder|understand|remember|forgot|ask|asked|heard|explain|check|guess) (?:what|how|why|who|where|whether|if|when) /u,
  /** A wish for the next step: "I'd rather find out". */
  inquiring:
    / (?:rather|prefer to|want to|like to) (?:not )?(?:find|know|see|wait|try|check|look|start|do|go|say|think|keep looking|understand|leave) /u,
  /** Something ended for good: "never … again". */
  neverAgain: / never (?:\w+ ){1,5}?again $/u,
  /** An amount that somebody has set or pays. */
  amount:
    /^ (?:budget|rent|deposit|salary|fee|price)(?: is| of)? \d|(?:my|our|the|his|her|their) (?:\w+ ){0,2}?(?:budget|rent|deposit|fee|fees|price|cost|costs|quota|limit|allowance|mortgage|loan|target|salary|spending limit)(?: (?:for|of|on|per) [\w' ]+?)?(?:'s| is| are| was| stays| went| comes)(?: \w+){0,3} [\d€£$]/u,
  /** Somebody else changed something for the speaker: "they moved me to Sundays". */
  affected:
    / (?:they|he|she|\w+) (?:have |has |'ve |just )?(?:moved|promoted|offered|gave|given|hired|fired|switched|transferred|accepted|rejected|invited|diagnosed|prescribed|put|made|elected|assigned|evicted) (?:me|us) (?!laugh|cry|smile|off|think|feel|mad|sad|happy|angry|nervous)/u,
  /** Statements of a habit: "I can only write in the mornings". */
  keeping: / i (?:can|do|may) only | i only (?!want|need|wanted|have to|meant|know|just|got)/u,
  /** An appointment was moved to another day: "the demo got pushed to Thursday". */
  shifted:
    / (?:pushed|moved|postponed|rescheduled|brought forward|extended|delayed|shifted|put off) (?:back |forward |on )?(?:to|until|till) /u,
  /** Somebody got in touch, but the piece does not say why. */
  messaged: / (?:called|texted|rang|phoned|mailed|emailed|wrote|replied) $/u,
  setting: /^ (?!if |what ).*(?:should|must) be (?:\w+ ){0,2}?\d/u,
  /** A lasting physical condition, or a diet. */
  condition:
    / (?:allergic|allergy|allergies|asthma|asthmatic|diabetes|diabetic|coeliac|celiac|vegan|vegetarian|pescatarian|intolerant|intolerance|epilepsy|epileptic|deaf|blind|hard of hearing|colou?r-?blind|wheelchair|kosher|halal|teetotal|adhd|autistic|dyslexic|haemophilia|haemophiliac|pacemaker) /u,
  being: /^ we(?:'re| are) /u,
  insteadOf: / (?:instead|rather than) /u,
  isA: new RegExp(
    ` (?:i'm|im|i am|we're|we are|he's|she's|they're|is|are|works as|work as|name's|called) ${adverb}(?:an?|the|called) (?!bit |little|lot|mess|bad|good|great|nice|pain|joke|shame|problem|pity|start|question|\\w+ idea|one |best|worst|thing|point|same)| [a-z]+'s (?:our|my) [a-z]+ | (?:he|she|they) (?:is|are) (?:our|my) `,
    "u"
  ),
  hasA: / (?:i|we|he|she|they|they've|i've|we've|he's|she's)(?: also| still| only| now)? (?:have|has|had|got|own|owns|have got|has got|got) (?:an?|the|two|three|four|five|my|our|no|one|\d+) (?!question|meeting|look|idea|feeling|minute|moment|problem|headache|bit |lot |clue|think|thought|go |favour|chance|word)/u,
  aged: new RegExp(
    ` (?:am|i'm|im|is|turned|turns|turning|he's|she's|are|they're) (?:now |only |just |nearly |almost )?(?:${number})(?: years| months| weeks| and| now| in | on | $)`,
    "u"
  ),
  namedSo:
    / (?:(?:my|his|her|its|the|our|their) (?:\w+ )?(?:name|email|address|birthday|number|job|title|company|team|firm|editor|laptop|car|doctor|favou?rite|goal|budget|rent|salary|landlord|school|printer|dosage|size|blood type)(?:'s| is| are| was)|name's|called(?= \w)) /u,
  /** A profession: "I'm a staff engineer". */
  calling:
    / (?:i'm|i am|we're|we are|he's|he is|she's|she is|is|works as|work as) (?:an? |the )?(?:(?!bit|lot|little|in|at|on|under|with|by|for|to|from|of|my|your)\w+ ){0,2}?(?!number |matter |order |other |never |over |under |winner |loser |sucker |monster |disaster |better |later |after |corner |paper )(?:\w{3,}(?:er|or|ist|ian|eer|man|woman|smith|wright)|nurse|cook|clerk|vet|pilot|priest|judge|chef|mate|student|apprentice|intern|trainee|dentist|architect|au pair|widow|widower|twin|mother|father|mum|dad|grandmother|grandfather|aunt|uncle) (?:at |in |for |with |by |from |of |and |since |on |who |now |$)/u,
  /** A former profession: "I was a surveyor". */
  wasA: / (?:i|he|she) (?:was|used to be|trained as|worked as) an? (?:\w+ ){0,2}?\w*(?:er|or|ist|ian|eer|man|woman|nurse|cook|clerk|smith|ant|guide|pilot|vet|priest|monk|nun|judge|chef|mate|wright) (?!of )/u,
  lasts: new RegExp(
    ` (?:(?:${number}) (?:years|months|decades) (?:at|in|with|as|of|together|on) |(?:for|since|over|last|been|every|each) .*?(?:${number}|a couple of|several|many|few) (?:years?|months?|decades?)|since (?:\\d{4}|i |january|february|march|april|may|june|july|august|september|october|november|december|last|the )|(?:${number}) years (?:now|ago)|(?!by |in |at |of |the |than |last |next )\\w+ (?:${number}) years )`,
    "u"
  ),
  attribute: / (?:(?:my|our|the|its|his|her|their) )?(?:[a-z-]+ ){0,2}?([a-z-]+)(?:'s| is| are|'s called) /u,
  frequency:
    / (?:every|each) (?:other |second |third |fourth |few )?(?:day|morning|evening|night|week|weekend|month|year|second|two|three|summer|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday)| (?:once|twice|times) (?:a|per) (?:day|week|month|year)|on (?:mon|tues|wednes|thurs|fri|satur|sun)days /u,
  pleased: / (?:love|like|hate|enjoy|liked|loved) (?:it|that|this|how|when|you|your|these|those|the way|the idea) /u,
  /** Somebody likes or dislikes something that the piece names, not something that was just said: "I love hiking". */
  taste:
    / (?:i|we|they|(?!is |was |this |its |looks |feels |sounds |seems |tastes |smells |acts |likes )\w{3,}s) (?:(?:really|also|still|just|absolutely|do|don't|never|always|much|rather|quite|both) )*(?:like|love|hate|prefer|enjoy|adore|loathe|detest|dislike|can't (?:stand|bear)|cannot (?:stand|bear)) (?!it |that |this |how |when |what |you |your |these |those |them |the way |the idea |to |him |her |being |me |a good |for )(?:an? |the |my |our |some )?\p{L}{3,}/u,
  copula: / (?:is|are|was|were|called|named|runs on|run on) /u,
  preferring: / (?:i'd|i would|would) (?:much |really )?(?:rather|prefer) /u,
  constraint:
    / (?:no|never|only|without) (?:\w+ )?(?:\w{3,}s|more \w+) |^ (?:\w+ ){1,4}only $|^ no \w{3,} (?:\w+ )?(?:then|at all|please|anywhere|ever|for me|this (?:year|time|month)) /u,
  unconstrained:
    / (?:no|never) (?:\w+ )?(?:worries|thanks|problems|errors|ideas|matters|words|jokes|always|was|is|has|does|this|its|news|less|chances|signs|results|changes) /u,
  /** Somebody does something regularly: "Nadja reviews everything". */
  habit:
    /^ (?:[\p{L}'-]+ ){1,4}?(?!is |was |has |says |thinks |asks |wants |seems |looks |sounds |feels |keeps |knows |means |needs |gets |goes |does |makes |takes |lets |tells |hopes |wonders |this |its |his |yes |us |as )[a-z]{2,}[^s\W]s (?:the|all|every\w*|my|our|his|her|their|on|in|at|to|with|from|for|after|about|half|most|a|an|\w+s|\w+ing) /u,
  limit:
    / (?:under|below|at least|at most|max|maximum|min|minimum|up to|no more than|over|above|within|stay under|cap(?:ped)? at) (?:[a-z]+ )?\d/u,
  deadline:
    / (?:by|before|due) (?:the )?(?:end|beginning|middle|next|tomorrow|noon|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|\d)/u,
  due: / (?:i|we) (?:really |also |still )?should (?!have |be able|know|say|probably)/u,
  soon: / (?:will|i'll|we'll|going to|gonna) .*now | (?:in|for|after) (?:a|an|half an|\d+|two|three|four|five|ten|twenty|thirty|a few|few) (?:min|mins|minutes?|seconds?|secs?|hours?|moments?)(?: now)? /u,
  passing: new RegExp(
    ` (?:i'm|im|i am|we're|feeling|feel|i've been) ${adverb}(?:tired|exhausted|hungry|thirsty|bored|annoyed|sad|happy|glad|excited|nervous|stressed|sleepy|knackered|busy|ok|okay|fine|sure|ready|done|late|stuck|lost|confused|curious|back|home|here|awake|worried|relieved|impressed|grateful|lazy|cold|hot|drunk|proud|sorry|thinking|wondering|looking|trying|guessing|asking|listening|sitting|staring|walking|crying|laughing|kidding|off|making|telling|saying|living on) `,
    "u"
  ),
  /** A temporary state of somebody: "Hanne is ill", "she's late". */
  indisposed:
    / (?:is|he's|she's|they're) (?:ill|sick|late|asleep|awake|busy|tired|hungry|away|in bed|on (?:his|her|the) way)(?: today| again| now)? $/u,
  /** Somebody is about to leave, or leaves the conversation: "I must go and feed the cat", "home time". */
  leaving:
    /^ (?:ok |so |and |now |well |right )*(?:(?:i've |i |we )(?:really )?(?:must|need to|have to|should|got to|'d better|better) (?:go|run|dash|be off|get going|head off|hop)(?: now| then| and| off| $)| ?(?:off|back) to (?:bed|work|the|my)|(?:i'm |i am |we're )?(?:heading|headed|popping) (?:out|off|home|back)|home time|bed time|bedtime|(?:now|and now) to the|now i (?:go|must go)) /u,
  minding:
    / (?:i|we) (?:\w+ly |do |don't |can't |just |also |always |never )*(?:get (?:it|that|them|this) wrong|mix (?:it|that|them|this) up|know|see|mean|understand|get (?:it|that|why|how|the point)|wonder|remember|forget|hear|agree|trust|thank|promise|swear|appreciate|doubt|confess|admit|say|tell|ask|misread|mis\w+|look|hope|wish|suppose|imagine) /u,
  trouble:
    / (?:doesn't|won't|isn't|no error|fails?|failing|error|errors|hangs?|times out|timed out|broken|crash\w*|stuck|throws?|dies|dying|down again|acting up|red again) /u
}
