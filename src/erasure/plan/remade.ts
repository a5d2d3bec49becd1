import { isDeepStrictEqual } from "node:util"
import type { Memory } from "../../../events/Memory.js"
import { memoryText } from "../../model/memoryText.js"

/** One after-image in the life of a memory that stays. */
export interface LifeStep {
  readonly version: number
  readonly image: Memory
  /** Whether the event wrote text of an erased source into the memory. */
  readonly tainted: boolean
  /** True if a caller wrote the memory; false if a rule made new text from the old text. */
  readonly written: boolean
}

const scalarFields = ["title", "narrative", "type", "importance", "occurredAt"] as const
const listFields = ["facts", "tags", "people", "files", "lineage"] as const

/**
 * Makes the after-images of a memory without the text of erased sources, by version. Each field has the value that the
 * other writers gave it. Text that a rule made from erased text is removed too. After-images before the first erased
 * text are omitted.
 */
export const remakeImages = (
  life: ReadonlyArray<LifeStep>,
  countTokens: (text: string) => number
): ReadonlyMap<number, Memory> => {
  const images = new Map<number, Memory>()
  const values = new Map<string, unknown>()
  const taintedFields = new Set<string>()
  let before: Memory | undefined
  for (const step of life) {
    const { image, tainted, version } = step
    for (const field of scalarFields) {
      if (before === undefined || !isDeepStrictEqual(before[field], image[field])) {
        const isErased = tainted || (taintedFields.has(field) && !step.written)
        if (isErased) taintedFields.add(field)
        else {
          taintedFields.delete(field)
          values.set(field, image[field])
        }
      }
    }
    for (const field of listFields)
      values.set(field, remainingList(step, before, field, values.get(field), taintedFields))
    before = image
    if (taintedFields.size > 0) images.set(version, imageWith(image, values, countTokens))
  }
  return images
}

/** The entries that other writers added to a list and that nobody removed. */
const remainingList = (
  { image, tainted, written }: LifeStep,
  before: Memory | undefined,
  field: (typeof listFields)[number],
  remaining: unknown,
  taintedFields: Set<string>
): ReadonlyArray<unknown> => {
  const [old, next]: ReadonlyArray<ReadonlyArray<unknown>> = [before?.[field] ?? [], image[field] ?? []]
  if (before === undefined) return next!
  const left = (remaining ?? []) as ReadonlyArray<unknown>
  if (isDeepStrictEqual(old, next)) return left
  const isIn = (list: ReadonlyArray<unknown>, entry: unknown) => list.some((other) => isDeepStrictEqual(other, entry))
  if (tainted) {
    taintedFields.add(field)
    return left
  }
  if (!taintedFields.has(field)) return next!
  const kept = left.filter((entry) => isIn(next!, entry) || !isIn(old!, entry))
  const added = written ? next!.filter((entry) => !isIn(old!, entry) && !isIn(kept, entry)) : []
  return [...kept, ...added]
}

const imageWith = (
  image: Memory,
  values: ReadonlyMap<string, unknown>,
  countTokens: (text: string) => number
): Memory => {
  const remade: Record<string, unknown> = { ...image }
  for (const field of [...scalarFields, ...listFields]) {
    const value = values.get(field)
    if (value === undefined || (field === "lineage" && (value as ReadonlyArray<unknown>).length === 0)) {
      delete remade[field]
    } else remade[field] = value
  }
  const memory = remade as unknown as Memory
  return { ...memory, tokens: countTokens(memoryText(memory)) }
}
