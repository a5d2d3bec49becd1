import { isStopWord } from "../normalise/functionWords.js"
import { lazy } from "../normalise/lazy.js"

// Access codes in ordinary words: "the cupboard code got changed again, 4471C", "4471 opens the gate". A number counts
// only if its sentence, or the one before, names a code and a place or a device that it opens.

/** Things that a code opens, and kinds of codes that open something. */
const places =
  "doors?|gates?|alarms?|lockers?|safes?|cupboards?|cabinets?|drawers?|garages?|lifts?|elevators?|padlocks?|locks?|keypads?|key ?box(?:es)?|key ?safes?|lock ?box(?:es)?|entry|entrance|access|security|building|sheds?|stor(?:e|age) ?rooms?|stores?|basement|cellar|barriers?|dead ?locks?|dead ?bolts?|hatch|vans?|caravan|trailer|container|boat|stables?|hangar|greenhouse|workshop|attic|loft|mail ?box|letter ?box|post ?box|freezer|fridge|kitchen|hostel|dorm|kiosk|trunk|car park|parking|porch|lobby|stairwell|toilets?|bathroom|loo|cottage|cabin|chalet|airbnb|flat|apartment|house|bike ?(?:room|shed|lock)|barn|depot|vault|strongbox|cash ?box|till|intercom|buzzer|shutters?|turnstile|boathouse|clubhouse|warehouse|laundry|pharmacy|med(?:s|icine|ication)?|drugs|server room|staff ?room|changing room|meeting room|lab|studio|gym|pool|suitcase|briefcase|phone|tablet|ipad|laptop|lock ?screen|voicemail|burglar|arming|disarm(?:ing)?|master|unlock|recovery|backup|verification|one-?time|2fa|two-?factor|authenticat(?:or|ion)|log-?in|sign-?in|guest|cleaner's|parental"
const place = lazy(() => new RegExp(`(?<![\\p{L}])(?:${places})(?![\\p{L}])`, "iu"))
/** Words before "code" which show that the code opens nothing. */
const harmless =
  /(?:\b(?:error|fault|status|exit|return|response|https?|order|booking|reservation|tracking|product|item|article|part|model|serial|version|stock|batch|lot|invoice|customer|post(?:al)?|zip|area|dial(?:l?ing)?|country|language|currency|city|airport|iata|icao|dress|colou?r|paint|hex|ral|qr|bar|source|morse|tax|sort|swift|bank|branch|promo|promotion|discount|coupon|voucher|referral|gift|cost|charge|job|project|course|module|class|exam|department|team|room type|vin|engine|diagnos\w+|icd|cpt|highway|fire|building|penal|civil|criminal|labou?r|ethics|gym dress|region|locale|event|message|reason|result|ticker|stock|sku|fund|fare|rate|menu|dead|legacy|machine|byte|op|key)|\p{L}{0,4}(?:post|zip|bar)) $/iu

const accessCode = lazy(
  () =>
    new RegExp(
      `(?<!\\p{L})(?:${places})(?: [\\p{L}'-]+){0,2} codes?(?!\\p{L})|(?<!\\p{L})codes? (?:for|to|of|on|at) [^.;:!?\\n]{0,40}?(?<!\\p{L})(?:${places})(?!\\p{L})`,
      "iu"
    )
)

/** Whether a text mentions a code that opens something. The code itself may be elsewhere. */
export const mentionsAccessCode = (text: string): boolean => accessCode().test(text)

/** Whether a text names something that a code opens. */
export const mentionsLockedThing = (text: string): boolean => place().test(text)

/**
 * Whether a text has a code after or before the word "code", whatever that code opens. Codes of errors, orders and the
 * like do not count.
 */
export const mayContainCode = (text: string): boolean => {
  for (const { 0: cue, index } of text.matchAll(/(?<![\p{L}\d])codes?(?![\p{L}\d])/giu)) {
    const before = text.slice(Math.max(0, index - reach.before), index)
    const after = text.slice(index + cue.length, index + cue.length + reach.after)
    if (!harmless.test(before) && !harmlessAround.test(before) && (followsCode(after, "code") || precedesCode(before)))
      return true
  }
  return false
}

const digitWord = "(?:zero|oh|nought|one|two|three|four|five|six|seven|eight|nine|double|triple|hash|star)"
/**
 * Matches a code: digits, letters with digits, groups with hyphens or blanks, or digits in words. Does not match an
 * amount, a date, a time or a version.
 */
const codePattern = lazy(
  () =>
    new RegExp(
      `["'“‘\`*#]{0,2}(?:${[
        "\\d{1,4}(?:[ -]\\d{1,4}){2,7}",
        "(?=[A-Za-z\\d-]{0,29}\\d)[A-Za-z\\d]{3,8}(?:-[A-Za-z\\d]{3,8}){1,7}",
        "\\d{3,12}",
        "(?=[A-Za-z]{0,11}\\d)(?=\\d{0,11}[A-Za-z])[A-Za-z\\d]{4,16}",
        `${digitWord}(?:[ -]${digitWord}){2,9}`
      ].join(
        "|"
      )})(?![\\p{L}\\d]|[.:,/]\\d|-\\p{L}|\\s?(?:%|°|[€$£]|percent|euros?|dollars?|pounds?|people|persons|members|guests|employees|users?|words?|lines?|files?|pages?|tests?|items?|pieces|times|days?|weeks?|months?|years?|hours?|hrs?|minutes?|mins?|seconds?|secs?|ms|metres?|meters?|miles?|steps?|points|calories|kcal|[km]?g|mg|km|cm|mm|m|[kmg]b|am|pm|o'clock|characters?|digits?|chars|letters|commits?|errors?|january|february|march|april|may|june|july|august|september|october|november|december)(?!\\p{L}))`,
      "iuy"
    )
)
/** Matches an amount, a size, a date or a version that looks like a code. */
const measured =
  /^(?:\d+(?:st|nd|rd|th|ms|min|px|gb|mb|kb|kg|km|cm|mm|k|m|h|s|am|pm|x|p|v|d|w|hz|mhz|ghz)|v\d+|(?:19|20)\d\d-\d\d?-\d\d?)$/iu

/** Matches the signs and words between a cue word and its code. */
const linkPattern = lazy(
  () =>
    new RegExp(
      `(?:[\\s,:;=()"'“‘\`*—–>→?-]|\\.(?=\\s)|!|(?:is|are|was|be|been|being|now|still|currently|again|got|gets?|has|have|had|changed?|changes|updated?|reset|set|moved|to|as|new|old|one|the|a|its?|that's|thats|today|tomorrow|yesterday|tonight|just|only|use|used|try|enter|entered|press|punch|type|dial|hit|tap|in|then|and|so|becomes|became|becoming|will|stays|stayed|remains|reads|goes|go|for|me|you|us|them|i|we|they|he|she|need|needs|want|wanted|remember|note|number|please|btw|by|way|gave|given|got|told|said|says|wrote|happens|apparently|actually|this|last|since|from|on|week|month|morning|monday|tuesday|wednesday|thursday|friday|saturday|sunday|front|back|side|main|upstairs|downstairs|inner|outer|left|right|with|s|re|ll|ve|${places})(?![\\p{L}\\d]))*`,
      "iuy"
    )
)
/** Matches the purpose of a code: "code for the boat shed is …". */
const purposePattern =
  /(?: (?:for|to|of|on|at|into|in) [^.;:=?!\n\d]{1,48}?(?=[\s,]+(?:is|are|was|has|got|gets|will|now|changed|stays|reads|became)\b|'s |s?\s*[:=—–(,-]|[!.?]\s|\s+[#*]?\d| to \d)| \([^()\n]{1,24}\)| (?:they|he|she|it|you|i) (?:just )?(?:texted|sent|gave|mailed|emailed|messaged)(?: me| us)?)?/iuy

const reach = { before: 90, after: 150 }
/** Maximum number of words before "code" that may name what the code opens. */
const maxPlaceWords = 4

/** The meaning of a cue word of a code. */
export type CodeTopic = "code" | "pin" | "combination" | "licenceKey" | "opens" | "lock"

/** Whether a code follows or precedes a cue word. `text` is read in a bounded distance around the cue. */
export const hasSpokenCode = (text: string, start: number, end: number, topic: CodeTopic): boolean => {
  const before = text.slice(Math.max(0, start - reach.before), start)
  const after = text.slice(end, end + reach.after)
  if (topic === "lock") return isSetTo(after)
  if (topic === "opens") return opensSomething(before, text.slice(start, end + reach.after))
  if (
    /^(?:s? ?(?:of conduct|of practice|of ethics|review|base|freeze|generat|coverage|style|owner|smell|path|block|sample))|^[\p{L}\d]{2}/iu.test(
      after
    )
  )
    return false
  if (topic === "code" && !namesAccess(before, after)) return false
  const rest = after.replace(/^s(?![\p{L}\d])/u, "")
  return followsCode(rest, topic) || precedesCode(before)
}

/**
 * Returns true if the words around a cue word show that the code opens something: "door code", "code to the gate", "the
 * gate is stuck. Code: …".
 */
const namesAccess = (before: string, after: string): boolean => {
  if (harmless.test(before)) return false
  const words = (before.match(/[\p{L}\d'-]+[^\p{L}\d]*/gu) ?? []).slice(-maxPlaceWords).join("")
  if (place().test(words)) return true
  const [purpose = ""] =
    /^s?(?: [#*]?[A-Za-z]{0,3}\d[\w#*-]*)? (?:for|to|of|on|at|into) [^.;:=?!\n]{1,48}/iu.exec(after) ?? []
  if (sent.test(after)) return true
  if (
    place().test(/^s?\s*[:—–-] [^.;=?!\n]{1,32}/iu.exec(after)?.[0] ?? "") ||
    place().test(/^s? \([^()]{1,24}\)/u.exec(after)?.[0] ?? "")
  )
    return true
  if (place().test(purpose) || /^s? (?:to (?:get|let|come|go)|(?:for|when) getting) /iu.test(after)) return true
  return place().test(before) && !harmlessAround.test(before)
}
/** "The code they texted me". */
const sent = /^ (?:they|he|she|it|you|i) (?:just )?(?:texted|sent|gave|mailed|emailed|messaged)(?: me| us)? /iu
const harmlessAround =
  /\b(?:error|https?|exit|order|booking|dress|post|zip|source|merge|deploy|branch|bug|compil\w+)\b/iu

const matchAt = (pattern: RegExp, text: string, from: number): string => {
  pattern.lastIndex = from
  return pattern.exec(text)?.[0] ?? ""
}

/** Whether a code follows a cue word, with or without words for its purpose. */
const followsCode = (after: string, topic: CodeTopic): boolean => {
  for (const purpose of new Set(["", matchAt(purposePattern, after, 0)])) {
    const link = matchAt(linkPattern(), after, purpose.length)
    if (link === "" || /[\n]\s*\n/u.test(link)) continue
    // The sign before a code may be part of the code: "#4471".
    const code = matchAt(codePattern(), after, purpose.length + link.length)
    if (isCode(code, topic) && !dated.test(link)) return true
  }
  return false
}
/** A number after these words is a day or a year: "changed on the 14", "since 2019". */
const dated = /\b(?:on|since|from|in|by|last|this)\s+(?:the\s+)?$/iu

/** Whether a code precedes its cue word: "4471C is the cupboard code", "use 4471 as the door code". */
const precedesCode = (before: string): boolean => {
  const match =
    /(?<![\p{L}\d.:,/-])([#*]?[A-Za-z\d][A-Za-z\d-]{2,15}[#*]?)(?:[\s,—–:-]+| \()(?:(?:is|was|are|as|being|for|that's|=|now|still|also|the|my|our|your|his|her|their|a|new|old|current)[\s']+)+(?:[\p{L}'-]+ ){0,4}$/iu.exec(
      before
    )
  return match !== null && isCode(matchAt(codePattern(), match[1]!, 0), "code")
}

/** Whether a code precedes words for opening, or follows words for typing it in. */
const opensSomething = (before: string, from: string): boolean => {
  const code =
    /(?<![\p{L}\d.:,/-])([#*]?[A-Za-z\d][A-Za-z\d -]{1,24}[A-Za-z\d][#*]?)(?: (?:also|still|now|should|will|always|to|and it|and that))* $/iu.exec(
      before
    )?.[1]
  const isOpening =
    /^(?:opens?|unlocks?|disarms?|gets? (?:you|us|me|them) (?:in|into|through|past)|lets? (?:you|us|me|them) (?:in|into|through|past)|to get in)\b/iu.test(
      from
    )
  if (isOpening) {
    const names = place().test(from.slice(0, 60)) || /^(?:gets?|lets?|to get)/iu.test(from)
    const last = code?.split(/ (?=[#*A-Za-z]*\d*\D*$)/u).at(-1) ?? ""
    return (
      names &&
      (isCode(matchAt(codePattern(), last, 0), "code") || isCode(matchAt(codePattern(), code ?? "", 0), "code"))
    )
  }
  const typed =
    /^(?:punch(?:ing)?|key(?:ing)?|typ(?:e|ing)|enter(?:ing)?|press(?:ing)?|dial(?:l?ing)?)(?: in)? /iu.exec(from)
  if (typed === null || !place().test(`${before} ${from.slice(0, 80)}`)) return false
  return isCode(matchAt(codePattern(), from, typed[0].length), "code")
}

/**
 * Returns true if the text says that a lock has a code: "the key safe by the door is 4096", "gym locker is 27-13-39".
 */
const isSetTo = (after: string): boolean => {
  const link =
    /^(?: (?:by|on|at|in|of|for|outside|next to) [^.;:=?!\n\d]{1,40}?)?(?:(?:'s|:|,? (?:is|is now|now|was|i set to|we set to|set to|to|code))+ )/iu.exec(
      after
    )?.[0]
  if (link === undefined) return false
  const code = matchAt(codePattern(), after, link.length)
  // "Locker 339" is the number of a locker, and "alarm: 0630" is a time.
  return (
    isCode(code, "code") &&
    (/^\d{1,4}(?:[ -]\d{1,4}){2}/u.test(code) || (/^[#*]?\d{4,8}$/u.test(code) && !clock.test(code)))
  )
}
const clock = /^(?:[01]\d|2[0-3])[0-5]\d$|^(?:19|20)\d\d$/u

const isCode = (found: string, topic: CodeTopic): boolean => {
  const code = found.replace(/^["'“‘`*#]+/u, "")
  if (code === "" || measured.test(code)) return false
  const size = code.replace(/[ -]/gu, "").length
  if (topic === "pin")
    return (
      /^\d{4,8}$|^\d(?:[ -]\d){3,7}$|^\d\d[ -]\d\d(?:[ -]\d\d)?$/u.test(code) || /^\p{L}+[ -]\p{L}+[ -]/u.test(code)
    )
  if (topic === "licenceKey") return size >= 10 && /\d/u.test(code)
  return size >= 3
}

/** Words after "password is" that describe it. */
const describing =
  /^(?:terrible|awful|weird|silly|funny|good|great|bad|fine|nice|okay|simple|easy|hard|difficult|impossible|complex|complicated|long|short|too|very|really|quite|super|ridiculous|stupid|annoying|obvious|gone|broken|taken|back|case|alphanumeric|numeric|plain|plaintext|sent|written|printed|kept|known|lost|forgotten|mine|yours|ours|theirs|his|hers|anything|nothing|something|everything|whatever|here|there|where|what|who|how|why|when|true|false|about|over|under|inside|outside|between|during|only|just|even|like|such|that|this|these|those|then|than|also)$/iu

/** Whether a word is an ordinary word used as a password: it ends its clause and describes nothing. */
export const isPlainPassword = (value: string, tail: string): boolean => {
  const [, word = "", end = ""] = /^(\p{L}{5,20})([.,;:!?)]*)$/u.exec(value) ?? []
  return (
    word !== "" &&
    (end !== "" ||
      /^["'”’]?(?:$|[.,;:!)]| (?:and|but|with|all|in lower|in caps|if|by the way|btw|now|again)(?!\p{L}))/iu.test(
        tail
      )) &&
    !isStopWord(word.toLowerCase()) &&
    !describing.test(word) &&
    !/(?:ed|ing|ly|able|ible|ive|al|ous|less|ful|ory|ary|ant|ent|ic)$/iu.test(word)
  )
}
