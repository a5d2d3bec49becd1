/** Normalises a vector to length 1, in place. Undefined for a zero vector; null if a value is not finite. */
export const normalizeVector = (vector: Float32Array): Float32Array | undefined | null => {
  let squares = 0
  for (let index = 0; index < vector.length; index++) squares += vector[index]! * vector[index]!
  if (!Number.isFinite(squares)) return null
  if (squares === 0) return undefined
  const scale = 1 / Math.sqrt(squares)
  for (let index = 0; index < vector.length; index++) vector[index]! *= scale
  return vector
}
