// Patterns for the text of a piece that show how it is meant.

export const hypotheticalPattern =
  /^(?:(?:and|but|so|or|then)\s+)*(?:if|what if|suppose|imagine|assuming|say we|say i|unless)\b|\b(?:would|could|might|wouldn't)\b.*\bif\b/iu
export const laughterPattern = /\b(?:lol|lmao|rofl|(?:ha){2,}h?|hehe)\b|[😂🤣😅]/iu
/** A farewell at the end of a turn. */
export const goodbyePattern =
  /(?:^|[.,!;–-]\s*)(?:bye(?: bye)?|cya|see (?:you|ya)(?: \w+)?|ttyl|good ?night|talk (?:later|soon))[\s.!:)]*$|\b(?:must|have to|need to) (?:go|run|dash)[,.!]/iu
/** "3am and …", "it's 3 am". */
export const clockTimePattern =
  /^\s*(?:it's (?:only |already |nearly |almost |like )?)?\d{1,2}(?:[:.]\d\d)? ?(?:am|pm)\b/iu
export const conditionalPattern =
  /^(?:(?:now|then|and|so) )?(?:i'll|we'll|i'm|we're|i|we|my|our|the|she|he|they|\p{Lu})[^,]* if /iu
export const suppositionPattern = /\b(?:what if|as if|would|might|maybe|could)\b/iu
