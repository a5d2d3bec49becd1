// @ts-nocheck: a maintainers' tool.
// Trains assets/rules.json, the weights of the rules, on the labelled tuning stories. The output is reproducible byte by
// byte. Run it when the rules extract other features or when there are more stories; it is not part of the build:
//
//   node training/trainRules.mjs          trains on all tuning stories and writes the file
//   node training/trainRules.mjs --cv     cross-validates: each writer is left out once
//
// `files` lists the tuning sets. `tune-plain` and the sets `own-…` have plain sentences, so that the hard stories do not
// outweigh them. The held-out sets are only measured, never read here.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bundled, root } from "./bundled.mjs"
import { likely, train } from "./rules/boost.mjs"
import { counted, figuresOf, summed, tablesOf } from "./rules/phrases.mjs"
import { actions, byKind, confusion, line, reliability } from "./rules/report.mjs"
import { storiesOf } from "./rules/topics.mjs"

const folder = join(root, "training/stories")
const files = [
  "own-short",
  "own-news",
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
  "tune-short",
  "tune-plain",
  "hard",
  "hard-2"
]
/** Stories that were written to be hard. Each set has many writers, named by id prefix. */
const isHard = (file) => file.startsWith("hard")
/** The writer of a story. Both halves of a set have the same writers. The second set has four writers, named by id prefix. */
const writerOf = (file, id) => {
  if (isHard(file) || file === "tune-plain") return id.slice(0, 3)
  return /^(?:tune|kept)-2$/.test(file) ? `set 2 ${id.slice(0, 2)}` : file === "kept" ? "tune" : file
}
/**
 * Tuned by cross-validation. `bystander`: weight of a memory that is not the story's target. `writers`: minimum writers of
 * a phrase. `hard`, `hard2`, `plain`, `own`: weight of a story of the sets `hard`, `hard-2`, `tune-plain` and `own-…`. Each
 * labelled story is also told among up to `strangers` memories of other stories, whose maximum overlap is `strange`;
 * `crowded`: the weight of such a story. `topics`, `swapped`: the weights of a story that was generated from a topic, and of
 * one whose memory and statement are swapped.
 */
const settings = {
  rounds: 300,
  rate: 0.08,
  share: 0.15,
  bagged: 0.8,
  bins: 12,
  smallest: 20,
  ridge: 1,
  seeds: 2,
  bystander: 0.4,
  writers: 6,
  hard: 2,
  hard2: 0.5,
  plain: 3,
  own: 3,
  strange: 0.5,
  strangers: 3,
  crowded: 1,
  topics: 0.1,
  swapped: 0.1
}
for (const [, name, value] of process.argv.map((argument) => argument.match(/^--(\w+)=([\d.]+)$/) ?? []))
  if (name in settings) settings[name] = Number(value)
  else if (name !== undefined) throw new Error(`no setting is named ${name}`)
/** The weights of the stories of a set, where they are not 1. */
const weights = { hard: settings.hard, "hard-2": settings.hard2, "tune-plain": settings.plain }

const {
  likelihoodsIfEqual,
  compareWithCandidates,
  contradictionConfidence,
  decide,
  hashCount,
  measureOverlap,
  parseStatement,
  phraseKinds,
  questionOf,
  indexOfTarget,
  likelihoodsIfUnrelated
} = await bundled(`
  export { compareWithCandidates, measureOverlap } from "./layers/languages/en/rules/compare.js"
  export { parseStatement } from "./layers/languages/en/rules/parse.js"
  export { contradictionConfidence } from "./layers/languages/en/rules/certainty.js"
  export { likelihoodsIfEqual, decide, indexOfTarget, likelihoodsIfUnrelated } from "./layers/languages/en/rules/decide.js"
  export { hashCount, phraseKinds } from "./layers/languages/en/rules/phrases.js"
  export { questionOf } from "./test/support/decisions.js"`)

/** Kinds of stories that may be swapped, by action. For UPDATE, all kinds may be swapped. */
const swappableKinds = {
  NONE: ["paraphrase", "duplicate"],
  DELETE: ["value", "number", "date", "name", "contradiction", "negation"],
  ADD: ["lookalike", "multi-valued", "event", "relation"]
}

/** The story with memory and statement swapped. After a refinement, the original statement says nothing new: UPDATE becomes NONE. */
const swapped = (story) => {
  const [{ action, target }, ...others] = story.accept
  const kinds = swappableKinds[action]
  if (others.length > 0 || (kinds !== undefined && !kinds.includes(story.kind))) return []
  if (action === "ADD" && story.memories.length > 1) return []
  const { at: _, ...memory } = story.statement
  const { at: __, ...statement } = story.memories[target ?? 0]
  const accept = [action === "ADD" ? { action } : { action: action === "UPDATE" ? "NONE" : action, target: 0 }]
  return [{ ...story, memories: [memory], statement, accept, weight: settings.swapped, made: true }]
}

const stories = [
  ...files.flatMap((file) => {
    const lines = readFileSync(join(folder, `${file}.jsonl`), "utf8")
      .trim()
      .split("\n")
    return lines.flatMap((line) => {
      const story = JSON.parse(line)
      const labelled = {
        ...story,
        writer: writerOf(file, story.id),
        weight: weights[file] ?? (file.startsWith("own") ? settings.own : 1),
        made: false
      }
      return isHard(file) ? [labelled] : [labelled, ...swapped(labelled)]
    })
  }),
  ...storiesOf(readFileSync(join(folder, "own-topics.txt"), "utf8")).map((story) => ({
    ...story,
    writer: "own-topics",
    weight: settings.topics,
    made: true
  }))
]
/**
 * The memories of other stories by the same writer that share most words with a statement, up to the overlap `strange`.
 * Most candidates of a real write are of this sort: about something else.
 */
const strangersOf = (story, others) => {
  const overlapWith = (memory) => measureOverlap(bagOf(memory), bagOf(story.statement))
  return others
    .filter((other) => other !== story)
    .flatMap(({ memories }) => memories.map((memory) => ({ memory, overlap: overlapWith(memory) })))
    .filter(({ overlap }) => overlap > 0 && overlap < settings.strange)
    .sort((a, b) => b.overlap - a.overlap)
    .slice(0, settings.strangers)
    .map(({ memory }) => memory)
}
const bags = new Map()
const bagOf = (observation) => {
  if (!bags.has(observation))
    bags.set(observation, parseStatement(questionOf({ memories: [], statement: observation }).statement).bag)
  return bags.get(observation)
}
const writerStories = Map.groupBy(
  stories.filter(({ made }) => !made),
  ({ writer }) => writer
)
/** Stories told once more, among strangers. */
const crowded = [...writerStories.values()].flatMap((told) =>
  told.flatMap((story) => {
    const strangers = strangersOf(story, told)
    if (strangers.length === 0) return []
    return [
      { ...story, memories: [...story.memories, ...strangers], weight: story.weight * settings.crowded, made: true }
    ]
  })
)
stories.push(...crowded)
for (const story of stories) story.compared = compareWithCandidates(questionOf(story))
const names = [
  ...new Set(stories.flatMap(({ compared }) => compared.flatMap(({ features }) => Object.keys(features))))
].sort()
const featureCount = names.length
names.push(...phraseKinds.flatMap((kind) => actions.map((_, at) => `phrases ${kind} ${at}`)))

/** One training row for each memory of the stories. */
const rowsOf = (stories) =>
  stories.flatMap(({ accept, compared, weight, writer }) =>
    compared.flatMap(({ isTooDistant, phrases }, place) => {
      if (isTooDistant) return []
      const { action } = accept.find(({ action, target }) => action === "ADD" || target === place) ?? { action: "ADD" }
      const bystander = action === "ADD" && accept[0].action !== "ADD"
      const counts = weight * (bystander ? settings.bystander : 1)
      return { compared: compared[place], label: actions.indexOf(action), phrases, weight: counts, writer }
    })
  )

const valuesOf = ({ features, phrases }, sums, own) => {
  const values = new Float64Array(names.length)
  for (let at = 0; at < featureCount; at++) values[at] = features[names[at]] ?? 0
  values.set(figuresOf(phrases, phraseKinds.length, hashCount, sums, own), featureCount)
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
  const all = story.compared.map((memory) =>
    memory.same
      ? likelihoodsIfEqual
      : memory.isTooDistant
        ? likelihoodsIfUnrelated
        : likely(model, valuesOf(memory, sums))
  )
  const target = indexOfTarget(all)
  return { story, target, all, likely: all[target], compared: story.compared[target] }
}
if (process.argv.includes("--cv")) {
  const sets = [
    ["hard", /^a\d\d$/],
    ["hard-2", /^c\d\d$/],
    ["plain", /^p\d\d$/],
    ["second", /^set 2/],
    ["third", /^tune-\d$/],
    ["other", /^/]
  ]
  const setOf = (writer) => sets.find(([, names]) => names.test(writer))[0]
  const writers = [...new Set(stories.map(({ writer }) => writer))].filter((writer) => !writer.startsWith("own"))
  // One seed, and several writers at a time, to take less time.
  settings.seeds = 1
  const hard = writers.filter((writer) => setOf(writer).startsWith("hard"))
  const others = writers.filter((writer) => !hard.includes(writer))
  const parted = (all, parts) => Array.from({ length: parts }, (_, part) => all.filter((_, at) => at % parts === part))
  const folds = [...parted(others, 6), ...parted(hard, 5)]
  const answered = folds.flatMap((fold) => {
    const model = modelOf(stories.filter(({ writer }) => !fold.includes(writer)))
    return stories
      .filter(({ made, writer }) => !made && fold.includes(writer))
      .map((story) => answer(model, story))
      .map((one) => ({ ...one, action: decide(one.likely, one.compared) }))
  })
  for (const writer of writers)
    line(
      writer,
      answered.filter(({ story }) => story.writer === writer)
    )
  for (const [set] of sets) {
    const ofSet = answered.filter(({ story }) => setOf(story.writer) === set)
    if (ofSet.length === 0) continue
    line(`all of ${set}`, ofSet)
    confusion(ofSet)
    if (set === "hard") byKind(ofSet)
  }
  line("all", answered)
  const confidenceOf = ({ all, compared, story, target }) =>
    contradictionConfidence(all, target, parseStatement(questionOf(story).statement).claim, compared.features)
  for (const set of ["hard", "all"]) {
    console.log(`contradictions, ${set}`)
    reliability(
      answered.filter(({ story }) => set === "all" || setOf(story.writer) === set),
      confidenceOf
    )
  }
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
    phrases: tablesOf(phraseKinds.length, hashCount, sums),
    trees: bytes.toString("base64")
  }
  writeFileSync(join(root, "assets/rules.json"), `${JSON.stringify(model)}\n`)
  console.log(
    `${stories.length} stories, ${used.length} of ${names.length} figures, ${trees.length} trees, ${sums.phrases.size} phrases`
  )
}
