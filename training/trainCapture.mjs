// @ts-nocheck: a maintainers' tool.
// Trains assets/capture.json, the points that the rules of capture add to those of their signs, on the labelled
// conversations in training/capture. The same conversations make the same file. Run it when the rules read other signs or
// when there are more conversations; it is not part of the build:
//
//   node training/trainCapture.mjs        trains on all conversations and writes the file
//   node training/trainCapture.mjs --cv   leaves each writer out in turn, and prints how well the others predict the labels;
//                                         --wrong lists the pieces that they judge wrongly
//
// `--ridge=20` and the like try other settings.
//
// Conversations in test/fixtures/capture are only measured, never read here.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bundled, root } from "./bundled.mjs"
import { fitLogistic, logOddsOf } from "./capture/logistic.mjs"

const folder = join(root, "training/capture")
/**
 * `ridge`: L2 penalty of a weight. `writers`, `pieces`: minimum occurrences of a feature. `likely`: the minimum probability
 * of a piece that is kept. The first three were tuned by cross-validation, the last with the kept sets in view.
 */
const settings = { ridge: 20, writers: 2, pieces: 4, likely: 0.41 }
for (const [, name, value] of process.argv.map((argument) => argument.match(/^--(\w+)=([\d.]+)$/) ?? []))
  if (name in settings) settings[name] = Number(value)

const { contextTurns, extractEnglish, featuresOf, minWorth, manualPoints } = await bundled(`
  export { extractEnglish } from "./layers/languages/en/extract/extract.js"
  export { featuresOf, manualPoints } from "./layers/languages/en/extract/worth.js"
  export { minWorth } from "./layers/languages/en/extract/points.js"
  export { contextTurns } from "./src/ports/Extractor.js"`)

const linesOf = (file) =>
  readFileSync(join(folder, file), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

const states = (text, { words }) => words.every((group) => group.some((form) => text.includes(form.toLowerCase())))

/** The pieces of a turn that the rules weigh, with their features. */
const weighed = (turns, index) => {
  const pieces = []
  const request = {
    context: turns.slice(Math.max(0, index - contextTurns), index),
    turns: [turns[index]],
    recalled: []
  }
  const onPiece = (reading, signs, surroundings) => {
    const text = `${reading.text}\n${reading.piece.text}`.toLowerCase()
    const points = manualPoints(reading, signs, surroundings)
    pieces.push({ text, points, features: [...featuresOf(reading, signs, surroundings)] })
  }
  // With the points of the signs alone, so that the file does not depend on the one before.
  extractEnglish(request, { weigh: manualPoints, onPiece })
  return pieces
}

/** Pieces with a label: 1 if a statement to keep is in it, otherwise 0. What may be kept and parts of statements are left out. */
const labelledPieces = (turns, index, { allowed = [], keep = [] }) => {
  const pieces = weighed(turns, index)
  const isPart = (text) =>
    keep.some(
      (item) =>
        !pieces.some((piece) => states(piece.text, item)) &&
        item.words.some((group) => group.some((form) => text.includes(form.toLowerCase())))
    )
  return pieces.flatMap((piece) => {
    if (keep.some((item) => states(piece.text, item))) return [{ ...piece, label: 1 }]
    if (allowed.some((item) => states(piece.text, item)) || isPart(piece.text)) return []
    return [{ ...piece, label: 0 }]
  })
}

const writers = readdirSync(folder).flatMap((file) => file.match(/^(.+)-turns\.jsonl$/)?.[1] ?? [])
const rows = writers.flatMap((writer) => {
  const labels = new Map(linesOf(`${writer}-labels.jsonl`).map((label) => [label.turn, label]))
  return linesOf(`${writer}-turns.jsonl`).flatMap(({ turns: all }) => {
    const turns = all.map(({ at, role, speaker, text }) => ({
      role,
      text,
      at: Date.parse(at),
      ...(speaker ? { speaker } : {})
    }))
    return all.flatMap(({ id, role }, index) =>
      role === "user" ? labelledPieces(turns, index, labels.get(id) ?? {}).map((row) => ({ ...row, writer })) : []
    )
  })
})

/** The features that enough writers and pieces have. */
const knownFeatures = (rows) => {
  const seen = new Map()
  for (const { features, writer } of rows)
    for (const feature of features) {
      const before = seen.get(feature) ?? { writers: new Set(), pieces: 0 }
      seen.set(feature, { writers: before.writers.add(writer), pieces: before.pieces + 1 })
    }
  return [...seen]
    .filter(([, { pieces, writers }]) => writers.size >= settings.writers && pieces >= settings.pieces)
    .map(([feature]) => feature)
    .sort()
}

/** Each writer counts as much as the others, however much they wrote. */
const balanced = (rows) => {
  const pieces = Map.groupBy(rows, ({ writer }) => writer)
  const mean = rows.length / pieces.size
  return rows.map((row) => ({ ...row, weight: mean / pieces.get(row.writer).length }))
}

const modelOf = (rows) => fitLogistic(balanced(rows), knownFeatures(rows), settings.ridge)

const share = (part, whole) => (whole === 0 ? "–" : (part / whole).toFixed(3))
const line = (title, answered, isKept) => {
  const kept = answered.filter(isKept)
  const right = kept.filter(({ label }) => label === 1).length
  const all = answered.filter(({ label }) => label === 1).length
  console.log(
    `${title.padEnd(14)} ${String(answered.length).padStart(5)} pieces  precision ${share(right, kept.length)}  recall ${share(right, all)}`
  )
}

if (process.argv.includes("--cv")) {
  const answered = writers.flatMap((writer) => {
    const model = modelOf(rows.filter((row) => row.writer !== writer))
    return rows.filter((row) => row.writer === writer).map((row) => ({ ...row, odds: logOddsOf(model, row) }))
  })
  const bound = Math.log(settings.likely / (1 - settings.likely))
  for (const writer of writers)
    line(
      writer,
      answered.filter((row) => row.writer === writer),
      ({ odds }) => odds >= bound
    )
  line(`all, from ${settings.likely}`, answered, ({ odds }) => odds >= bound)
  line("signs alone", answered, ({ points }) => points >= minWorth)
  for (const likely of [0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7])
    line(`from ${likely}`, answered, ({ odds }) => odds >= Math.log(likely / (1 - likely)))
  if (process.argv.includes("--wrong"))
    for (const { label, odds, text, writer } of answered)
      if (odds >= bound !== (label === 1))
        console.log(`${label === 1 ? "missed" : "wrong"} ${odds.toFixed(1)} ${writer}: ${text.split("\n")[0]}`)
} else {
  const { base, scale, weights } = modelOf(rows)
  const bound = Math.log(settings.likely / (1 - settings.likely))
  const rounded = (value) => Math.round(value * 100) / 100
  const points = [...weights]
    .map(([feature, weight]) => [feature, rounded(weight / scale)])
    .filter(([, points]) => points !== 0)
  const learned = {
    made: "by training/trainCapture.mjs from training/capture",
    base: rounded((base - bound) / scale + minWorth),
    points: Object.fromEntries(points)
  }
  writeFileSync(join(root, "assets/capture.json"), `${JSON.stringify(learned)}\n`)
  console.log(`${rows.length} pieces of ${writers.length} writers, ${points.length} features`)
}
