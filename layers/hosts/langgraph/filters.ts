import type { ListNamespacesOperation, MatchCondition } from "@langchain/langgraph-checkpoint"

/** The operators of a filter. Each compares the item's value with the filter's operand. */
const operators: Readonly<Record<string, (value: unknown, operand: unknown) => boolean>> = {
  $eq: (value, operand) => value === operand,
  $ne: (value, operand) => value !== operand,
  $gt: (value, operand) => Number(value) > Number(operand),
  $gte: (value, operand) => Number(value) >= Number(operand),
  $lt: (value, operand) => Number(value) < Number(operand),
  $lte: (value, operand) => Number(value) <= Number(operand),
  $in: (value, operand) => Array.isArray(operand) && operand.includes(value),
  $nin: (value, operand) => !Array.isArray(operand) || !operand.includes(value)
}

/** True if a value meets a condition. The condition is an object of operators, or the expected value. */
export const matches = (value: unknown, condition: unknown): boolean => {
  if (typeof condition !== "object" || condition === null) return value === condition
  const entries = Object.entries(condition)
  if (!entries.every(([name]) => Object.hasOwn(operators, name))) return value === condition
  return entries.every(([name, operand]) => operators[name]!(value, operand))
}

/** The distinct namespaces that match all conditions, cut to `maxDepth` labels, in sorted order. */
export const namespacesOf = (
  namespaces: ReadonlyArray<ReadonlyArray<string>>,
  { limit, matchConditions = [], maxDepth, offset = 0 }: ListNamespacesOperation
): Array<Array<string>> => {
  const found = new Map<string, Array<string>>()
  for (const namespace of namespaces) {
    if (!matchConditions.every((condition) => fits(namespace, condition))) continue
    const labels = namespace.slice(0, maxDepth)
    found.set(labels.join(":"), labels)
  }
  const sorted = [...found].sort(([a], [b]) => a.localeCompare(b)).map(([, labels]) => labels)
  return sorted.slice(offset, offset + (limit ?? sorted.length))
}

const fits = (namespace: ReadonlyArray<string>, { matchType, path }: MatchCondition): boolean => {
  if (matchType !== "prefix" && matchType !== "suffix") throw new Error(`Unsupported match type: ${matchType}`)
  const start = matchType === "prefix" ? 0 : namespace.length - path.length
  return (
    path.length <= namespace.length && path.every((label, index) => label === "*" || namespace[start + index] === label)
  )
}
