import { compareValues, type ValueRelation } from "./relation.js"
import { isDimension } from "./units.js"
import type { Value } from "./Value.js"

/** The values of a text, and the numbers that identify things in the text, each with its noun. */
export interface ValuesOfText {
  readonly scalars: ReadonlyArray<Value>
  readonly labels: ReadonlyArray<readonly [head: string, label: string]>
}

type Figures = Record<string, number>

const names =
  "equal converted differs finer coarser day clock quantity bare version currency new gone relative passed" as const
const zeros: Figures = Object.fromEntries(names.split(" ").map((name) => [`s ${name}`, 0]))

/** Features of the values of a memory (`a`) and of a statement (`b`), which was said on the day `today`. */
export const valueFeatures = (a: ValuesOfText, b: ValuesOfText, today: number): Figures => {
  const f = { ...zeros }
  const add = (name: string) => {
    f[`s ${name}`] = Math.min(2, f[`s ${name}`]! + 1)
  }
  const matched = new Set<Value>()
  let distance = 0
  for (const y of b.scalars) {
    const match = closestTo(y, a.scalars)
    if (match === undefined) {
      add("new")
      continue
    }
    const [relation, x] = match
    matched.add(x)
    add(relation)
    if (relation === "equal" && x.form !== y.form) add("converted")
    if (y.isRelative === true && relation === "equal") add("relative")
    if (relation !== "differs") continue
    add(kindOf(x, y))
    if (x.days !== undefined && y.days !== undefined) distance = Math.max(distance, Math.abs(x.days[0] - y.days[0]))
  }
  for (const x of a.scalars) {
    if (!matched.has(x) && closestTo(x, b.scalars) === undefined) add("gone")
    // "The plumber comes on Friday" is over on Saturday. Days without a year or a modifier may recur.
    if (x.days !== undefined && (x.isRelative === true || x.year !== undefined) && x.days[1] <= today) add("passed")
  }
  return {
    ...f,
    ...labelFeatures(a, b),
    "s of a": Math.min(a.scalars.length, 4),
    "s of b": Math.min(b.scalars.length, 4),
    "s contradicts": f["s differs"]! > 0 && f["s equal"] === 0 ? 1 : 0,
    "s distance": Math.min(6, Math.log1p(distance)),
    "s all equal": b.scalars.length > 0 && f["s new"]! + f["s differs"]! + f["s finer"]! + f["s coarser"]! === 0 ? 1 : 0
  }
}

const ranks: ReadonlyArray<ValueRelation> = ["equal", "finer", "coarser", "differs"]

/** The value that is closest to `value`, and the relation of `value` to it. */
const closestTo = (value: Value, others: ReadonlyArray<Value>): readonly [ValueRelation, Value] | undefined => {
  let best: readonly [ValueRelation, Value] | undefined
  for (const other of others) {
    const relation = compareValues(other, value)
    if (relation === "apart") continue
    if (best === undefined || ranks.indexOf(relation) < ranks.indexOf(best[0])) best = [relation, other]
  }
  return best
}

const kindOf = (x: Value, y: Value): string => {
  if (y.kind !== "quantity") return y.kind
  if (x.unit !== y.unit && isDimension(x.unit) && isDimension(y.unit)) return "currency"
  return x.unit !== "" && x.unit === y.unit ? "quantity" : "bare"
}

const labelFeatures = (a: ValuesOfText, b: ValuesOfText): Figures => {
  let [same, other] = [0, 0]
  for (const [head, label] of b.labels)
    for (const [otherHead, otherLabel] of a.labels)
      if (label === otherLabel) same++
      else if (head === otherHead) other++
  return {
    "label same": Math.min(same, 2),
    "label other": Math.min(other, 2),
    "label new": b.labels.length > 0 && a.labels.length === 0 ? 1 : 0
  }
}
