/**
 * Copies a text that a cache keeps. V8 stores a part of a text, from 13 characters on, as a reference to the whole text.
 * A cached word would therefore keep a memory of half a megabyte alive.
 */
export const ownText = (text: string): string =>
  text.length < minPart ? text : (JSON.parse(JSON.stringify(text)) as string)

const minPart = 13
