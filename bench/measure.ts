/** The cost of a run in milliseconds: wall-clock time, and CPU time (user and system, all threads of this process). */
export interface Cost {
  readonly wall: number
  readonly cpu: number
}

/** One run of one side; only `work` is timed. */
export interface Run {
  readonly work: () => unknown
  readonly close?: () => unknown
}

/** One side of a comparison. It prepares each run from scratch, so that runs do not influence each other. */
export type Side = () => Run | Promise<Run>

export const measure = async (work: () => unknown): Promise<Cost> => {
  globalThis.gc?.()
  const cpu = process.cpuUsage()
  const start = performance.now()
  await work()
  const wall = performance.now() - start
  const { system, user } = process.cpuUsage(cpu)
  return { wall, cpu: (user + system) / 1_000 }
}

/**
 * Runs the sides alternately (A B A B …) in this process, so that other load on the machine affects all of them. The
 * first round is a warm-up and is not counted.
 */
export const measureInterleaved = async <Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  options: { readonly runs: number; readonly warmUp?: boolean }
): Promise<Readonly<Record<Name, ReadonlyArray<Cost>>>> => {
  const names = Object.keys(sides) as Array<Name>
  const costs = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Array<Cost>>
  for (let run = options.warmUp === false ? 0 : -1; run < options.runs; run++) {
    for (const name of names) {
      const { close, work } = await sides[name]()
      const cost = await measure(work)
      await close?.()
      if (run >= 0) costs[name].push(cost)
    }
  }
  return costs
}

export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The median of the wall-clock times and the median of the CPU times. */
export const medianCost = (costs: ReadonlyArray<Cost>): Cost => ({
  wall: median(costs.map(({ wall }) => wall)),
  cpu: median(costs.map(({ cpu }) => cpu))
})

/** The work between two returns to the event loop. */
export interface Pause {
  /** Milliseconds of wall-clock time, and of this process's CPU time within it. */
  readonly wall: number
  readonly busy: number
}

/** Runs some work, and returns the longest time for which it blocks the event loop. */
export const measureLongestPause = async (work: () => Promise<unknown>): Promise<Pause> => {
  let wall = 0
  let busy = 0
  let isRunning = true
  const cpuNow = () => {
    const { system, user } = process.cpuUsage()
    return (user + system) / 1_000
  }
  let [at, cpu] = [performance.now(), cpuNow()]
  const note = () => {
    const [now, used] = [performance.now(), cpuNow()]
    wall = Math.max(wall, now - at)
    busy = Math.max(busy, Math.min(now - at, used - cpu))
    ;[at, cpu] = [now, used]
  }
  const tick = () => {
    note()
    if (isRunning) setImmediate(tick)
  }
  setImmediate(tick)
  await work()
  isRunning = false
  // Records the last stretch of work, which has not returned to the event loop.
  note()
  return { wall, busy }
}
