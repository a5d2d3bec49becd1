// @ts-nocheck: a maintainers' tool.
// Gradient boosting of multinomial deviance (Friedman 2001). Each round grows one tree of depth 4 per class, with
// splits by second-order gain (Chen, Guestrin 2016), on a random share of the features. The random generator has a
// fixed seed.

export const classes = 4
export const depth = 4
const inner = 2 ** depth - 1

export const randomOf = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}

/** The split points of each feature, at most `bins`. */
const thresholdsOf = (rows, figures, bins) =>
  Array.from({ length: figures }, (_, at) => {
    const values = [...new Set(rows.map(({ values }) => values[at]))].sort((a, b) => a - b)
    const between = values.slice(1).map((value, place) => Number(((value + values[place]) / 2).toPrecision(3)))
    const step = Math.max(1, between.length / bins)
    const length = Math.min(bins, between.length)
    return [...new Set(Array.from({ length }, (_, place) => between[Math.floor(place * step)]))].sort((a, b) => a - b)
  })

/** The bins of all rows for one feature: the most frequent bin, and the rows that are in another bin. */
const columnOf = (rows, figure, limits) => {
  const bins = Uint8Array.from(rows, ({ values }) => {
    let bin = 0
    while (bin < limits.length && values[figure] >= limits[bin]) bin++
    return bin
  })
  const counts = new Int32Array(limits.length + 1)
  for (const bin of bins) counts[bin]++
  const usual = counts.indexOf(Math.max(...counts))
  const others = Int32Array.from([...bins.keys()].filter((row) => bins[row] !== usual))
  return { bins, usual, others, otherBins: Uint8Array.from(others, (row) => bins[row]), count: limits.length + 1 }
}

/** Rows have values, label and weight. Returns the log prior of each class, and the trees of all seeds in order. */
export const train = (rows, figures, settings) => {
  const { bagged, bins, rounds, seeds, share } = settings
  const thresholds = thresholdsOf(rows, figures, bins)
  const count = rows.length
  const columns = thresholds.map((limits, figure) => columnOf(rows, figure, limits))
  const labels = Uint8Array.from(rows, ({ label }) => label)
  const weights = Float64Array.from(rows, ({ weight }) => weight)
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  const prior = Array.from({ length: classes }, (_, at) =>
    Math.log(rows.reduce((sum, { label, weight }) => sum + (label === at ? weight : 0), 0) / all)
  )
  const trees = []
  const [slopes, curves, nodes] = [new Float64Array(count), new Float64Array(count), new Int32Array(count)]
  for (let seed = 0; seed < seeds; seed++) {
    const random = randomOf(7 + seed)
    const scores = Array.from({ length: classes }, (_, at) => new Float64Array(count).fill(prior[at]))
    const shares = scores.map(() => new Float64Array(count))
    for (let round = 0; round < rounds; round++) {
      for (let row = 0; row < count; row++) {
        let sum = 0
        for (let at = 0; at < classes; at++) sum += shares[at][row] = Math.exp(scores[at][row])
        for (let at = 0; at < classes; at++) shares[at][row] /= sum
      }
      const members = Uint8Array.from({ length: count }, () => (random() < bagged ? 1 : 0))
      for (let at = 0; at < classes; at++) {
        for (let row = 0; row < count; row++) {
          const part = shares[at][row]
          slopes[row] = weights[row] * ((labels[row] === at ? 1 : 0) - part)
          curves[row] = weights[row] * Math.max(1e-6, part * (1 - part))
          nodes[row] = members[row] - 1
        }
        const chosen = Array.from({ length: figures }, (_, figure) => figure).filter(() => random() < share)
        const tree = treeOf({ ...settings, columns, chosen, curves, nodes, slopes })
        trees.push(tree)
        for (let row = 0; row < count; row++) {
          let node = 0
          while (node < inner) node = 2 * node + (columns[tree.figures[node]].bins[row] <= tree.bins[node] ? 1 : 2)
          scores[at][row] += tree.leaves[node - inner] / 1000
        }
      }
    }
  }
  return { prior, seeds, thresholds, trees }
}

/** Sums by node. `nodes` has the node of each row on the current level; −1 for rows outside the sample. */
const totalsOf = ({ curves, nodes, slopes }, width) => {
  const totals = { slope: new Float64Array(width), curve: new Float64Array(width), rows: new Float64Array(width) }
  for (let row = 0; row < nodes.length; row++) {
    const node = nodes[row]
    if (node < 0) continue
    totals.slope[node] += slopes[row]
    totals.curve[node] += curves[row]
    totals.rows[node]++
  }
  return totals
}

const treeOf = (data) => {
  const { columns, nodes, rate, ridge } = data
  const tree = { figures: [], bins: [], leaves: [] }
  for (let level = 0; level < depth; level++) {
    const splits = bestSplits(data, totalsOf(data, 2 ** level))
    for (const split of splits) {
      tree.figures.push(split?.figure ?? 0)
      tree.bins.push(split?.bin ?? 255)
    }
    const bins = splits.map((split) => columns[split?.figure ?? 0].bins)
    const limits = splits.map((split) => split?.bin ?? 255)
    for (let row = 0; row < nodes.length; row++) {
      const node = nodes[row]
      if (node >= 0) nodes[row] = 2 * node + (bins[node][row] <= limits[node] ? 0 : 1)
    }
  }
  const { curve, slope } = totalsOf(data, 2 ** depth)
  for (let leaf = 0; leaf < 2 ** depth; leaf++)
    tree.leaves.push(
      Math.max(-127, Math.min(127, Math.round((1000 * rate * 0.75 * slope[leaf]) / (curve[leaf] + ridge))))
    )
  return tree
}

/** The best split of each node of a level; undefined if none helps. */
const bestSplits = ({ chosen, columns, curves, nodes, ridge, slopes, smallest }, totals) => {
  const width = totals.rows.length
  const best = new Array(width)
  const value = (slope, curve) => (slope * slope) / (curve + ridge)
  for (const figure of chosen) {
    const { count, otherBins, others, usual } = columns[figure]
    if (count === 1) continue
    const sums = new Float64Array(3 * count * width)
    for (let node = 0; node < width; node++) {
      const at = 3 * (node * count + usual)
      sums[at] = totals.slope[node]
      sums[at + 1] = totals.curve[node]
      sums[at + 2] = totals.rows[node]
    }
    for (let place = 0; place < others.length; place++) {
      const row = others[place]
      const node = nodes[row]
      if (node < 0) continue
      const [from, to] = [3 * (node * count + usual), 3 * (node * count + otherBins[place])]
      const [slope, curve] = [slopes[row], curves[row]]
      sums[from] -= slope
      sums[from + 1] -= curve
      sums[from + 2]--
      sums[to] += slope
      sums[to + 1] += curve
      sums[to + 2]++
    }
    for (let node = 0; node < width; node++) {
      const [all, slopeSum, curveSum] = [totals.rows[node], totals.slope[node], totals.curve[node]]
      if (all < 2 * smallest) continue
      let [slope, curve, rows] = [0, 0, 0]
      for (let bin = 0; bin < count - 1; bin++) {
        const at = 3 * (node * count + bin)
        slope += sums[at]
        curve += sums[at + 1]
        rows += sums[at + 2]
        if (rows < smallest || all - rows < smallest) continue
        const gain = value(slope, curve) + value(slopeSum - slope, curveSum - curve) - value(slopeSum, curveSum)
        if (gain > (best[node]?.gain ?? 1e-6)) best[node] = { figure, bin, gain }
      }
    }
  }
  return Array.from(best)
}

/** The probability of each class. */
export const likely = ({ prior, seeds, thresholds, trees }, values) => {
  const sums = new Array(classes).fill(0)
  for (const [place, { bins, figures, leaves }] of trees.entries()) {
    let at = 0
    while (at < inner) at = 2 * at + (values[figures[at]] < (thresholds[figures[at]][bins[at]] ?? Infinity) ? 1 : 2)
    sums[place % classes] += leaves[at - inner] / 1000
  }
  const powers = sums.map((sum, at) => Math.exp(sum / seeds + prior[at]))
  const all = powers.reduce((a, b) => a + b, 0)
  return powers.map((power) => power / all)
}
