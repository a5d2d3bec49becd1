import { limits } from "../../src/model/limits.js"

/** A text as turns can store it: cut at the limit, and without lone surrogates and NUL characters. */
export const storable = (text: string, max: number = limits.turn): string =>
  text.slice(0, max).toWellFormed().replaceAll("\0", "\ufffd")
