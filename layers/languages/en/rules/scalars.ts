/** A number, a day or a time of day. A day has only the fields that the text names. */
export interface Scalar {
  readonly kind: "quantity" | "version" | "clock" | "day"
  /** A quantity in the base unit of its dimension; a clock time in minutes since midnight. */
  readonly amount?: number
  /** The dimension of the unit, or the stem of the noun that is counted; "" for a bare number. */
  readonly unit?: string
  /** The word before it: port 5432, version 3. */
  readonly head?: string
  /** The parts of a version or a bare number, the most significant first. */
  readonly parts?: ReadonlyArray<string>
  readonly year?: number
  readonly quarter?: number
  readonly month?: number
  readonly day?: number
  readonly week?: number
  readonly weekday?: number
  /** Approximately. */
  readonly isApproximate?: boolean
  /** At least, or at most. */
  readonly bound?: "least" | "most"
}

/** A key that is equal for scalars with the same figures, whatever their unit. */
export const keyOf = ({ amount, day, month, parts, quarter, week, weekday, year }: Scalar): string =>
  [amount, parts?.join("."), year, month, day, weekday, quarter, week].join(" ")

/** The relation of two values: equal, more exact, less exact, another value of one attribute, not comparable. */
export type ScalarRelation = "equal" | "finer" | "coarser" | "differs" | "apart"

/** The relation of `b` to `a`. */
export const relationOf = (a: Scalar, b: Scalar): ScalarRelation => {
  if (a.kind === "day" && b.kind === "day") return dayRelation(a, b)
  if (a.kind === "clock" && b.kind === "clock") return a.amount === b.amount ? "equal" : "differs"
  if (a.kind === "version" && b.kind === "version") return versionRelation(a.parts!, b.parts!)
  if (a.kind === "version" && b.kind === "quantity") return versionRelation(a.parts!, b.parts ?? [])
  if (a.kind === "quantity" && b.kind === "version") return versionRelation(a.parts ?? [], b.parts!)
  if (a.kind !== "quantity" || b.kind !== "quantity") return "apart"
  if (a.unit !== b.unit && a.unit !== "" && b.unit !== "") return "apart"
  if (isClose(a.amount!, b.amount!, 1e-6)) return "equal"
  if ((a.isApproximate === true || b.isApproximate === true) && isClose(a.amount!, b.amount!, tolerance)) {
    return a.isApproximate === b.isApproximate ? "equal" : a.isApproximate === true ? "finer" : "coarser"
  }
  if (a.bound !== b.bound && (satisfies(a, b) || satisfies(b, a))) return b.bound === undefined ? "finer" : "coarser"
  // Numbers after the same name may be versions: Node 20, Node 20.11.
  if (a.parts !== undefined && b.parts !== undefined && a.head !== undefined && a.head === b.head)
    return versionRelation(a.parts, b.parts)
  return "differs"
}

/** Whether an exact amount satisfies a bound and is close to it: "over 300" and 318. */
const satisfies = ({ amount: limit, bound }: Scalar, { amount, bound: ownBound }: Scalar): boolean =>
  ownBound === undefined &&
  ((bound === "least" && amount! >= limit! && amount! <= limit! * maxRatio) ||
    (bound === "most" && amount! <= limit! && amount! >= limit! / maxRatio))
const maxRatio = 1.5

/** The tolerance of "about", as a fraction of the amount. */
const tolerance = 0.1
const isClose = (a: number, b: number, share: number) => Math.abs(a - b) <= share * Math.max(Math.abs(a), Math.abs(b))

const versionRelation = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): ScalarRelation => {
  const shared = Math.min(a.length, b.length)
  if (shared === 0) return "apart"
  for (let index = 0; index < shared; index++) if (a[index] !== b[index]) return "differs"
  return a.length === b.length ? "equal" : a.length < b.length ? "finer" : "coarser"
}

const fields = ["year", "quarter", "month", "day", "week", "weekday"] as const

const dayRelation = (a: Scalar, b: Scalar): ScalarRelation => {
  let shared = 0
  let finer = 0
  let coarser = 0
  for (const field of fields) {
    const [x, y] = [a[field], b[field]]
    if (x !== undefined && y !== undefined) {
      if (x !== y) return "differs"
      shared++
    } else if (y !== undefined) finer++
    else if (x !== undefined) coarser++
  }
  if (shared === 0) return "apart"
  return finer > 0 && coarser === 0 ? "finer" : coarser > 0 && finer === 0 ? "coarser" : "equal"
}
