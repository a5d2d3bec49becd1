import { limits } from "../../src/model/limits.js"

/** Makes a text storable in a turn: cuts it at the limit, and replaces lone surrogates and NUL characters. */
export const toStorableText = (text: string, max: number = limits.turn): string =>
  text.slice(0, max).toWellFormed().replaceAll("\0", "\ufffd")
