import { setOf } from "../../../../text/normalise/functionWords.js"

/** Phrases by the kind of news that they express, anywhere in a statement. */
export const hints = {
  over: `pull out, rip out, take out, took out, tear out, hand in, give notice, notice, part ways, fall through, fell through, pass away, die, dead, death, sell, lose, close down,
    shut, shut down, switch off, switched off, turn off, expire, run out, no more, veto, strike, struck, lapse, resign, step down, stepped down, retire, let go, fire, dismiss, lay off, laid off, wind down,
    give back, gave back, split up, divorce, bury, heal, recover, cure, lift, stop, quit, cease, give up, gave up, drop, cancel, call off, abandon, deprecate, remove, discontinue, get rid of,
    got rid of, ditch, scrap, phase out, decommission, sunset, delete, unsubscribe, withdraw, withdrew, withdrawn, revoke, turn down, throw out, threw out, throw away, threw away, leave, left, go away, be gone,
    gone, off the table, go bankrupt, bankrupt, abolish, end, break up, broke up, break off, broke off, bring to an end, come to an end, fall out, fell out, void, retire from, kick out, expel, evict,
    dissolve, close, disable, uninstall, suspend, halt, pause, shelve, waive, void, scratch, ban, forbid, forbidden, prohibit, out of order, ruin, destroy, demolish, burn down, tear down, torn down, steal, stolen, cut down`,
  done: `fix, resolve, solve, settle, pay, paid, deliver, finish, complete, done, ready, arrive, repair, patch, pass, succeed, sign, accept, approve, merge, answer, clear, hand in, submit, ship, release, launch,
    give birth, graduate, marry, elect, hire, install, return, found, find, come back, came back, reopen, back again, up again, gone live, work again, run fine, be fine`,
  since: `now, nowadays, these days, currently, from now on, as of, since, henceforth, any more, anymore, any longer, no longer, instead, in future, new, latest, newest, by now, become, as from, starting, this season,
    from then on, until further notice, of late, lately, recently, by then, meanwhile, at present, at the moment, ever since, all of a sudden, in the meantime, for good, again, already, effective`,
  turned: `turn out, after all, actually, in fact, wrong, mistake, mistaken, correction, correct, not true, untrue, contrary, mix up, misread, misheard, false alarm, recount, afresh, measure again, measured again, prove, refute, disprove, in reality,
    in truth, error, typo, sorry, rather, erroneous, by mistake, not so, revise, debunk, misunderstanding, must be, should read, should be, scratch that, strike that, my bad, not as, instead of, rather than, unlike, despite`,
  moved: `bring forward, brought forward, push back, put off, put back, put forward, slip, shift, reschedule, postpone, delay, extend, raise, lower, cut, reduce, increase, drop to, go up, went up, go down, went down, bump, upgrade, downgrade, update, replace,
    rename, swap, switch, change, convert, transfer, hand over, pass on, hand to, take over, took over, takeover, go over to, went over, promote, appoint, successor, succeed, move, relocate, migrate, reimage, restore, revert, roll back, reassign, redirect, trade,
    exchange, modify, adjust, amend, rise, rose, fall to, fell to, grow, double, halve, triple, turn into, tighten, relax, widen, shorten, lengthen, renew, rebrand, redesign, rewrite, rewrote, port to, adopt, introduce, become, step in, fill in, change mind, think again,
    rebook, rearrange, go back to, went back to, move back, come round, grow on, warm to, get used to, took up, come to, learn to, overtake, scale up, scale down, double to, make way, give way, take the place, took the place`,
  also: "also, too, as well, another, second, third, besides, additional, additionally, further, furthermore, moreover, both, alongside, once more, extra, other, in addition, on top, plus, likewise, one more, a further, not only, apart from",
  asked:
    "ask, wonder, question, curious, find out, whether, want to know, do we, do you, does, did, is there, are there, anybody know, anyone know, who know, should we, unclear, unsure, check whether, enquire, inquire",
  unreal: `would, could, might, maybe, perhaps, if, were to, someday, one day, some day, dream, wish, hope, idea, propose, suggest, proposal, consider, think about, think of, toy with, imagine, possible, possibly, probably, likely, brainstorm,
    in case, unless, discuss, option, alternative, hypothetical, suppose, fancy, temptation, tempted, eventually, potentially, in theory, intend, aim, debate, vote on, pitch, candidate, want to, would like, love to, like to, should`,
  heard:
    "say, said, claim, joke, jokingly, grin, kid, rumour, rumor, gossip, hear, quote, according to, allege, allegedly, insist, swear, announce, blog, novel, film, movie, ad, advert, character, tell, told, think, believe, reckon, guess, assume, article, headline, post, tweet",
  earlier: `used to, once, formerly, earlier, previously, previous, back then, in the past, before, as a child, as a kid, as a teenager, as a student, grow up, grew up, at university, at school, originally, at first, ago, historically, had been, former, back in, in those days, childhood,
    in youth, first job, until, at the time, long ago, last year, years ago`,
  sure: `confirm, confirmation, indeed, still, as planned, as plan, as before, as ever, reminder, remind, remember, repeat, note to self, unchanged, same, the same, as usual, as agreed, double check, verify, recheck, really, in effect, as mention, as said, again say, remain, stay, continue, keep`,
  because: "because, reason, why, due to, so that, in order to, cause, thanks to, owing to, as a result, therefore",
  exact: `exactly, exact, precisely, precise, namely, specifically, in detail, above all, especially, only when, whenever, including, include, together with, which, whose, where, in particular, for example, such as, to be, chiefly, mainly, mostly, roughly, about, with, details, track, at least, consist, contain, cover, comprise`
} as const
export type Hint = keyof typeof hints

/** Words by topic. The topics in the first part have one state at a time. */
export const topics = {
  residence: `live reside dwell home house bag apartment settle landlord tenant lodging studio dorm neighbourhood neighborhood hometown lodge mansion cottage villa caravan rent tenancy residence resident address street avenue lane`,
  employment: `work job employ employer hire career nurse teacher engineer developer profession occupation company firm boss trainee intern apprentice freelance self-employed contractor retire pensioner unemployed lawyer accountant clerk chef waiter
    carpenter plumber electrician journalist consultant analyst designer architect salary shift full-time part-time`,
  charge: `own owner lead leader head chair chairman chairwoman chairperson maintain maintainer manage manager responsible charge assign assignee captain president director supervisor supervise coordinator coordinate treasurer secretary
    coach principal editor moderator moderate organise organize organiser organizer host run representative contact commander oversee spokesperson deputy`,
  time: `when day date time hour schedule start begin end finish deadline due noon midnight morning evening afternoon night weekly daily monthly monday tuesday wednesday thursday friday saturday sunday january february march april june july august
    september october november december week month year spring summer autumn winter open close opening until o'clock appointment quarter postpone early late tomorrow`,
  price: `cost price pay fee rent charge euro dollar pound rate salary wage budget cheap expensive worth discount free bill tariff premium fare toll instalment payment earn fund cent crown franc`,
  amount: `number count many much amount total maximum minimum limit quota size capacity at most at least up to percent share dozen seat member people participant height weight weigh tall heavy length width kilo gram litre metre square`,
  duration: `last take long minute second hour timeout expire ttl lifetime retention keep interval wait valid validity term notice trial period`,
  storage: `store storage keep host database bucket disk server cluster datastore region zone cloud persist archive backup locate location reside volume folder directory path drawer shelf cupboard cellar safe`,
  software: `use run framework library language database version upgrade tool editor platform stack built build deploy runtime engine service provider vendor supplier host os operating`,
  relation: `married marry wedding engaged engagement divorce divorced single widow widower couple together girlfriend boyfriend husband wife spouse partner separated relationship split date fiancé fiancée bride groom honeymoon spouse`,
  health: `ill sick healthy health pregnant injured broken hurt pain wound plaster cast crutch operation surgery hospital diagnosis diabetes asthma recover fever medicine pill tablet dose therapy smoke smoker cigarette drunk sober`,
  diet: `vegetarian vegan meat steak fish eat diet gluten lactose milk dairy pork beef chicken sugar alcohol wine beer coffee tea breakfast lunch dinner food cook dish dessert chocolate bread pasta keto carb`,
  transport: `drive car bus bike bicycle cycle tram train subway metro walk commute ride taxi motorbike scooter ferry van lorry truck garage park`,
  access: `password code key pin login login sign authentication token access permission allow allowed permitted forbidden admin role vpn credential secret certificate lock door gate open`,
  state: `open closed resolved blocked pending done finished active inactive enabled disabled on off up down broken works working fail failing stable unstable running stopped paused live offline online available unavailable full empty valid invalid`,
  name: `call name title nickname known rename codename brand label surname pseudonym alias`,
  approval: `approve approval approve sign-off review reviewer allow permit accept reject refuse decline decide decision agree policy rule require mandatory optional compulsory voluntary forbid`,
  place: `in at room floor building office hall city town country site location venue where place street square corner desk table wall shelf garden attic basement kitchen cellar`,
  favourite: `favourite favorite best prefer preference rather first choice number-one top`,
  taste: `like love enjoy hate dislike adore loathe detest fond keen fan mind bear stand prefer taste appetite`,
  fear: `afraid fear scared frighten terrified phobia nervous anxious brave panic`,
  ability: `can able unable cannot know learn fluent skill capable speak write read swim drive dance cook sing`,
  language: `speak language english german french spanish italian portuguese dutch chinese japanese korean russian arabic hindi polish turkish swedish danish norwegian finnish hungarian czech greek hebrew ukrainian armenian farsi accent bilingual`,
  allergy: `allergy allergic intolerant intolerance tolerate hay pollen nut peanut hazelnut penicillin shellfish bee wasp sting`,
  hobby: `play hobby collect paint draw knit sew garden chess football tennis volleyball basketball handball hockey golf yoga run climb hike sail surf ski dance sing choir band club team game board puzzle piano violin guitar cello drum flute trumpet`,
  pet: `dog cat puppy kitten hamster rabbit horse parrot hen rooster goldfish pet animal vet breed`,
  family: `mother father sister brother son daughter child children kid twin aunt uncle cousin grandmother grandfather grandma grandpa parent niece nephew baby godmother godfather`,
  school: `school class grade pupil student teacher university college exam degree study graduate course lesson lecture professor kindergarten semester homework thesis`,
  event: `meet meeting call visit trip travel holiday vacation conference workshop concert party dinner interview incident outage release flight tour match race marathon exam festival fair ceremony session weekend`,
  document: `report invoice letter contract licence license passport document paper article ticket page file manual form newsletter protocol minutes draft manuscript`,
  defect: `bug crash fail error broken slow defect leak fault flaky problem issue trouble noise drip stuck hang`,
  ownership: `have has own possess buy bought sell sold get belong purchase acquire`,
  membership: `member belong join subscription subscribe membership account plan contract customer client partner sponsor`
} as const
/** Topics that may have several states at a time. */
export const multiValueTopics = setOf(
  "ability language allergy hobby pet family event document ownership taste school membership"
)

/** Words of approval and of disapproval. */
export const tones = {
  good: `like love enjoy adore fond keen fan happy glad pleased good great excellent best better well fine perfect wonderful fast quick stable reliable healthy strong easy favourite favorite prefer comfortable friendly success succeed
    win allow allowed permit permitted accept approve support work works working able can safe clean fresh brave calm agree welcome recommend trust tolerate open available enable enabled free improve recover fit welcome willing`,
  bad: `hate dislike loathe detest dreadful awful terrible horrible bad worse worst poor sad angry unhappy slow unstable unreliable ill sick weak hard difficult fail fails failing failure broken break lose lost refuse reject forbid forbidden
    ban prohibit avoid disable disabled unable afraid fear scared unsafe dirty stale disagree waste boring annoying pain hurt distrust closed unavailable allergic intolerant unwilling resist trouble problem impossible against`
} as const

/** Frequent words of other languages that do not occur in English. */
export const foreignWords = `der das und ist nicht ein eine einen einem einer kein keine keinen mit auf für von dem den zu zum im sich bei aus nach wird haben hat
  est une le la les du dans pas que qui sur avec pour sont el los las una se por para con del muy pero tiene está non che di il gli della sono
  è à är och inte det att som på av jag het een niet van voor ik op wordt jest nie się że do em não uma os com mais`
