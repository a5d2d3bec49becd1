/** Values that an erasure removed from the rows of a log. */
export interface ErasedValues {
  readonly values: ReadonlyArray<Uint8Array>
  /** The names of the streams that contained the values. Other rows of these streams keep the stream name. */
  readonly streams: ReadonlyArray<string>
  /** The last line of the ledger before the erasure. `line` is the line of the erasure itself. */
  readonly after: number
  readonly line: number
  /** True if no earlier erasure was waiting for its cleaning. */
  readonly isFirst: boolean
}

/**
 * The values that were erased since the last cleaning of a log. A cleaning uses them to prove that no page contains a
 * copy. Only the process that erased the values has them, in memory.
 */
export interface UncleanedValues {
  /** Adds an erasure of this process. Pass undefined if its values are not known. */
  readonly add: (erased: ErasedValues | undefined) => void
  /**
   * The values erased up to a line of the ledger. Undefined if there are too many values, or if another process erased
   * some of them.
   */
  readonly upTo: (line: number) => Pick<ErasedValues, "streams" | "values"> | undefined
  readonly clear: () => void
}

/**
 * Maximum bytes of values that are kept in memory. After a larger erasure, a rewrite is worth its cost, because it
 * makes the file much smaller.
 */
const maxBytes = 1 << 20

/** Collects the values of an erasure, up to the maximum. */
export const collectValues = () => {
  const values: Array<Uint8Array> = []
  let bytes = 0
  return {
    add: (value: unknown): void => {
      if (value === null || bytes > maxBytes) return
      if (typeof value !== "string" && !(value instanceof Uint8Array)) {
        // The value is not known, or it has a wrong type in a damaged row.
        bytes = Number.POSITIVE_INFINITY
        return
      }
      const copy = Buffer.from(value)
      bytes += copy.length
      values.push(copy)
    },
    /** The collected values. Undefined if there are too many of them or if one of them is not known. */
    all: (): ReadonlyArray<Uint8Array> | undefined => (bytes > maxBytes ? undefined : values)
  }
}

export const makeUncleanedValues = (): UncleanedValues => {
  let known: ErasedValues | undefined
  const joined = (erased: ErasedValues): ErasedValues | undefined => {
    if (erased.isFirst) return erased
    if (known?.line !== erased.after) return undefined
    const collected = collectValues()
    for (const value of [...known.values, ...erased.values]) collected.add(value)
    const values = collected.all()
    return values && { ...erased, values, streams: [...new Set([...known.streams, ...erased.streams])] }
  }
  return {
    add: (erased) => {
      known = erased && joined(erased)
    },
    upTo: (line) => (known?.line === line ? known : undefined),
    clear: () => {
      known = undefined
    }
  }
}
