/** An item of a list: the canonical forms of its content words. */
export type ListItem = ReadonlySet<string>

/** A word or a punctuation mark. A conjunction ("and", "or", "plus") separates list items, just as a comma does. */
export interface ListToken {
  /** The canonical form of a content word; "" for other words. */
  readonly canon: string
  readonly mark?: string | undefined
  readonly isJoint: boolean
}

/** A list in a text: the words before its colon, and its items. */
export interface List {
  readonly key: ReadonlySet<string>
  readonly items: ReadonlyArray<ListItem>
}

const maxItems = 24
const maxItemWords = 4

/**
 * Finds the list in a text: short parts between commas, slashes, "and" or "or", after a colon if there is one.
 * Undefined if the list would have fewer than two items.
 */
export const listIn = (tokens: ReadonlyArray<ListToken>): List | undefined => {
  const colon = tokens.findIndex(({ mark }) => mark === ":" || mark === "=")
  const key = new Set<string>()
  for (let index = 0; index < colon; index++) if (tokens[index]!.canon !== "") key.add(tokens[index]!.canon)
  let items: Array<ListItem> = []
  let item = new Set<string>()
  let best: ReadonlyArray<ListItem> = []
  let separators = 0
  const close = () => {
    if (item.size > 0 && item.size <= maxItemWords && items.length < maxItems) items.push(item)
    item = new Set()
  }
  const closeRun = () => {
    close()
    if (items.length > best.length && separators > 0) best = items
    items = []
    separators = 0
  }
  for (const { canon, isJoint, mark } of tokens.slice(colon + 1)) {
    if (isJoint || mark === "," || mark === "/" || mark === "|") {
      close()
      separators++
    } else if (mark === undefined) {
      if (canon !== "") item.add(canon)
    } else if (/[.;:!?\n]/.test(mark)) closeRun()
  }
  closeRun()
  return best.length >= 2 ? { key, items: best } : undefined
}

/** The number of items whose words are all among `words`. */
export const countItemsAmong = (
  items: ReadonlyArray<ListItem>,
  words: { readonly has: (canon: string) => boolean }
): number => items.filter((item) => [...item].every((canon) => words.has(canon))).length
