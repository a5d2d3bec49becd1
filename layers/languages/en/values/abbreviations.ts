/** A word of a text, in lower case. `amount`: its value, if the word is a number. */
export interface TextWord {
  readonly form: string
  readonly canon: string
  readonly isFunctionWord: boolean
  /** The word begins with a capital letter. */
  readonly isName?: boolean
  readonly amount?: number | undefined
}

/** The words of a text in order, and the abbreviations that it defines: "non-disclosure agreement (NDA)". */
export interface WordSequence {
  readonly words: ReadonlyArray<TextWord>
  /** The canonical forms of the words in each definition, by the canonical form of its abbreviation. */
  readonly definitions: ReadonlyMap<string, ReadonlyArray<string>>
}

/** Maximum letters of an abbreviation. */
const maxLength = 6
const maxSkipped = 2

/**
 * The words of a text that an abbreviation stands for, by their canonical forms: initials (ENT: ear, nose and throat),
 * a letter and a number (B3: bed 3), a numeronym (i18n), a clipping (appt, temp). Undefined if there are none.
 */
export const expansionOf = (
  { canon, form }: Pick<TextWord, "canon" | "form">,
  { definitions, words }: WordSequence,
  learnt: ReadonlyMap<string, ReadonlyArray<string>>
): ReadonlyArray<string> | undefined => {
  const defined = definitions.get(canon) ?? learnt.get(canon)
  if (defined?.every((other) => words.some(({ canon }) => canon === other)) === true) return defined
  // An abbreviation of one letter is the initial of a name: "J." for "Jonas".
  if (form.length === 1) {
    const name = words.find(({ form: other, isName }) => isName === true && other.length > 2 && other[0] === form)
    return name && [name.canon]
  }
  if (form.length > maxLength) return undefined
  const numbered = /^([a-z]{1,2})(\d{1,4})$/.exec(form)
  if (numbered !== null) return numberedThing(numbered[1]!, Number(numbered[2]), words)
  const numeronym = /^([a-z])(\d{1,2})([a-z]{1,2})$/.exec(form)
  if (numeronym !== null) {
    const [, first, count, last] = numeronym as unknown as [string, string, string, string]
    const length = 1 + Number(count) + last.length
    const word = words.find(({ form }) => form.length === length && form.startsWith(first) && form.endsWith(last))
    return word && [word.canon]
  }
  if (!/^[a-z]+$/.test(form)) return undefined
  return initialsOf(form, words) ?? clippingOf(form, words)
}

const numberedThing = (letters: string, number: number, words: ReadonlyArray<TextWord>) => {
  const at = words.findIndex(
    ({ form }, index) => form.length > letters.length && form.startsWith(letters) && words[index + 1]?.amount === number
  )
  return at === -1 ? undefined : [words[at]!.canon]
}

/** Finds consecutive words with these initials. Up to two function words between them may be skipped. */
const initialsOf = (letters: string, words: ReadonlyArray<TextWord>): ReadonlyArray<string> | undefined => {
  for (let start = 0; start + letters.length <= words.length; start++) {
    if (words[start]!.form[0] !== letters[0] || words[start]!.isFunctionWord) continue
    const canons = [words[start]!.canon]
    let skipped = 0
    for (let index = start + 1; index < words.length && canons.length < letters.length; index++) {
      const { canon, form, isFunctionWord } = words[index]!
      if (form[0] === letters[canons.length]) canons.push(canon)
      else if (!isFunctionWord || ++skipped > maxSkipped) break
    }
    if (canons.length === letters.length) return canons
  }
  return undefined
}

/**
 * Finds a longer word that is clipped to these letters: it begins with them (temp), begins with all but the last and
 * ends with the last, or has them in order and they leave out its vowels (appt, rec'd).
 */
const clippingOf = (letters: string, words: ReadonlyArray<TextWord>): ReadonlyArray<string> | undefined => {
  if (letters.length < 3) return undefined
  const word = words.find(
    ({ form }) =>
      form.length >= letters.length + 2 &&
      (form.startsWith(letters) ||
        (letters.length > 3 && form.startsWith(letters.slice(0, -1)) && form.endsWith(letters.at(-1)!)) ||
        (!/[aeiou]/.test(letters.slice(1)) && isSpelledBy(letters, form)))
  )
  return word && [word.canon]
}

/** True if the word begins with the first of the letters and contains the others in the same order. */
const isSpelledBy = (letters: string, word: string): boolean => {
  if (word[0] !== letters[0]) return false
  let at = 0
  for (const letter of word) if (letter === letters[at]) at++
  return at === letters.length
}
