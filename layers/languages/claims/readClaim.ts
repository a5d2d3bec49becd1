import type { Statement } from "../../../src/ports/Reconciler.js"
import type { Claim, ClaimValue, ClaimWord, Status } from "./Claim.js"
import type { Cue } from "./LanguageWords.js"
import type { Lexicon } from "./lexicon.js"
import { type Token, tokensOf } from "./tokens.js"
import { type Value, valueAt } from "./values.js"

/** Limits: characters of the title, a fact, the narrative and the whole text; number of facts, words and values. */
const maxRead = { title: 300, fact: 200, narrative: 300, all: 600, facts: 12, words: 60, values: 24 }
/** The weight of words that many clauses share. */
const light = 0.3
/** Minimum words of a quotation; shorter quoted text is a name. */
const minQuoted = 3

const openCues = ["question", "said", "maybe", "plan", "temporary"] as const

interface Clause {
  readonly tokens: ReadonlyArray<Token>
  readonly cues: ReadonlySet<Cue>
  readonly isDenied: boolean
}

interface Draft {
  readonly words: Map<string, ClaimWord>
  readonly values: Array<ClaimValue>
  readonly cues: Set<Cue>
  state: Claim["state"]
  isHedged: boolean
}

/** Reads the claim of a memory or a statement. */
export const readClaim = ({ facts, narrative = "", title }: Statement, lexicon: Lexicon): Claim => {
  const draft: Draft = { words: new Map(), values: [], cues: new Set(), state: undefined, isHedged: false }
  const titleText = title.slice(0, maxRead.title)
  const open = takeText(draft, titleText, lexicon)
  const ofTitle = { title: new Map(draft.words), titleValues: [...draft.values], titleCues: new Set(draft.cues) }
  const titleState = draft.state
  let left = maxRead.all - titleText.length
  const rest = [
    ...facts.slice(0, maxRead.facts).map((fact) => [fact, maxRead.fact] as const),
    [narrative, maxRead.narrative] as const
  ]
  for (const [text, max] of rest) {
    if (left <= 0) break
    takeText(draft, text.slice(0, Math.min(max, left)), lexicon)
    left -= Math.min(text.length, max)
  }
  return {
    ...draft,
    ...ofTitle,
    state: titleState,
    open,
    facts: facts.length,
    isList: facts.length > 1 || enumeration.test(title)
  }
}

const enumeration =
  /[,、，].*[,、，]|[,、，].* (?:und|et|y|e) |[:：].*[,、，]|\p{Lu}\p{L}+ (?:und|et|y|e) \p{Lu}|[和跟与、]/u

/** Adds a text to a draft. Returns the reason why the text is not a fact that is true now; undefined if it is one. */
const takeText = (draft: Draft, text: string, lexicon: Lexicon): Claim["open"] => {
  const sentences = sentencesOf(tokensOf(text, lexicon)).map((sentence) => {
    const clauses = clausesOf(sentence, lexicon)
    const cues = new Set(clauses.flatMap((clause) => [...clause.cues]))
    if (cues.has("today"))
      cues.add(cues.has("past") || cues.has("changed") || cues.has("state") ? "changed" : "temporary")
    if (isQuoted(sentence)) cues.add("said")
    // "For six years" bounds the past, not the present.
    const present = clauses.filter((clause) => !clause.cues.has("past"))
    const isOpen = (cue: Cue) =>
      cues.has(cue) &&
      // A thing that is done stays done.
      (cue !== "temporary" || !cues.has("state")) &&
      (cue !== "temporary" ||
        !clauses.some((clause) => clause.cues.has(cue)) ||
        present.some((clause) => clause.cues.has(cue)))
    return { clauses, cues, open: openCues.find(isOpen) }
  })
  if (sentences.some(({ open }) => open !== undefined)) draft.isHedged = true
  const stated = sentences.filter(({ open }) => open === undefined)
  const isPresent = stated.some(({ clauses }) => clauses.some(({ cues }) => !cues.has("past")))
  const taken = stated.length > 0 ? stated : sentences
  for (const [index, { clauses, cues, open }] of taken.entries()) {
    if (open === undefined) for (const cue of cues) draft.cues.add(cue)
    for (const [at, clause] of clauses.entries())
      takeClause(draft, clause, lexicon, {
        isFirst: index === 0 && at === 0,
        isFormer: isPresent && clause.cues.has("past")
      })
  }
  return stated.length === 0 ? sentences[0]?.open : isPresent ? undefined : "past"
}

const sentencesOf = (tokens: ReadonlyArray<Token>): ReadonlyArray<ReadonlyArray<Token>> => {
  const sentences: Array<Array<Token>> = [[]]
  for (const [index, token] of tokens.entries()) {
    sentences.at(-1)!.push(token)
    const isAbbreviated = token.mark === "." && (tokens[index - 1]?.form.length ?? 0) <= 2
    if (/^[.!?;\n。！？；]$/u.test(token.mark ?? "") && !isAbbreviated) sentences.push([])
  }
  return sentences.filter((sentence) => sentence.some(({ mark }) => mark === undefined))
}

/** True if a sentence quotes somebody. */
const isQuoted = (sentence: ReadonlyArray<Token>): boolean => {
  const quotes = sentence.flatMap(({ mark }, index) => (/^["“”„«»「」『』]$/u.test(mark ?? "") ? [index] : []))
  return quotes.length > 0 && (quotes[1] ?? sentence.length) - quotes[0]! > minQuoted
}

const clausesOf = (sentence: ReadonlyArray<Token>, { words }: Lexicon): ReadonlyArray<Clause> => {
  const [first, later] = words.endedAfterNot.map((list) => new Set(list.split(" ")))
  const parts: Array<Array<Token>> = [[]]
  for (const token of sentence) {
    const isBorder = /^[,，–—()（）]$/u.test(token.mark ?? "") || token.entry?.cue === "but"
    if (!isBorder) parts.at(-1)!.push(token)
    else if (parts.at(-1)!.length > 0) parts.push([])
  }
  return parts.map((tokens) => {
    const cues = new Set<Cue>(tokens.flatMap(({ entry }) => entry?.cue ?? []))
    if (tokens.some(({ entry }) => entry?.state === "done")) cues.add("state")
    if (tokens.some(({ mark }) => /^[?？¿]$/u.test(mark ?? ""))) cues.add("question")
    const start = tokens.findIndex(({ form }) => first!.has(form))
    if (start >= 0 && tokens.slice(start + 1).some(({ form }) => later!.has(form))) cues.add("ended")
    const isDenied = cues.has("ended") || tokens.filter(({ entry }) => entry?.cue === "not").length % 2 === 1
    return { tokens, cues, isDenied }
  })
}

const isLink = ({ entry, mark }: Token): boolean => entry?.link !== undefined || mark === ":" || mark === "："

/** True if a token has content. */
const isContent = ({ entry, mark, number }: Token): boolean =>
  mark === undefined &&
  number === undefined &&
  entry?.unit === undefined &&
  entry?.month === undefined &&
  entry?.minutes === undefined &&
  entry?.clock !== true &&
  entry?.link !== "copula" &&
  (entry?.canon !== undefined ||
    entry?.link !== undefined ||
    (entry?.empty !== true && entry?.cue === undefined && entry?.state === undefined))

const takeClause = (
  draft: Draft,
  { cues, isDenied, tokens }: Clause,
  lexicon: Lexicon,
  { isFirst, isFormer }: { readonly isFirst: boolean; readonly isFormer: boolean }
): void => {
  const ofClause: Status = isFormer ? "former" : isDenied ? "denied" : "stated"
  const [from, to] = lexicon.words.fromTo.map((words) => new Set(words.split(" ")))
  const firstLink = tokens.findIndex(isLink)
  let status = ofClause
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]!
    const { entry, form, mark } = token
    if (entry?.state !== undefined && !isFormer && !isDenied) draft.state ??= entry.state
    if (entry?.cue === "former" || (cues.has("changed") && from!.has(form))) status = "former"
    else if (status !== ofClause && (to!.has(form) || entry?.link !== undefined || mark !== undefined))
      status = ofClause
    const value: Value | undefined = valueAt(tokens, index)
    if (value !== undefined) {
      const { kind, length, value: text } = value
      if (draft.values.length < maxRead.values)
        draft.values.push({ kind, value: text, status, label: index < firstLink && kind === "number" })
      index += length - 1
      continue
    }
    if (!isContent(token)) continue
    const key = entry?.speaker ? "§" : (entry?.canon ?? lexicon.stemOf(form))
    const known = draft.words.get(key)
    if (known === undefined ? draft.words.size >= maxRead.words : known.status === "stated" || status !== "stated")
      continue
    const isLight = entry?.link !== undefined || entry?.speaker === true
    draft.words.set(key, {
      key,
      weight: isLight ? light : lexicon.words.unspaced !== undefined && form.length === 1 ? 0.5 : 1,
      status,
      subject: known?.subject ?? (isFirst && index < firstLink),
      scope: entry?.scope === true,
      opposite: entry?.opposite === true
    })
  }
}
