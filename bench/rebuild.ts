import { join } from "node:path"
import * as Effect from "effect/Effect"
import { runAllSteps } from "../events/turns.js"
import { projections } from "../projections/all.js"
import { type Db, makeDigest } from "../projections/Projection.js"
import { Daybook } from "../src/Daybook.js"
import * as floor from "./floor.js"
import { formatNumber, type Group, maximumRatio, type OpenDaybook, openDaybook, temporaryFolder } from "./harness.js"
import { type Cost, measureInterleaved, medianCost } from "./measure.js"
import { type World, worldOf } from "./world.js"

/** Rebuilds all projections of a view from the log, compared with set-based statements. */
export const rebuild: Group = {
  name: "rebuild",
  rows: async function* ({ quick }) {
    await checkFloor()
    const world = await worldOf(quick ? 10_000 : 100_000)
    const daybook = openDaybook(world.folder)
    const events = await versionOf(daybook, world)
    const costs = await measureInterleaved(
      {
        floor: () => {
          const file = join(temporaryFolder(), "floor.db")
          return { work: () => floor.rebuild(join(world.folder, "log.db"), world.agent, file).close() }
        },
        daybook: () => ({ work: () => daybook.run(rebuilt(world)) })
      },
      { runs: quick ? 3 : 5, warmUp: quick }
    )
    await daybook.close()
    const side = (cost: Cost) =>
      `${formatNumber((events / cost.cpu) * 1_000)} events/CPU s, ${formatNumber(cost.cpu / 1_000)} s CPU, ${formatNumber(cost.wall / 1_000)} s`
    const [mine, raw] = [medianCost(costs.daybook), medianCost(costs.floor)]
    yield {
      name: `rebuild of ${formatNumber(events)} events, all projections`,
      daybook: side(mine),
      floor: side(raw),
      ...maximumRatio(mine.cpu / raw.cpu, 1.5),
      figures: { events, daybook: costs.daybook, floor: costs.floor }
    }
  }
}

const rebuilt = ({ agent }: World) => Effect.flatMap(Daybook, (daybook) => daybook.rebuild(agent))

/** The version of an agent's view. The first read builds the view from the log. */
const versionOf = (daybook: OpenDaybook, { agent }: World): Promise<number> =>
  daybook.run(
    Effect.map(
      Effect.flatMap(Daybook, ({ stats }) => stats(agent)),
      ({ version }) => version
    )
  )

/** Checks that the floor does all of the work: its rows, vectors and postings must be equal to Daybook's. */
const checkFloor = async () => {
  const world = await worldOf(1_000)
  const daybook = openDaybook(world.folder)
  const { projections: wanted } = await daybook.run(Effect.flatMap(Daybook, ({ digests }) => digests(world.agent)))
  await daybook.close()
  const db = floor.rebuild(join(world.folder, "log.db"), world.agent, join(temporaryFolder(), "floor.db"))
  const different = projections.filter((projection) => digestOf(db, projection) !== wanted[projection.name])
  db.close()
  if (different.length > 0) {
    throw new Error(`The floor and Daybook differ in ${different.map(({ name }) => name).join(", ")}.`)
  }
}

const digestOf = (db: Db, projection: (typeof projections)[number]): string => {
  const digest = makeDigest()
  projection.digest(db, digest)
  return runAllSteps(digest.hex())
}
