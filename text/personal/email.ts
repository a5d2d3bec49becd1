/** Characters of local parts and host names. Every non-ASCII character counts as one of them. */
const localCharacters = new Uint8Array(128)
const hostCharacters = new Uint8Array(128)
for (let code = 33; code < 127; code++) {
  const char = String.fromCharCode(code)
  if (/[\w.!#$%&'*+/=?^`{|}~-]/.test(char)) localCharacters[code] = 1
  if (/[\w.-]/.test(char)) hostCharacters[code] = 1
}
const dot = 46
const isIn = (table: Uint8Array, code: number): boolean => code > 127 || table[code] === 1
/** File names and internal hosts that look like domains. */
const notDomain =
  /\.(?:png|jpe?g|gif|svg|webp|ico|bmp|tiff?|css|js|ts|tsx|jsx|json|ya?ml|toml|html?|txt|pdf|lock|service|socket|timer|target|mount|local|localhost|localdomain|lan|internal|invalid|java|kt|swift|cpp|hpp|rb|exe|dll|so)$/i
/** Placeholder addresses such as "you@example.com". */
const placeholder =
  /^(?:user(?:name)?|you|your[._-]?(?:name|e?mail)|me|name|first(?:name)?[._-]?last(?:name)?|someone|somebody|anyone|foo|bar|test|e?mail|xxx+|nobody|placeholder)\d{0,3}@(?:[\w-]{1,40}\.){0,2}(?:example(?:\.\w{2,10})?|test|domain\.com|company\.com|yourdomain\.\w{2,10}|your-?company\.\w{2,10}|foo\.com|mail\.com|email\.com)$/i
const commands = /(?:\b(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id)\b[^\n@]{0,40}|git clone )$/
const bracketed =
  /[\w.+-]{2,64} ?[([{] ?at ?[)\]}] ?[\w-]{1,63}(?: ?(?:\.|[([{] ?(?:dot|punkt|point|punto) ?[)\]}]) ?[a-z][\w-]{0,62}){1,4}/i

/**
 * Maximum candidates that are checked. A check takes one to two microseconds, and a memory of half a megabyte can have
 * 100,000 candidates. A text with more candidates is treated as containing an address.
 */
const maxCandidates = 5_000

/** Whether a text contains an e-mail address, with @ or with a bracketed (at). */
export const hasEmail = (text: string): boolean => {
  let candidates = 0
  for (let index = text.indexOf("@"); index >= 0; index = text.indexOf("@", index + 1)) {
    let start = index
    while (start > 0 && index - start < 65 && isIn(localCharacters, text.charCodeAt(start - 1))) start--
    let end = index + 1
    let hasDot = false
    for (; end < text.length && end - index < 255 && isIn(hostCharacters, text.charCodeAt(end)); end++) {
      if (text.charCodeAt(end) === dot) hasDot = true
    }
    if (start < index && hasDot && end > index + 3) {
      if (++candidates > maxCandidates || isAddress(text, start, index, end)) return true
    }
    // The host part contains no other @, so continue after it.
    index = Math.max(index, end - 1)
  }
  return /[([{] ?at/i.test(text) && bracketed.test(text)
}

const isAddress = (text: string, start: number, atSign: number, end: number): boolean => {
  const before = text.slice(Math.max(0, start - 48), start)
  // Not an address: user:password@host in a URL, or a path.
  if (before.endsWith(":") && !/mailto:$|mail:$|(?:^|[^\w/]):$|\p{L}:$/iu.test(before)) return false
  const name = text.slice(start, atSign).replace(/^[!#$%&'*+/=?^`{|}~.-]+/, "")
  const domain = text.slice(atSign + 1, end).replace(/[.-]+$/, "")
  if (
    name === "" ||
    name.endsWith(".") ||
    /\/\//.test(text.slice(Math.max(0, start - 1), atSign)) ||
    name.includes("/")
  )
    return false
  if (/:\/\/[^\s@]{0,48}$/.test(before) || commands.test(before)) return false
  // Not an address: git@github.com:team/repository.git.
  if (text[end] === ":" && /^[\w~./-]{2}/.test(text.slice(end + 1)) && /^(?:git|hg|svn|deploy)$/.test(name))
    return false
  if (!/\.(?:\p{L}{2,24}|xn--[a-z0-9-]{2,40})$/iu.test(domain) || /\.\.|^[.-]/.test(domain) || notDomain.test(domain))
    return false
  return !placeholder.test(`${name}@${domain}`)
}
