import { readFileSync } from "node:fs"
import { assetFile } from "../assetFile.js"

/**
 * The tokens of a vocabulary, as an xor filter: one byte for about 0.8 tokens. The filter accepts every token, and
 * wrongly accepts one other text in 256. `training/tokenVocabulary.mjs` writes it to `assets/tokens.bin`.
 */
export interface TokenVocabulary {
  readonly seed: number
  /** The length of each of the three parts of `bytes`. */
  readonly part: number
  readonly bytes: Uint8Array
  /**
   * The number of tokens that each character takes by itself, minus one: two bits for each code point below
   * `countedCodePoints`.
   */
  readonly signs: Uint8Array
}

/** The key of the empty text. `extendKey` adds one UTF-16 unit. */
export const emptyKey = 0x811c9dc5

export const extendKey = (key: number, unit: number): number => {
  const mixed = Math.imul(key ^ unit, 0x9e3779b1)
  return mixed ^ (mixed >>> 15)
}

const mix = (key: number, seed: number): number => {
  let hash = Math.imul(key ^ seed, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The three places of a key, one in each part of the filter. */
export const filterIndexOf = (key: number, seed: number, part: number, index: 0 | 1 | 2): number =>
  index * part + Math.floor((mix(key, seed + index) / 4_294_967_296) * part)

export const fingerprintOfKey = (key: number, seed: number): number => mix(key, seed + 3) >>> 24

export const hasToken = ({ bytes, part, seed }: TokenVocabulary, key: number): boolean =>
  (bytes[filterIndexOf(key, seed, part, 0)]! ^
    bytes[filterIndexOf(key, seed, part, 1)]! ^
    bytes[filterIndexOf(key, seed, part, 2)]!) ===
  fingerprintOfKey(key, seed)

/**
 * The vocabulary contains the number of tokens of all code points below this: the planes of living scripts and of
 * emoji.
 */
export const countedCodePoints = 0x20000
const tokensOfRarest = 4

/** The number of tokens that one character takes by itself, by its code point: 1 to 4. */
export const tokensOfCharacter = ({ signs }: TokenVocabulary, codePoint: number): number =>
  codePoint < countedCodePoints ? 1 + ((signs[codePoint >> 2]! >> (2 * (codePoint & 3))) & 3) : tokensOfRarest

/** Size of the header: the format's name, the seed, and the length of a part. */
export const headerBytes = 16
export const formatName = "DBTOKEN2"

/** Reads the package's vocabulary, o200k. Undefined if the file is missing, as in a bundle without assets. */
export const loadVocabulary = (): TokenVocabulary | undefined => {
  const file = assetFile("tokens.bin")
  if (file === undefined) return undefined
  const content = readFileSync(file)
  const part = content.length < headerBytes ? 0 : content.readUInt32LE(12)
  const signsStart = headerBytes + 3 * part
  if (content.toString("latin1", 0, 8) !== formatName || content.length !== signsStart + countedCodePoints / 4)
    throw new Error("tokens.bin has an unknown format or is incomplete: reinstall the package")
  return {
    seed: content.readInt32LE(8),
    part,
    bytes: content.subarray(headerBytes, signsStart),
    signs: content.subarray(signsStart)
  }
}
