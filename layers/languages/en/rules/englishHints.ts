/**
 * Phrases that show how a statement affects known facts: what ended, what was done or changed, how the claim is meant,
 * how long it is valid, and in which scope.
 */
export const hints = {
  over: `pull out, rip out, take out, took out, tear out, hand in, give notice, notice, part ways, fall through, fell through, pass away, die, dead, death, sell, lose, close down,
    shut, shut down, switch off, switched off, turn off, expire, run out, no more, veto, strike, struck, lapse, resign, step down, stepped down, retire, let go, fire, dismiss, lay off, laid off, wind down,
    give back, gave back, split up, divorce, bury, heal, recover, cure, lift, stop, quit, cease, give up, gave up, drop, cancel, call off, abandon, deprecate, remove, discontinue, get rid of,
    got rid of, ditch, scrap, phase out, decommission, sunset, delete, unsubscribe, withdraw, withdrew, withdrawn, revoke, turn down, throw out, threw out, throw away, threw away, leave, left, go away, be gone,
    gone, off the table, go bankrupt, bankrupt, abolish, end, break up, broke up, break off, broke off, bring to an end, come to an end, fall out, fell out, void, retire from, kick out, expel, evict,
    dissolve, close, disable, uninstall, suspend, halt, pause, shelve, waive, void, scratch, ban, forbid, forbidden, prohibit, out of order, ruin, destroy, demolish, burn down, tear down, torn down, steal, stolen, cut down`,
  done: `fix, resolve, solve, settle, pay, paid, deliver, finish, complete, done, ready, arrive, repair, patch, pass, succeed, sign, accept, approve, merge, answer, clear, hand in, submit, ship, release, launch,
    give birth, graduate, marry, elect, hire, install, return, found, find, come back, came back, reopen, back again, up again, gone live, work again, run fine, be fine`,
  moved: `bring forward, brought forward, push back, put off, put back, put forward, slip, shift, reschedule, postpone, delay, extend, raise, lower, cut, reduce, increase, drop to, go up, went up, go down, went down, bump, upgrade, downgrade, update, replace,
    rename, swap, switch, change, convert, transfer, hand over, pass on, hand to, take over, took over, takeover, go over to, went over, promote, appoint, successor, succeed, move, relocate, migrate, reimage, restore, revert, roll back, reassign, redirect, trade,
    exchange, modify, adjust, amend, rise, rose, fall to, fell to, grow, double, halve, triple, turn into, tighten, relax, widen, shorten, lengthen, renew, rebrand, redesign, rewrite, rewrote, port to, adopt, introduce, become, step in, fill in, change mind, think again,
    rebook, rearrange, go back to, went back to, move back, come round, grow on, warm to, get used to, took up, come to, learn to, overtake, scale up, scale down, double to, make way, give way, take the place, took the place`,
  asked:
    "ask, wonder, question, curious, find out, whether, want to know, do we, do you, does, did, is there, are there, anybody know, anyone know, who know, should we, unclear, unsure, check whether, enquire, inquire",
  because: "because, reason, why, due to, so that, in order to, cause, thanks to, owing to, as a result, therefore",
  confirms: `yes, yep, yup, yeah, confirm, indeed, stand, hold, agreed, as arranged, as noted, as note, as documented, as we had it, as they are, as it is, as planned, as plan, as ever, as agreed, the same, still,
    correct, right, once more, again, double check, check, recheck, look up, went through, unchanged, remind, reminder, remember, for the record, note to self, verify, no change, nothing change, to this day, rang back, call back, ring back, bear in mind`,
  bounded: `this once, just once, for once, one time, one off, once only, only that, only this, this one, exception, temporary, temporarily, for now, for the moment, for the time being, this time, until, till, as long as, while,
    during, tonight, tomorrow, today, back to normal, as usual, fall back, come back, the usual, this week, this weekend, next week, this morning, this evening, this afternoon, for the day, freeze, pause, just for, only for, skip, this monday, this tuesday,
    this wednesday, this thursday, this friday, this saturday, this sunday, this coming, coming monday, coming tuesday, coming wednesday, coming thursday, coming friday, coming saturday, coming sunday, not tomorrow`,
  lasting: `for good, from now, henceforth, no longer, any more, anymore, any longer, ever since, these days, nowadays, from today, permanent, from then on, since then, as of, as from, in future, never again, for ever, forever, once and for all, from this,
    since last, since monday, since yesterday, since the, since this, by now, meanwhile, now, stays on, is over, for life, at all, whatsoever, out of the question, not renew, will not be`,
  former: `used to, before, back then, formerly, ago, when i was, had been, once, in the past, as a child, as a kid, originally, previous, earlier, before that, up to, were before, was before, in those days, last year`,
  rest: `the rest, rest stay, everything else, all else, nothing else, otherwise, unchanged, untouched, as before, stay as, stay just, as always, left alone, leave alone, go ahead, as they are, remaining, the other, nothing change, on top of, besides, only the`,
  enlists: `add, put on, append, as well, too, one more, also, join, go on, belong, another, forgot one, forget, include, in addition, plus, take on, besides, on top`,
  strikes: `off the, strike, cross off, cross out, take off, took off, throw out, remove, not any more, out of, drop, rip out, no more, get rid, is out, no longer`,
  unfinished: `open, tbc, tbd, not known, not yet, unknown, undecided, not fixed, some time, sometime, somewhere, some sort, one of the, do not know, not found, to be confirmed, pending, unclear, early, late, around, about, roughly, some of,
    couple, between, too little, large, big, something, outstanding, awaiting, wait, still, week of, autumn, spring, due, larger, many, some, suspicion, suspect, assume, plan, intend`,
  fills: `exactly, in detail, found it, found, more on, mean, precise, precisely, finally, at last, sorted, detail, has come, split, to be exact, letter, measured, look it up, booked, specifically, that be, only the, name, how, where, is meant`,
  undecided: `nothing decided, no decision, not decided, nobody agreed, nothing official, nothing ordered, nothing entered, nothing measured, no ticket, no budget, only guessing, hunch, gut feeling, let me calculate, sleep on it, think it over, want to think, not verify,
    not say, has not said, have not said, know nothing, not sure, no idea, idk, not looked, not swear, no authority, will check, no hurry, if they ever, provided, not a word`,
  hedged: `may, might, could, maybe, perhaps, seem, think, wonder, guess, probably, prob, rumour, rumor, gossip, mutter, hear, heard, believe, as if, in theory, kinda, toy, sounded, thinkable, thinking of, suppose, apparently, could be`,
  planned: `plan, going to, gonna, wanna, would like, want to, intend, propose, next year, next spring, next summer, autumn, hope, idea, some day, once the, when the, when my, if the, is to, let us, promise, task, todo, before next, to be asked`,
  reported: `say, said, claim, write, quote, accord, tell, told, call, overhear, headline, newsletter, literally, word, on the phone, on the line, report from, announce`,
  ironic: `lol, rofl, lmao, ha ha, haha, joke, jokingly, kid, sure, wonderful, lovely, bravo, hurrah, genius, oh, ah, splendid, so much for`,
  corrects: `sorry, mistake, typo, misread, mix up, mixed up, wrong, swap, swapped, retract, correction, never was, was never, never did, never had, it was not, turn out, mistyped, mistaken, not what, misheard, recount, count once more, muddle, confuse, in fact, actually, slip, void,
    always was, after all, forgot to count, had the wrong, misunderstanding`
} as const
export type Hint = keyof typeof hints

/** Words of approval (`good`) and of disapproval (`bad`). */
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
