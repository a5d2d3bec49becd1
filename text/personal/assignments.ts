import type { CueTopic } from "./cueWordList.js"
import type { CueWords } from "./cueWords.js"
import type { CredentialKind } from "./kinds.js"
import { hasLoginPair, isSpokenPhrase } from "./phrases.js"
import { isPlaceholder } from "./placeholders.js"
import { type CodeTopic, hasSpokenCode, isPlainPassword } from "./spokenCodes.js"

/**
 * Secrets after a cue word: "the password is …", API_KEY=…, token: …. Most values after cue words are not secrets. A
 * value counts only if it looks like a secret, and not like a plain word, code or a placeholder.
 */
const kinds: Partial<Record<CueTopic, CredentialKind>> = {
  key: "private-key",
  phrase: "private-key",
  apiKey: "api-key",
  token: "token",
  password: "password",
  secret: "password",
  pin: "password",
  login: "password",
  appId: "api-key",
  sessionId: "token",
  code: "password",
  combination: "password",
  licenceKey: "password",
  opens: "password",
  lock: "password"
}

const codeTopics: ReadonlySet<CueTopic> = new Set<CodeTopic>([
  "code",
  "pin",
  "combination",
  "licenceKey",
  "opens",
  "lock"
])
const isCodeTopic = (topic: CueTopic): topic is CodeTopic => codeTopics.has(topic)

/**
 * Matches a password after words that are not a connector: "password got changed again, Heron-88", "the password's …".
 */
const spokenPattern =
  /^(?: (?:for|on|of|to) [^.:;=\n|]{1,40}?)?((?:'s|,? (?:is|got|was|were|has|have|had|been|just|now|again|still|changed|reset|rotated|updated|set|back|today|yesterday)){1,7}(?:,| to|[.!?:]| [—–-])?|,| to|[.!?]) (?:it's |it is |its |it is now |it's now |now |new one is |the new one is |that's |use |to )?["'“‘]?([^\s"'”’]{6,64})(?=["'”’]?([^\n]{0,24}))/i

/** Words between the cue and the value that name a purpose: "password for the door of the shed". */
const purpose =
  /^["'`]?\]?(?: ?\([^()\n]{1,24}\))?(?:(?: [а-яё]{2,16}){1,2}(?= ?[:=])|(?: |_)(?:for|of|on|at|to|in|für|vom|von|zum|zur|der|des|de|du|la|del|do|da|para|per|pour|til|för|voor|от|для|к) [^.:;=\n|]{1,56}?(?= ?[:=→]| (?:is|was|ist|lautet|est|es|é|è|[-–—]) ))/u
/** The connection between a cue word and its value: "=", ":", "is" and similar words, and quotes. */
const connector =
  /^["'`*]{0,3}\]?(?: ?\([^()\n]{1,24}\))?["'`*]{0,3} {0,2}(:=|=>|->|→|={1,2}|:|(?<= )(?:(?:is now|is still|is|was):?|set to|changed to|ist jetzt|ist|lautet|est|es|é|è|to(?= ["'`])|[—–-](?= ))|是|为|為|は|이|는|은)[ \t]{0,4}(["'`*]{0,3})([^\s"'`]{3,256})/u
/** A value directly after the cue word: password "hunter2", --password hunter2. */
const directValue = /^ (["'`])?([^\s"'`]{4,64})/

/** A generated key directly after the cue word: private key 0x4f3e…, subscription key 4e7c… */
const directKey = /^ (?:to )?["'`]?([A-Za-z0-9+/=_-]{20,256})(?![A-Za-z0-9+/=_-])/

/**
 * "is" in other languages. `isSpokenPhrase` contains few function words of these languages, and usually a sentence
 * follows.
 */
const foreignIs = /^(?:ist|est|es|é|è)/

/** Text after a cue word that shows that no secret follows: password_hash, "token count", api key rotation. */
const otherMeaning =
  /^(?:s\b|[A-Za-z0-9]|[ _-]?(?:hash|reset|policy|polic|length|field|file|manager|count|limit|bucket|type|name|url|uri|path|id\b|hint|rotation|expir|ttl|usage|budget|rules?|strength|entropy|salt|prompt|store|vault|arn|ref|version|endpoint|header|format|prefix|regex|pattern))/

const dates =
  /^(?:\d{4}-\d\d(?:-\d\d)?|\d{1,2}[.:/]\d{1,2}(?:[.:/]\d{2,4})?|\d+(?:[.,]\d+)?(?:%|[smhdwy]|ms|min|px|kb|mb|gb|k|days?|hours?|minutes?|chars?|characters?|bits?|bytes?|th|st|nd|rd|x|v\d.*)?|v?\d+(?:\.\d+){1,3})$/i

/** Adds the kinds of secrets that follow cue words. */
export const addAssignedSecrets = (text: string, cues: CueWords, detected: Set<CredentialKind>): void => {
  for (const [index, topic] of cues.topics.entries()) {
    const end = cues.ends[index]!
    if (topic === "bearer" && !detected.has("token")) {
      const value = /^[\w.~+/-]{20,512}/.exec(text.slice(end, end + 512))?.[0]
      if (value !== undefined && looksGenerated(value)) detected.add("token")
    } else if (topic === "basic" && !detected.has("password")) {
      if (/^(?=[A-Za-z+/]{0,64}(?:\d|[a-z][A-Z]))[A-Za-z0-9+/]{8}/.test(text.slice(end, end + 96)))
        detected.add("password")
    }
    const kind = kinds[topic]
    if (kind !== undefined && !detected.has(kind) && hasSecret(text, cues, index)) detected.add(kind)
  }
}

/** The value of a cue word ends at the latest where the next assignment begins: "password:x;password:y". */
const valueEnd = (text: string, { ends, starts, topics }: CueWords, index: number): number => {
  const limit = Math.min(ends[index]! + maxValue, text.length)
  let next = index + 1
  while (next < starts.length && starts[next]! < limit && kinds[topics[next]!] === undefined) next++
  const start = starts[next] ?? limit
  const isAssignment = /\S/.test(text.charAt(start - 1)) && /[:=]/.test(text.charAt(ends[next] ?? limit))
  return isAssignment && start >= ends[index]! ? Math.min(limit, start) : limit
}
/** Maximum characters that are read after a cue word. */
const maxValue = 360

/** Whether a secret follows the cue word. */
const hasSecret = (text: string, cues: CueWords, index: number): boolean => {
  const [topic, start, end] = [cues.topics[index]!, cues.starts[index]!, cues.ends[index]!]
  if (isCodeTopic(topic) && hasSpokenCode(text, start, end, topic)) return true
  if (isCodeTopic(topic) && topic !== "pin") return false
  const after = text.slice(end, valueEnd(text, cues, index))
  const constant = /^[A-Z_]/.test(text.slice(end - 1, end)) && /^_[A-Z0-9_]{1,24} ?=/.test(after)
  if (
    constant
      ? /^_(?:HASH|FILE|POLICY|LENGTH|URL|PATH|NAME|TTL|SALT|LIMIT|COUNT|ID_)/.test(after)
      : otherMeaning.test(after)
  )
    return false
  // A short cue word inside a longer word is usually part of another word, so it does not count there.
  if (/[a-z0-9]/.test(text.charAt(start - 1)) && /[a-z]/.test(text[start]!) && end - start < 6) return false
  if (topic === "phrase") return isPhrase(after)
  if (topic === "login") return hasLoginPair(after)
  const rest = constant ? after.slice(after.indexOf("=")) : after.slice(purpose.exec(after)?.[0].length ?? 0)
  const [, sign, openingQuote, rawValue] = connector.exec(rest) ?? []
  if (sign !== undefined) {
    const isQuoted = openingQuote !== ""
    const value = rawValue!.replace(isQuoted ? /[*]+$/ : /[.,;:!?)\]}。，；*]+$/, "")
    const isLast =
      sign === ":" &&
      topic === "password" &&
      /^[.!"']{0,2}\s*(?:\n|$)/.test(rest.slice(rest.indexOf(value) + value.length))
    if (isSecret(topic, value, isQuoted, isLast || sign === "=" || sign === ":=")) return true
    return (
      topic === "password" &&
      !foreignIs.test(sign) &&
      (isSpokenPhrase(rest.slice(rest.indexOf(rawValue!) - openingQuote!.length)) || isSpokenPassword(after))
    )
  }
  if (topic === "password" && isSpokenPassword(after)) return true
  if (topic === "key" || topic === "apiKey" || topic === "appId" || topic === "token" || topic === "secret") {
    const key = directKey.exec(after)?.[1]
    return key !== undefined && !isUuid(key) && isDense(key)
  }
  if (topic !== "password") return false
  const [, quote, rawDirect] = directValue.exec(after) ?? []
  if (rawDirect === undefined) return false
  const value = rawDirect.replace(/[.,;:!?)\]}]+$/, "")
  if (isPlaceholder(value) || dates.test(value) || value.startsWith("-")) return false
  const option = text.slice(Math.max(0, start - 2), start) === "--"
  return option || quote !== undefined
    ? value.length >= 4 && /\w/.test(value) && !common.test(value)
    : looksLikePassword(value)
}

/**
 * Returns true if a password follows in ordinary words: a password of letters and digits, or a plain word that does not
 * describe the password.
 */
const isSpokenPassword = (after: string): boolean => {
  const [, link = "", value = "", tail = ""] = spokenPattern.exec(after) ?? []
  if (link === "") return false
  const bare = value.replace(/[.,;:!?)\]}]+$/, "")
  return (
    isSecret("password", bare, false, false) || (/(?:'s|is|now|still| to)$/i.test(link) && isPlainPassword(value, tail))
  )
}

const isSecret = (topic: CueTopic, value: string, isQuoted: boolean, isStrong: boolean): boolean => {
  if (isPlaceholder(value)) return false
  if (kinds[topic] !== "password") {
    // The id of an app or of a session is often a UUID. A UUID is not a secret here.
    if ((topic === "appId" || topic === "sessionId") && isUuid(value)) return false
    return value.length >= 12 && !dates.test(value) && (looksGenerated(value) || isDense(value))
  }
  if (topic === "pin") return /^(?:\d{4,8}|\d{1,2}(?:-\d{1,2}){2})$/.test(value)
  if (topic === "secret")
    return (value.length >= 8 && looksLikePassword(value) && !value.includes("/")) || isDense(value)
  if (
    value.length < 4 ||
    (dates.test(value) && !/^\d{4,}$/.test(value)) ||
    value.includes("://") ||
    (value.includes("@") && /\.\w{2,}$/.test(value))
  )
    return false
  if (/^[\w.]+\(/.test(value)) return false
  return looksLikePassword(value) || ((isQuoted || isStrong) && /^[\p{L}\d-]{6,}$/u.test(value) && !common.test(value))
}

/** Common words that follow "password" and describe it: they are not passwords. */
const common =
  /^(?:required|optional|missing|invalid|expired?|wrong|incorrect|correct|weak|strong|reset|changed?|rotated?|updated?|unknown|unset|empty|none|blank|password|passwort|secret|string|text|varchar|boolean|number|input|hidden|field|admin|default|encrypted|hashed|stored|shared|same|prompt|never|always|later|below|above|attached|reader|writer)$/i

/**
 * Whether a value looks like a password chosen by a person: letters mixed with digits or signs, several hyphenated
 * words, or digits only.
 */
const looksLikePassword = (value: string): boolean => {
  if (/^\d{4,}$/.test(value)) return true
  if (/^(?:\p{Lu}?\p{Ll}+)(?:[-'’/](?:\p{Lu}?\p{Ll}+)){0,2}$/u.test(value) || !/\p{L}/u.test(value)) return false
  if (/^\p{Ll}+(?:[-_.]\p{Ll}+){3,}$/u.test(value)) return true
  const signs = /[!@#$%^&*+=?~|\\]/.test(value) || (/[\p{L}\d][_.:-]+[\p{L}\d]/u.test(value) && /\d/.test(value))
  return (/\d/.test(value) || signs) && /^[\x21-\x7e\u00c0-\u024f\u0400-\u04ff]+$/.test(value) && value.length >= 6
}

/**
 * Whether a value looks like a generated key: at least 2 digits and 2 letters in one piece of 10 or more characters, or
 * a UUID.
 */
const looksGenerated = (value: string): boolean => {
  if (/^\p{Ll}+(?:[-_.]\p{Ll}+)*$/u.test(value)) return false
  if (isUuid(value)) return true
  return value
    .split(/[-_.:]/)
    .some(
      (piece) =>
        piece.length >= 10 && /\d.*\d/.test(piece) && /[A-Za-z].*[A-Za-z]/.test(piece) && new Set(piece).size >= 6
    )
}

const isUuid = (value: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)

/**
 * Returns true if a value looks like a random key: 20 or more characters that often change between lower case, upper
 * case and digits. In a random key, half of the neighbouring characters differ in kind; in a path or an identifier, a
 * fifth of them.
 */
const isDense = (value: string): boolean => {
  const text = value.replace(/^0x|[+/=_-]/g, "")
  if (text.length < 20 || !/\d/.test(text) || !/[A-Za-z]/.test(text)) return false
  const kindOf = (char: string) => (/\d/.test(char) ? 0 : /[a-z]/.test(char) ? 1 : 2)
  let changes = 0
  for (let index = 1; index < text.length; index++) if (kindOf(text[index]!) !== kindOf(text[index - 1]!)) changes++
  return changes >= 0.3 * text.length && new Set(text).size >= 8
}

/** Whether 12 or more short lower-case words follow, as in a seed phrase. */
const isPhrase = (after: string): boolean => /(?:^|[\s"'`:])(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8}/.test(after)
