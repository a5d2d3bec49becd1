/**
 * Describes which parts of a payload an erasure keeps, without repeating their text. Each part is a reference to a
 * place in the old payload. The ledger of erasures contains these descriptions. If a restored backup brings the old
 * payload back, they reduce it again.
 */
export type KeptParts =
  /** The part of the old payload at this path. */
  | { readonly at: Path }
  /**
   * The items of the old array at this path, from index `from` up to but not including `to`. Only allowed within
   * `items`.
   */
  | { readonly slice: Path; readonly from: number; readonly to: number }
  | { readonly items: ReadonlyArray<KeptParts> }
  | { readonly fields: Readonly<Record<string, KeptParts>> }
  /** A value that is not in the old payload. It is never free text: a string must satisfy `isWord`. */
  | { readonly value: number | boolean | null | string }

type Path = ReadonlyArray<string | number>

/**
 * Describes `kept` by parts of `old`. Undefined if that would need text from elsewhere; then nothing can be kept after
 * a restore.
 */
export const describeKeptParts = (old: unknown, kept: unknown): KeptParts | undefined => {
  const places = new Map<string, Path>()
  addPlaces(places, old, [])
  const parts = describe(old, places, kept, [])
  return parts !== undefined && JSON.stringify(rebuildKeptContent(old, parts)) === JSON.stringify(kept)
    ? parts
    : undefined
}

/** Rebuilds the kept content from the old payload. A value is undefined if the old payload has no such place. */
export const rebuildKeptContent = (old: unknown, parts: KeptParts): unknown => {
  if ("at" in parts) return valueAt(old, parts.at)
  if ("value" in parts) return parts.value
  if ("slice" in parts) return undefined
  if ("fields" in parts) {
    return Object.fromEntries(Object.entries(parts.fields).map(([name, part]) => [name, rebuildKeptContent(old, part)]))
  }
  return parts.items.flatMap((part) => {
    if (!("slice" in part)) return [rebuildKeptContent(old, part)]
    const items = valueAt(old, part.slice)
    return Array.isArray(items) ? items.slice(part.from, part.to) : []
  })
}

/**
 * True for a name that can be a field name of the catalogue. A longer name, or a name with other characters, could be
 * text from a user.
 */
const isFieldName = (name: string | number): boolean => typeof name === "number" || /^[A-Za-z]{1,24}$/.test(name)

/** True for a word that the program itself can write, such as a reason. */
const isWord = (text: string): boolean => /^[a-z]{0,16}$/.test(text)

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inner, name) =>
      typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value
  )

const addPlaces = (places: Map<string, Path>, value: unknown, path: Path): void => {
  if (!path.every(isFieldName)) return
  if (typeof value === "string") places.set(JSON.stringify(value), path)
  if (typeof value !== "object" || value === null) return
  const key = JSON.stringify(value)
  if (!places.has(key)) places.set(key, path)
  for (const [name, inner] of Array.isArray(value) ? value.entries() : Object.entries(value))
    addPlaces(places, inner, [...path, name])
}

const describe = (
  old: unknown,
  places: ReadonlyMap<string, Path>,
  kept: unknown,
  path: Path
): KeptParts | undefined => {
  const text = JSON.stringify(kept)
  const isStructure = typeof kept === "object" && kept !== null
  if (isStructure || typeof kept === "string") {
    const at = path.every(isFieldName) && JSON.stringify(valueAt(old, path)) === text ? path : places.get(text)
    if (at !== undefined) return { at }
  }
  if (typeof kept === "string") return isWord(kept) ? { value: kept } : undefined
  if (!isStructure) return { value: kept as number | boolean | null }
  if (Array.isArray(kept)) {
    const items = kept.map((item, index) => describe(old, places, item, [...path, index]))
    return items.includes(undefined) ? undefined : { items: joined(items as Array<KeptParts>) }
  }
  const fields: Record<string, KeptParts> = {}
  for (const [name, value] of Object.entries(kept)) {
    const part = isFieldName(name) ? describe(old, places, value, [...path, name]) : undefined
    if (part === undefined) return undefined
    fields[name] = part
  }
  return { fields }
}

/** Joins references to consecutive items of an array into one slice. */
const joined = (items: ReadonlyArray<KeptParts>): ReadonlyArray<KeptParts> => {
  const parts: Array<KeptParts> = []
  for (const item of items) {
    const index = "at" in item ? item.at.at(-1) : undefined
    if (!("at" in item) || typeof index !== "number") {
      parts.push(item)
      continue
    }
    const slice = item.at.slice(0, -1)
    const last = parts.at(-1)
    if (
      last !== undefined &&
      "slice" in last &&
      last.to === index &&
      JSON.stringify(last.slice) === JSON.stringify(slice)
    )
      parts[parts.length - 1] = { ...last, to: index + 1 }
    else parts.push({ slice, from: index, to: index + 1 })
  }
  return parts
}
