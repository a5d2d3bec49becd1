/**
 * Makes a value on first use. For tables and patterns that a short command may never need: V8 takes 0.3 ms for each
 * `\p{…}` of a pattern when it evaluates the literal.
 */
export const lazy = <A extends object>(make: () => A): (() => A) => {
  let value: A | undefined
  return () => {
    value ??= make()
    return value
  }
}
