// @ts-nocheck: a tool of the maintainers.
// Makes assets/rules.json, the weights of the rules, from the labelled stories that are for tuning; the same stories and
// the same code make the same file, byte by byte. Run when the rules read something else of a text, or when there are
// more stories; never when the project is built:
//
//   node training/trainRules.mjs          trains on all of them and writes the file
//   node training/trainRules.mjs --cv     how it does on writers it has not seen: each left out in turn
//
// It names the sets that it reads; what was kept back from it is only measured.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build } from "esbuild"
import { likely, train } from "./rules/boost.mjs"
import { counted, figuresOf, summed, tablesOf } from "./rules/phrases.mjs"
import { actions, byKind, confusion, line } from "./rules/report.mjs"
import { storiesOf } from "./rules/topics.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = join(root, "training/stories")
const files = [
  "own-short",
  "own-rules",
  "tune",
  "kept",
  "tune-work",
  "tune-life",
  "tune-2",
  "kept-2",
  "tune-3",
  "tune-4",
  "tune-5",
  "tune-6",
  "tune-short"
]
/** Who wrote what: both halves of a set are of the same writers, the second set is of four, told by how ids begin. */
const writerOf = (file, id) =>
  /^(?:tune|kept)-2$/.test(file) ? `set 2 ${id.slice(0, 2)}` : file === "kept" ? "tune" : file
/** All by cross-validation. `bystander`: what a memory counts for beside the one that a story is about. `writers`: how many must have a phrase. */
const settings = {
  rounds: 200,
  rate: 0.08,
  share: 0.15,
  bagged: 0.8,
  bins: 12,
  smallest: 20,
  ridge: 1,
  seeds: 2,
  bystander: 0.4,
  writers: 4
}
for (const [, name, value] of process.argv.map((given) => given.match(/^--(\w+)=([\d.]+)$/) ?? []))
  if (name !== undefined) settings[name] = Number(value)
/** What a story that was made of a topic counts for, and one of which the memory and the statement changed places. */
const made = settings.topics ?? 0.1
const turned = settings.turned ?? 0.1

const load = async () => {
  mkdirSync(join(root, "dist"), { recursive: true })
  const folder = mkdtempSync(join(root, "dist/train-"))
  const outfile = join(folder, "rules.mjs")
  const contents = `export { compare } from "./layers/languages/en/rules/compare.js"
    export { alike, decide, targetOf, unlike } from "./layers/languages/en/rules/decide.js"
    export { lexiconOf } from "./layers/languages/en/rules/lexicon.js"
    export { hashes, phraseKinds } from "./layers/languages/en/rules/phrases.js"
    export { english } from "./layers/languages/en/rules/english.js"
    export { questionOf } from "./test/support/decisions.js"`
  const stdin = { contents, resolveDir: root, loader: "ts" }
  // The bundle looks for the table of words two folders up.
  await build({ stdin, outfile, bundle: true, platform: "node", format: "esm", target: "node22" })
  try {
    return await import(pathToFileURL(outfile))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const { alike, compare, decide, english, hashes, lexiconOf, phraseKinds, questionOf, targetOf, unlike } = await load()
const lexicon = lexiconOf(english)

/** Kinds of stories that may be told backwards, by their action; all of the others. */
const turning = {
  NONE: ["paraphrase", "duplicate"],
  DELETE: ["value", "number", "date", "name", "contradiction", "negation"],
  ADD: ["lookalike", "multi-valued", "event", "relation"]
}

/** The story that it is when told backwards: what was refined says nothing new after the refinement. */
const backwards = (story) => {
  const [{ action, target }, ...others] = story.accept
  const kinds = turning[action]
  if (others.length > 0 || (kinds !== undefined && !kinds.includes(story.kind))) return []
  if (action === "ADD" && story.memories.length > 1) return []
  const { at: _, ...memory } = story.statement
  const { at: __, ...statement } = story.memories[target ?? 0]
  const accept = [action === "ADD" ? { action } : { action: action === "UPDATE" ? "NONE" : action, target: 0 }]
  return [{ ...story, memories: [memory], statement, accept, weight: turned, made: true }]
}

const stories = [
  ...files.flatMap((file) => {
    const lines = readFileSync(join(folder, `${file}.jsonl`), "utf8")
      .trim()
      .split("\n")
    return lines.flatMap((line) => {
      const story = JSON.parse(line)
      const told = { ...story, writer: writerOf(file, story.id), weight: 1, made: false }
      return [told, ...backwards(told)]
    })
  }),
  ...storiesOf(readFileSync(join(folder, "own-topics.txt"), "utf8")).map((story) => ({
    ...story,
    writer: "own-topics",
    weight: made,
    made: true
  }))
]
for (const story of stories) story.compared = compare(questionOf(story), lexicon)
const names = [
  ...new Set(stories.flatMap(({ compared }) => compared.flatMap(({ features }) => Object.keys(features))))
].sort()
const figures = names.length
names.push(...phraseKinds.flatMap((kind) => actions.map((_, at) => `phrases ${kind} ${at}`)))

/** What is known of each memory of the stories. */
const rowsOf = (stories) =>
  stories.flatMap(({ accept, compared, weight, writer }) =>
    compared.flatMap(({ apart, phrases }, place) => {
      if (apart) return []
      const { action } = accept.find(({ action, target }) => action === "ADD" || target === place) ?? { action: "ADD" }
      const bystander = action === "ADD" && accept[0].action !== "ADD"
      const counts = weight * (bystander ? settings.bystander : 1)
      return { compared: compared[place], label: actions.indexOf(action), phrases, weight: counts, writer }
    })
  )

const valuesOf = ({ features, phrases }, sums, own) => {
  const values = new Float64Array(names.length)
  for (let at = 0; at < figures; at++) values[at] = features[names[at]] ?? 0
  values.set(figuresOf(phrases, phraseKinds.length, hashes, sums, own), figures)
  return values
}

const modelOf = (stories) => {
  const rows = rowsOf(stories)
  const writers = counted(rows)
  const sums = summed(writers, settings.writers)
  for (const row of rows) row.values = valuesOf(row.compared, sums, writers.get(row.writer))
  return { sums, model: train(rows, names.length, settings) }
}

const answer = ({ model, sums }, story) => {
  const all = story.compared.map((one) => (one.same ? alike : one.apart ? unlike : likely(model, valuesOf(one, sums))))
  const target = targetOf(all)
  return { story, target, likely: all[target], compared: story.compared[target] }
}
const decided = (answers, least) => answers.map((one) => ({ ...one, action: decide(one.likely, one.compared, least) }))

const of = (answered, keep) => answered.filter(({ story }) => keep(story.writer))

if (process.argv.includes("--cv")) {
  const second = (writer) => writer.startsWith("set 2")
  const third = (writer) => /^tune-\d$/.test(writer)
  const writers = [...new Set(stories.map(({ writer }) => writer))].filter((one) => second(one) || third(one))
  const answers = writers.flatMap((writer) => {
    const model = modelOf(stories.filter((story) => story.writer !== writer))
    return stories.filter((story) => !story.made && story.writer === writer).map((story) => answer(model, story))
  })
  const answered = decided(answers)
  for (const writer of writers)
    line(
      writer,
      of(answered, (one) => one === writer)
    )
  line("second set", of(answered, second))
  line("third set", of(answered, third))
  line("all", answered)
  for (const least of [0, 0.5, 0.55, 0.6, 0.65, 0.7])
    line(`all ≥ ${least}`, decided(answers, { UPDATE: Math.min(least, 0.4), DELETE: least }))
  confusion(answered)
  byKind(answered)
} else {
  const { model: trained, sums } = modelOf(stories)
  const { prior, thresholds, trees } = trained
  const used = [...new Set(trees.flatMap(({ bins, figures }) => figures.filter((_, at) => bins[at] < 255)))].sort(
    (a, b) => a - b
  )
  const place = new Map(used.map((figure, at) => [figure, at]))
  const questions = trees.flatMap(({ bins, figures }) =>
    figures.map((figure, at) => [bins[at] < 255 ? place.get(figure) : 0, bins[at]])
  )
  const bytes = Buffer.from([
    ...questions.flatMap(([figure, bin]) => [figure & 255, figure >> 8, bin]),
    ...trees.flatMap(({ leaves }) => leaves.map((leaf) => leaf & 255))
  ])
  const model = {
    made: "by training/trainRules.mjs from training/stories",
    figures: used.map((figure) => names[figure]),
    thresholds: used.map((figure) => thresholds[figure]),
    prior: prior.map((value) => Number(value.toFixed(4))),
    seeds: settings.seeds,
    phrases: tablesOf(phraseKinds.length, hashes, sums),
    trees: bytes.toString("base64")
  }
  writeFileSync(join(root, "assets/rules.json"), `${JSON.stringify(model)}\n`)
  console.log(
    `${stories.length} stories, ${used.length} of ${names.length} figures, ${trees.length} trees, ${sums.phrases.size} phrases`
  )
}
