// @ts-nocheck: a tool of the maintainers.
// Makes layers/rules/trees.ts, the weights of the rules, from the labelled stories that are for tuning. Run when the
// rules read something else of a text, or when there are more stories; never when the project is built:
//
//   node scripts/trainRules.mjs          trains on all of them and writes the file
//   node scripts/trainRules.mjs --cv     how it does on stories it has not seen: each file left out, then five folds
//
// Gradient boosting of multinomial deviance (Friedman 2001): in each round a tree of depth 3 for each action, split by
// second-order gain (Chen, Guestrin 2016), of a tenth of the figures, which a fixed generator draws.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))
const files = ["own-short", "own-rules", "tune", "tune-work", "tune-life"]
/** Files of short stories: what is plain has to be right. */
const plain = ["own-short", "own-rules"]
const actions = ["ADD", "UPDATE", "DELETE", "NONE"]
/** `bystander`: what a memory counts for beside the one that a story is about. All by cross-validation. */
const settings = { rounds: 150, rate: 0.07, share: 0.1, bins: 24, smallest: 10, ridge: 3, bystander: 0.4 }

const load = async () => {
  const folder = mkdtempSync(join(root, "dist/train-"))
  const outfile = join(folder, "rules.mjs")
  await build({
    stdin: {
      contents: `export { comparedOf } from "./layers/rules/features.js"
        export { decide, targetOf } from "./layers/rules/judge.js"
        export { lexiconOf } from "./layers/rules/lexicon.js"
        export { english } from "./layers/rules/english.js"
        export { questionOf } from "./test/support/decisions.js"`,
      resolveDir: root,
      loader: "ts"
    },
    plugins: [
      {
        name: "no-trees-yet",
        setup: ({ onResolve, onLoad }) => {
          onResolve({ filter: /\/trees\.js$/ }, () => ({ path: "trees", namespace: "none" }))
          onLoad({ filter: /./, namespace: "none" }, () => ({
            contents: "export const names = [], prior = [], trees = ''"
          }))
        }
      }
    ],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20"
  })
  // The bundle looks for the table of words two folders up.
  const rules = await import(pathToFileURL(outfile))
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  return rules
}

const { comparedOf, decide, english, lexiconOf, questionOf, targetOf } = await load()
const lexicon = lexiconOf(english)

/** Kinds of stories that may be told backwards, by their action; all of the others. */
const turning = {
  NONE: ["paraphrase", "duplicate"],
  DELETE: ["value", "number", "date", "name", "contradiction", "negation"],
  ADD: ["lookalike", "multi-valued", "event"]
}
/** What a story told backwards counts for. */
const turned = { NONE: 0.3, UPDATE: 0.2, DELETE: 0.2, ADD: 0.2 }

/** A story, and the one that it is when told backwards: what was refined says nothing new after the refinement. */
const stories = files.flatMap((file) => {
  const { stories } = JSON.parse(readFileSync(join(root, `test/fixtures/reconcile/${file}.json`), "utf8"))
  return stories.flatMap((story) => {
    const [{ action, target }, ...others] = story.accept
    const own = { ...story, file, weight: plain.includes(file) ? 1.5 : 1, made: false }
    const kinds = turning[action]
    if (
      others.length > 0 ||
      (kinds !== undefined && !kinds.includes(story.kind)) ||
      (action === "ADD" && story.memories.length > 1)
    )
      return [own]
    const { at: _, ...memory } = story.statement
    const { at: __, ...statement } = story.memories[target ?? 0]
    const accept = [action === "ADD" ? { action } : { action: action === "UPDATE" ? "NONE" : action, target: 0 }]
    return [own, { ...own, memories: [memory], statement, accept, weight: turned[action], made: true }]
  })
})
for (const story of stories) story.compared = comparedOf(questionOf(story), lexicon)
const names = [...new Set(stories.flatMap(({ compared }) => compared.flatMap(({ features }) => Object.keys(features))))]

const rowsOf = (stories) =>
  stories.flatMap(({ accept, compared, weight }) =>
    compared.map(({ features }, place) => {
      const { action } = accept.find(({ action, target }) => action === "ADD" || target === place) ?? { action: "ADD" }
      const bystander = action === "ADD" && accept[0].action !== "ADD"
      return {
        values: names.map((name) => features[name] ?? 0),
        label: actions.indexOf(action),
        weight: weight * (bystander ? settings.bystander : 1)
      }
    })
  )

const randomOf = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}

const train = (rows) => {
  const random = randomOf(7)
  const thresholds = names.map((_, at) => {
    const values = [...new Set(rows.map(({ values }) => values[at]))].sort((a, b) => a - b)
    const between = values.slice(1).map((value, place) => Number(((value + values[place]) / 2).toPrecision(3)))
    const step = Math.max(1, between.length / settings.bins)
    return [
      ...new Set(
        Array.from({ length: Math.min(settings.bins, between.length) }, (_, place) => between[Math.floor(place * step)])
      )
    ].sort((a, b) => a - b)
  })
  const binned = rows.map(({ values }) =>
    Uint8Array.from(values, (value, at) => thresholds[at].filter((limit) => value >= limit).length)
  )
  const all = rows.reduce((sum, { weight }) => sum + weight, 0)
  const prior = actions.map((_, at) =>
    Math.log(rows.filter(({ label }) => label === at).reduce((sum, { weight }) => sum + weight, 0) / all)
  )
  const scores = rows.map(() => [...prior])
  const trees = []
  for (let round = 0; round < settings.rounds; round++) {
    const shares = scores.map((score) => {
      const powers = score.map(Math.exp)
      const sum = powers.reduce((a, b) => a + b, 0)
      return powers.map((power) => power / sum)
    })
    for (let action = 0; action < 4; action++) {
      const slopes = rows.map(({ label, weight }, at) => weight * ((label === action ? 1 : 0) - shares[at][action]))
      const curves = rows.map(
        ({ weight }, at) => weight * Math.max(1e-6, shares[at][action] * (1 - shares[at][action]))
      )
      const chosen = names.map((_, at) => at).filter(() => random() < settings.share)
      const tree = { features: [], limits: [], leaves: [] }
      let nodes = [rows.map((_, at) => at)]
      for (let level = 0; level < 3; level++) {
        nodes = nodes.flatMap((members) => {
          const split = bestSplit(members, chosen, binned, thresholds, slopes, curves)
          tree.features.push(split?.feature ?? 0)
          tree.limits.push(split === undefined ? Infinity : thresholds[split.feature][split.bin])
          if (split === undefined) return [members, []]
          return [
            members.filter((at) => binned[at][split.feature] <= split.bin),
            members.filter((at) => binned[at][split.feature] > split.bin)
          ]
        })
      }
      for (const members of nodes) {
        const [slope, curve] = [slopes, curves].map((these) => members.reduce((sum, at) => sum + these[at], 0))
        const leaf = Math.round((1000 * settings.rate * 0.75 * slope) / (curve + settings.ridge * 0.25))
        tree.leaves.push(leaf)
        for (const at of members) scores[at][action] += leaf / 1000
      }
      trees.push(tree)
    }
  }
  return { prior, trees }
}

const bestSplit = (members, chosen, binned, thresholds, slopes, curves) => {
  let best
  const value = (slope, curve) => (slope * slope) / (curve + settings.ridge * 0.25)
  for (const feature of chosen) {
    const bins = thresholds[feature].length + 1
    const [slope, curve, count] = [new Float64Array(bins), new Float64Array(bins), new Float64Array(bins)]
    for (const at of members) {
      const bin = binned[at][feature]
      slope[bin] += slopes[at]
      curve[bin] += curves[at]
      count[bin]++
    }
    const [s, c] = [slope, curve].map((these) => these.reduce((a, b) => a + b, 0))
    let [ls, lc, ln] = [0, 0, 0]
    for (let bin = 0; bin < bins - 1; bin++) {
      ls += slope[bin]
      lc += curve[bin]
      ln += count[bin]
      if (ln < settings.smallest || members.length - ln < settings.smallest) continue
      const gain = value(ls, lc) + value(s - ls, c - lc) - value(s, c)
      if (gain > (best?.gain ?? 1e-6)) best = { feature, bin, gain }
    }
  }
  return best
}

const likely = ({ prior, trees }, features) => {
  const values = names.map((name) => features[name] ?? 0)
  const sums = [...prior]
  trees.forEach(({ features, leaves, limits }, place) => {
    let at = 0
    while (at < 7) at = 2 * at + (values[features[at]] < limits[at] ? 1 : 2)
    sums[place % 4] += leaves[at - 7] / 1000
  })
  const powers = sums.map(Math.exp)
  const all = powers.reduce((a, b) => a + b, 0)
  return powers.map((power) => power / all)
}

const answer = (model, { compared }) => {
  const all = compared.map(({ features }) => likely(model, features))
  const target = targetOf(all)
  return { action: decide(all[target], compared[target]), target, likely: all[target] }
}

const report = (title, answered) => {
  const right = ({ action, story, target }) =>
    story.accept.some((one) => one.action === action && (action === "ADD" || one.target === target))
  const told = (these) =>
    `${these.filter(right).length}/${these.length} ${(these.filter(right).length / Math.max(1, these.length)).toFixed(3)}`
  console.log(
    `${title}: accuracy ${told(answered)}; precision ${actions
      .slice(1)
      .map((action) => `${action} ${told(answered.filter((one) => one.action === action))}`)
      .join(", ")}`
  )
  console.log(
    `  recall ${actions.map((action) => `${action} ${told(answered.filter(({ story }) => story.accept[0].action === action))}`).join(", ")}`
  )
  const confusion = {}
  for (const one of answered.filter((one) => !right(one))) {
    const key = `${one.story.accept[0].action}>${one.action}`
    confusion[key] = (confusion[key] ?? 0) + 1
  }
  console.log(`  ${JSON.stringify(confusion)}`)
  for (const least of [0.6, 0.7, 0.8]) {
    const abstained = answered.map((one) =>
      ["UPDATE", "DELETE"].includes(one.action) && Math.max(...one.likely) < least ? { ...one, action: "ADD" } : one
    )
    console.log(
      `  at ${least}: ${told(abstained)}, UPDATE ${told(abstained.filter(({ action }) => action === "UPDATE"))}, DELETE ${told(abstained.filter(({ action }) => action === "DELETE"))}`
    )
  }
}

const real = stories.filter(({ made }) => !made)
if (process.argv.includes("--cv")) {
  const among =
    (file) =>
    ({ story }) =>
      story.file === file
  if (!process.argv.includes("--folds")) {
    const left = files.flatMap((file) => {
      const model = train(rowsOf(stories.filter((story) => story.file !== file)))
      return real.filter((story) => story.file === file).map((story) => ({ story, ...answer(model, story) }))
    })
    for (const file of files) report(`${file} left out`, left.filter(among(file)))
  }
  const fold = new Map([...new Set(stories.map(({ id }) => id))].map((id, place) => [id, place % 5]))
  const folded = [0, 1, 2, 3, 4].flatMap((held) => {
    const model = train(rowsOf(stories.filter(({ id }) => fold.get(id) !== held)))
    return real.filter(({ id }) => fold.get(id) === held).map((story) => ({ story, ...answer(model, story) }))
  })
  for (const file of files) report(`${file} in five folds`, folded.filter(among(file)))
  report("all in five folds", folded)
} else {
  const { prior, trees } = train(rowsOf(stories))
  const number = (value) => (value === Infinity ? "1e9" : String(value).replace(/^(-?)0\./, "$1."))
  const told = trees.map(
    ({ features, leaves, limits }) =>
      `${features.map((feature, at) => `${feature}<${number(limits[at])}`).join(" ")}|${leaves.join(" ")}`
  )
  const lines = Array.from({ length: settings.rounds }, (_, round) => told.slice(4 * round, 4 * round + 4).join(";"))
  writeFileSync(
    join(root, "layers/rules/trees.ts"),
    `// Made by scripts/trainRules.mjs from the stories in test/fixtures/reconcile; do not edit.

/** Figures that the trees ask for, by their place. */
export const names: ReadonlyArray<string> =
  "${names.join("|")}".split("|")

/** The logarithm of how often each action is right. */
export const prior: ReadonlyArray<number> = ${JSON.stringify(prior.map((value) => Number(value.toFixed(4))))}

/** A round a line, a tree for each action: place of a figure and threshold of seven questions, leaves in thousandths. */
export const trees = \`
${lines.join("\n")}\`
`
  )
  console.log(`${stories.length} stories, ${names.length} figures, ${trees.length} trees`)
}
