import { addAssignedSecrets } from "./assignments.js"
import { hasCommandPassword } from "./commandLines.js"
import type { CueWords } from "./cueWords.js"
import { keyFormatsOf } from "./keyFormats.js"
import type { CredentialKind } from "./kinds.js"
import type { TextScan } from "./scan.js"

/**
 * Adds the kinds of credentials in a text: keys and tokens in their issuers' formats, key blocks, and secrets that
 * follow a cue word.
 */
export const addCredentialKinds = (text: string, scan: TextScan, cues: CueWords, kinds: Set<CredentialKind>): void => {
  // Keys of all issuers contain a run of at least 16 characters.
  if (scan.longestRun >= 16) {
    issuedKeysIn(text, kinds)
    if (!kinds.has("private-key") && hasKeyBlock(text)) kinds.add("private-key")
  }
  if (!kinds.has("password") && hasUrlWithPassword(text)) kinds.add("password")
  if (!kinds.has("password") && hasCommandPassword(text)) kinds.add("password")
  addAssignedSecrets(text, cues, kinds)
}

const runPattern = /(?<![\w-])[\w-][\w.-]{15,2047}/g

const issuedKeysIn = (text: string, kinds: Set<CredentialKind>): void => {
  for (const { 0: run, index } of text.matchAll(runPattern)) {
    for (const { kind, shape } of keyFormatsOf(run)) {
      if (kinds.has(kind)) continue
      const key = shape.exec(run)?.[0]
      if (key !== undefined && isVaried(key)) kinds.add(kind)
    }
    // Webhooks of Slack and Discord: anyone with the URL can write.
    if (
      index > 8 &&
      /(?:hooks\.slack\.com\/services\/T\w{6,14}\/B\w{6,14}|discord(?:app)?\.com\/api\/webhooks\/\d{17,20})\/$/.test(
        text.slice(Math.max(0, index - 72), index)
      ) &&
      isVaried(run)
    ) {
      kinds.add("token")
    }
    // A Telegram bot token: the bot's number, a colon, 35 characters.
    if (
      text[index - 1] === ":" &&
      /^[\w-]{35}(?![\w-])/.test(run) &&
      /(?<!\d)\d{8,10}:$/.test(text.slice(Math.max(0, index - 12), index))
    ) {
      kinds.add("token")
    }
  }
}

/**
 * Whether a text in a key format is a real key, not a placeholder: it has enough different characters and no
 * placeholder word.
 */
const isVaried = (key: string): boolean =>
  new Set(key.slice(-16)).size >= 6 && !/x{5}|your|\.\.\.|placeholder|redacted|insert|replace|dummy|0{8}/i.test(key)

/** Whether a text contains a key block of PEM, OpenPGP, OpenSSH or PuTTY. A heading without a body does not count. */
const hasKeyBlock = (text: string): boolean => {
  const heading =
    /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d|Private-Lines: \d/g
  for (const { 0: head, index } of text.matchAll(heading)) {
    const body = text.slice(index + head.length, index + head.length + 160)
    if (/[A-Za-z0-9+/]{24}/.test(body)) return true
  }
  return false
}

/** Whether a text contains a URL with a password: scheme://user:password@host. */
const hasUrlWithPassword = (text: string): boolean => {
  for (let index = text.indexOf("://"); index >= 0; index = text.indexOf("://", index + 3)) {
    const password = /^:\/\/[^\s:@/]{0,64}:([^\s@/]{3,128})@[\w[]/.exec(text.slice(index, index + 208))?.[1]
    if (
      password !== undefined &&
      !/^(?:pass(?:word|wd|phrase)?|pwd|secret|pw|token|x+|\*+|\.+|…|user)$|^[$<{[%*]|x{4}|\*{3}|your/i.test(password)
    ) {
      return true
    }
  }
  return false
}
