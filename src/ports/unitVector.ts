/** The same direction with length 1, in place; undefined where there is none, null where a value is not finite. */
export const unitVector = (vector: Float32Array): Float32Array | undefined | null => {
  let squares = 0
  for (let at = 0; at < vector.length; at++) squares += vector[at]! * vector[at]!
  if (!Number.isFinite(squares)) return null
  if (squares === 0) return undefined
  const scale = 1 / Math.sqrt(squares)
  for (let at = 0; at < vector.length; at++) vector[at]! *= scale
  return vector
}
