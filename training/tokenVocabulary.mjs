// @ts-nocheck: a maintainers' tool.
// Writes assets/tokens.bin: the tokens of o200k, OpenAI's newest encoding, as an xor filter (Graf and Lemire, "Xor
// Filters", 2020), and the number of tokens of each character by itself. It takes them from the development dependency gpt-tokenizer. The output is reproducible byte by byte:
//
//   node training/tokenVocabulary.mjs
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import ranks from "gpt-tokenizer/bpeRanks/o200k_base"
import { encode } from "gpt-tokenizer/encoding/o200k_base"

const root = fileURLToPath(new URL("..", import.meta.url))
const { outputFiles } = await build({
  entryPoints: [join(root, "text/normalise/tokenVocabulary.ts")],
  bundle: true,
  platform: "node",
  format: "esm",
  write: false
})
const { countedCodePoints, emptyKey, extendKey, fingerprintOfKey, formatName, headerBytes, filterIndexOf } =
  await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`)

const decoder = new TextDecoder("utf-8", { fatal: true })
/** The text of a token; undefined if it ends within a character. */
const textOf = (rank) => {
  if (typeof rank === "string") return rank
  try {
    return decoder.decode(Uint8Array.from(rank))
  } catch {
    return undefined
  }
}

const keyOf = (text) => {
  let key = emptyKey
  for (let index = 0; index < text.length; index++) key = extendKey(key, text.charCodeAt(index))
  return key
}

/** Removes keys that have a place for themselves, until none is left; undefined if some are left. */
const orderOf = (keys, seed, part) => {
  const counts = new Uint32Array(3 * part)
  const sums = new Int32Array(3 * part)
  const places = (key) => [0, 1, 2].map((index) => filterIndexOf(key, seed, part, index))
  for (const key of keys) {
    for (const place of places(key)) {
      counts[place]++
      sums[place] ^= key
    }
  }
  const alone = [...counts.keys()].filter((place) => counts[place] === 1)
  const order = []
  while (alone.length > 0) {
    const place = alone.pop()
    if (counts[place] !== 1) continue
    const key = sums[place]
    order.push([key, place])
    for (const other of places(key)) {
      counts[other]--
      sums[other] ^= key
      if (counts[other] === 1) alone.push(other)
    }
  }
  return order.length === keys.length ? order : undefined
}

/** Two bits for each code point: the tokens of the character by itself, less one. */
const signs = new Uint8Array(countedCodePoints / 4)
for (let codePoint = 0; codePoint < countedCodePoints; codePoint++) {
  const isSurrogate = codePoint >= 0xd800 && codePoint < 0xe000
  const tokens = encode(isSurrogate ? "\ufffd" : String.fromCodePoint(codePoint)).length
  signs[codePoint >> 2] |= (tokens - 1) << (2 * (codePoint & 3))
}

const keys = [...new Set(ranks.map(textOf).filter(Boolean).map(keyOf))]
const part = Math.floor((1.23 * keys.length + 32) / 3)
for (let seed = 1; ; seed++) {
  const order = orderOf(keys, seed, part)
  if (order === undefined) continue
  const bytes = new Uint8Array(3 * part)
  for (const [key, place] of order.reverse()) {
    const others = [0, 1, 2].reduce((value, index) => value ^ bytes[filterIndexOf(key, seed, part, index)], 0)
    bytes[place] = fingerprintOfKey(key, seed) ^ others
  }
  const header = Buffer.alloc(headerBytes)
  header.write(formatName, "latin1")
  header.writeInt32LE(seed, 8)
  header.writeUInt32LE(part, 12)
  writeFileSync(join(root, "assets/tokens.bin"), Buffer.concat([header, bytes, signs]))
  console.log(`${keys.length} tokens, ${header.length + bytes.length + signs.length} bytes, seed ${seed}`)
  break
}
