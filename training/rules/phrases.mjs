// @ts-nocheck: a tool of the maintainers.
// What phrases tell: for each of them the logarithm of how much likelier each action is where it stands, smoothed
// towards what is so anywhere. Stories of a writer are told by what all others wrote, or the trees would trust phrases
// more than they may.

const actions = 4
/** How many stories' worth of doubt there is about each phrase. */
const doubt = 6

/** For each writer and phrase how often each action followed, and the same of all. */
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

/** Sums over writers; phrases that fewer than so many writers have are left out. */
export const summed = (writers, least) => {
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
  for (const [phrase, { writers }] of phrases) if (writers < least) phrases.delete(phrase)
  return { phrases, actions: all }
}

/** The logarithm of the odds of each action, cut to fortieths; without what the writer has said. */
export const oddsOf = (phrase, sums, own) => {
  const known = sums.phrases.get(phrase)
  if (known === undefined) return undefined
  const less = own?.phrases.get(phrase)
  let [all, every] = [0, 0]
  for (let at = 0; at < actions; at++) {
    all += known.counts[at] - (less?.[at] ?? 0)
    every += sums.actions[at] - (own?.actions[at] ?? 0)
  }
  return Array.from({ length: actions }, (_, at) => {
    const share = (sums.actions[at] - (own?.actions[at] ?? 0)) / every
    const count = Math.max(0, known.counts[at] - (less?.[at] ?? 0))
    const odds = Math.log((count + doubt * share) / (Math.max(0, all) + doubt) / share)
    return Math.max(-127, Math.min(127, Math.round(40 * odds)))
  })
}

/** The figures of a row: the odds of its phrases, by kind, taken together. */
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

/** The tables as the rules read them: of each kind the phrases in their order, a hash of three bytes and the odds. */
export const tablesOf = (kinds, hashes, sums) =>
  Array.from({ length: kinds }, (_, kind) => {
    const own = [...sums.phrases.keys()].filter((phrase) => Math.floor(phrase / hashes) === kind).sort((a, b) => a - b)
    const bytes = own.flatMap((phrase) => {
      const hash = phrase % hashes
      return [hash & 255, (hash >> 8) & 255, hash >> 16, ...oddsOf(phrase, sums).map((odds) => odds & 255)]
    })
    return Buffer.from(bytes).toString("base64")
  })
