import { functionWords as words } from "../../../../text/normalise/functionWords.js"
import { exclusiveWords, opposites, synonyms } from "./englishWords.js"
import type { Cue, PhraseKind } from "./Language.js"

/**
 * The tables of the rules. Words are in lower case and separated by spaces, phrases by commas. In a list of words, "_"
 * joins the words of a phrase. The lexicon stems them.
 */
export const english = {
  contractions: [
    [/\bcan['’]t\b|\bcannot\b/gi, "can not"],
    [/\bwon['’]t\b/gi, "will not"],
    [/n['’]t\b/gi, " not"],
    [/\b(i)['’]m\b/gi, "$1 am"],
    [/['’]re\b/gi, " are"],
    [/['’]ve\b/gi, " have"],
    [/['’]ll\b/gi, " will"],
    [/\b(i|you|he|she|we|they)['’]d\b/gi, "$1 would"],
    [/\b(it|he|she|that|there|what|who|here)['’]s\b/gi, "$1 is"],
    [/\blet['’]s\b/gi, "let us"]
  ] satisfies ReadonlyArray<readonly [RegExp, string]>,
  /** Words without content. */
  empty: [
    words.articles,
    words.demonstratives,
    words.group,
    words.listener,
    words.things,
    words.presentBe,
    words.have,
    // Words that matter to the rules are not in this list: negations, modals, prepositions, and adverbs of order.
    `itself will shall and or so which who what about of own than all any both each more most some such here there then
    just very everywhere anywhere throughout whole entire last_week last_month last_year this_week this_month this_year
    next_week next_month next_year recently really quite pm o'clock please let however still already always s etc e.g i.e
    eg ie vs quot yes ok well get got lot thing way kind sort want`
  ].join(" "),
  speaker: `${words.speaker} mine user`,
  auxiliaries: `${words.modals} be have do need get become remain stay`,
  past: `${words.pastBe} had`,
  present: words.presentBe,
  abbreviations: "prof dr mr mrs ms st jr sr no approx",
  /** Words that join two clauses with one subject. */
  joins: "and then but so",
  pronouns: `${words.persons} it this that`,
  determiners: `${words.articles} ${words.demonstratives} my our your his her their its every each some any no to of`,
  /** Prepositions and conjunctions, by the kind of phrase that they begin. */
  slots: {
    place: "in at on to into onto inside near around under above below behind toward towards within",
    from: "from",
    by: "by",
    with: "with via through using without",
    as: "as",
    scope: "for of about regarding concerning during when while whenever on_behalf against among between",
    over: "over than",
    reason: `because since due_to so_that in_order_to as_long_as thanks_to after before although though
      unless whose where which who`,
    until: "until till by_the_end_of",
    per: "per every each",
    and: "and or plus"
  } satisfies Record<PhraseKind, string>,
  cues: {
    not: "not the case that, not true that, not the case, not, never, no, none, nobody, nothing, neither, nor, without, cannot, hardly, barely, fail to, refuse to, avoid",
    over: "no longer, not any more, not anymore, anymore, any more",
    ended: `stop, quit, cease, give up, drop, cancel, call off,
      abandon, deprecate, remove, retire, discontinue, get rid of, ditch, scrap, phase out, shut down, decommission,
      sunset, delete, unsubscribe, not happen, not take place, not come, break off, break up with, break up, be over, be gone, be dead, done with, move away from, revoke, withdraw, turn down`,
    changed:
      "now, nowadays, these days, from now on, as of, currently, at the moment, since then, new, henceforth, go forward, up to date, latest",
    former: "instead of, rather than, in place of, in lieu of, and not, as opposed to",
    also: `also, too, another, additional, additionally, as well, as well as, in addition, besides, moreover, furthermore,
      not only, alongside, on top of`,
    maybe: `if, might, could, maybe, perhaps, possibly, probably, consider, think about, think of, wonder, what if, suppose,
      hypothetically, plan to, planning to, want to, hope to, would like to, propose, suggest, proposal, idea, in case, imagine, wish,
      try to decide, discuss, debate, evaluate, look into, explore, be going to, intend to, toy with, should we, whether,
      option, potentially, likely, rumor, rumour, may, tempted to, dream of, aim to, todo, unless, expect to, unsure`,
    said: `say, claim, believe, argue, hear, according to, reportedly, allegedly, joke, guess, assume, pretend, in the book, in the film,
      in the movie, in the novel, lyric, insist, swear, gossip`,
    once: `used to, formerly, previously, in the past, back then, originally, initially, at first, before that,
      as a child, as a kid, when young, historically, in those days, at the time, former, at that time`,
    corrected: `actually, correction, turn out, in fact, in reality, mistaken, mistake, wrong, sorry, to be precise, not true,
      my mistake, contrary to, erratum, incorrect`,
    due: "have to, need to, yet to, still to, remain to, to be done",
    about: "about, around, approximately, roughly, circa, almost, nearly, some, approx, ca, ~, or so"
  } satisfies Record<Cue, string>,
  /** Verbs and verb phrases that express a change. */
  changes: `change to, change, switch, switch to, move to, migrate to, migrate, upgrade to, upgrade, downgrade to,
      downgrade, bump to, bump, slip, slip to, slip by, rename to, rename, replace by, replace with,
      postpone to, postpone until, postpone, reschedule to, reschedule, push back to, push to, push back, push,
      bring forward to, bring forward, become, turn into, increase to, raise to, reduce to, lower to,
      decrease to, update to, set to, shift to, shift, transition to, convert to, delay to, delay until, delay,
      extend to, extend until, hand over to, hand to, hand off to, pass to, take over, relocate to, cut to,
      drop to, rise to, grow to, go up to, go down to, double to, raise, lower, increase, decrease, reduce,
      swap for, swap, trade for, give way to, supersede by, transfer to, reassign to, reassign, promote to,
      switch over to, switch back to, move back to, go back to, revert to`,
  verbs: `accept act add agree allow answer apply approve ask block break bring build cache call carry cause check
    clean clear collect compile complete configure connect contain copy create crash cut deal decide define delete deliver
    depend deploy describe design develop disable display do download drink drive drop eat edit emit enable encrypt end ensure enter
    exist expect export extend fail feel fetch file fill filter fix fly follow force format generate give go grow
    handle happen hate help hide hit hold ignore import improve install invite keep know lack last lead learn
    leave let link list listen load log look lose make mean measure mention merge miss monitor move mount need notify occur
    offer open operate order override own pass pay perform persist pin play point poll prefer prevent print process produce
    promise protect provide publish pull push put reach read receive recommend record redirect refresh refuse reject
    release remember remove render rent reply reproduce request require reset resolve respond restart restore
    retry return review roll run save say scale schedule see seem sell send serve set share ship show sign skip sleep
    solve sort speak spend split stand start stay stop store study submit subscribe succeed suffer suggest support sync take talk teach tell
    test throw time track train transfer travel treat trigger trust try turn update upgrade upload use validate verify visit wait wake
    walk want warn watch wear win wish work write drink eat cook practice practise ride swim smoke drive commute
    graduate retire adopt respond require accept drink hate dislike detest despise prohibit forbid merge`,
  /** Verbs that express events, which may happen again. */
  events: `visit attend buy sell meet run release ship deploy fix break crash win lose finish complete start see watch read call
    email send receive travel fly present give interview hire graduate publish merge review pay order file report sign
    walk swim ride climb cook eat celebrate happen occur fail restart roll upgrade discover find notice test talk discuss`,
  /** Attributes with one value at a time. */
  singular: `port host hostname address url uri endpoint domain email mail phone number extension password username version release deadline
    date time birthday birthdate owner manager boss lead leader ceo cto cfo captain president chair director head maintainer
    assignee contact location place city country headquarters hq office seat desk room capital region zone timezone name title role
    position status state priority default limit maximum minimum max min timeout interval ttl size length width height
    weight age price cost budget salary rate fee rent theme color colour font currency framework editor ide database db broker
    backend provider host platform os runtime shell branch license licence schedule frequency threshold capacity count total
    level mode format encoding salutation pronoun spouse wife husband partner favorite favourite nationality religion
    employer job occupation profession diet major score rating balance target goal venue destination root path folder directory
    file bucket retention window quota cap ratio percentage temperature speed duration delay height landlord doctor dentist teacher manufacturer model plan
    tier package subscription username key token secret id identifier`,
  /** Nouns for a kind of thing. They do not identify a subject that has other words. */
  generic: `app application project team service system server user company thing tool repo repository code codebase software
    product component module setting config configuration option value meeting account machine instance package library
    decision note fact reminder update policy rule correction summary fyi process job task group department person customer client site website page work place`,
  /**
   * Groups of synonyms; pairs of opposites (with "~", both sides can be untrue); groups of words that exclude each
   * other, by kind.
   */
  same: synonyms,
  opposites,
  kinds: exclusiveWords,
  numbers: "once=1 twice=2"
}
