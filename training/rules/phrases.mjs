// @ts-nocheck: a maintainers' tool.
// Phrase features. For each phrase and action: the log ratio of the action's frequency with the phrase to its overall
// frequency, smoothed. The figures for a writer's stories do not include that writer's own counts; otherwise the trees
// would overfit to phrases.

const actions = 4
/** Strength of the smoothing, as a number of stories. */
const smoothing = 6

/** Action counts by writer, for each phrase and in total. */
export const counted = (rows) => {
  const writers = new Map()
  for (const { label, phrases, weight, writer } of rows) {
    const own = writers.get(writer) ?? { phrases: new Map(), actions: new Float64Array(actions) }
    writers.set(writer, own)
    own.actions[label] += weight
    for (const phrase of phrases) {
      const counts = own.phrases.get(phrase) ?? new Float64Array(actions)
      counts[label] += weight
      own.phrases.set(phrase, counts)
    }
  }
  return writers
}

/** Sums the counts of all writers. Omits phrases that fewer than `minWriters` writers use. */
export const summed = (writers, minWriters) => {
  const phrases = new Map()
  const all = new Float64Array(actions)
  for (const own of writers.values()) {
    for (let at = 0; at < actions; at++) all[at] += own.actions[at]
    for (const [phrase, counts] of own.phrases) {
      const sum = phrases.get(phrase) ?? { writers: 0, counts: new Float64Array(actions) }
      phrases.set(phrase, sum)
      sum.writers++
      for (let at = 0; at < actions; at++) sum.counts[at] += counts[at]
    }
  }
  for (const [phrase, { writers }] of phrases) if (writers < minWriters) phrases.delete(phrase)
  return { phrases, actions: all }
}

/** The log odds of each action, in fortieths, without the counts of one writer (`own`). */
export const oddsOf = (phrase, sums, own) => {
  const sum = sums.phrases.get(phrase)
  if (sum === undefined) return undefined
  const ownCounts = own?.phrases.get(phrase)
  let [all, every] = [0, 0]
  for (let at = 0; at < actions; at++) {
    all += sum.counts[at] - (ownCounts?.[at] ?? 0)
    every += sums.actions[at] - (own?.actions[at] ?? 0)
  }
  return Array.from({ length: actions }, (_, at) => {
    const share = (sums.actions[at] - (own?.actions[at] ?? 0)) / every
    const count = Math.max(0, sum.counts[at] - (ownCounts?.[at] ?? 0))
    const odds = Math.log((count + smoothing * share) / (Math.max(0, all) + smoothing) / share)
    return Math.max(-127, Math.min(127, Math.round(40 * odds)))
  })
}

/** The features of a row: the summed log odds of its phrases, by kind of phrase. */
export const figuresOf = (phrases, kinds, hashes, sums, own) => {
  const figures = new Float64Array(kinds * actions)
  for (const phrase of phrases) {
    const odds = oddsOf(phrase, sums, own)
    if (odds === undefined) continue
    const kind = Math.floor(phrase / hashes)
    for (let at = 0; at < actions; at++) figures[actions * kind + at] += odds[at] / 40
  }
  return figures
}

/**
 * The tables in the format of the rules. For each kind: the sorted phrases, each as a three-byte hash and its log odds.
 */
export const tablesOf = (kinds, hashes, sums) =>
  Array.from({ length: kinds }, (_, kind) => {
    const own = [...sums.phrases.keys()].filter((phrase) => Math.floor(phrase / hashes) === kind).sort((a, b) => a - b)
    const bytes = own.flatMap((phrase) => {
      const hash = phrase % hashes
      return [hash & 255, (hash >> 8) & 255, hash >> 16, ...oddsOf(phrase, sums).map((odds) => odds & 255)]
    })
    return Buffer.from(bytes).toString("base64")
  })
