import { closeSync, copyFileSync, cpSync, fsyncSync, openSync, statSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Backup from "../src/backup/Backup.js"
import { Daybook } from "../src/Daybook.js"
import { formatNumber, type Group, openDaybook, type Row, remove, temporaryFolder } from "./harness.js"
import { type Cost, measureInterleaved, measureLongestPause, medianCost } from "./measure.js"
import { type World, worldOf } from "./world.js"

/** Erases one memory of many, and copies the log: into a backup, and back into a data folder. */
export const erasure: Group = {
  name: "erasure",
  rows: async function* ({ quick }) {
    const world = await worldOf(quick ? 10_000 : 100_000)
    yield* erased(world, quick)
    yield* copied(world, quick)
  }
}

const seconds = ({ cpu, wall }: Cost): string => `${formatNumber(wall / 1_000)} s, ${formatNumber(cpu / 1_000)} s CPU`

const copyOf = ({ folder }: World): string => {
  const copy = temporaryFolder()
  cpSync(folder, copy, { recursive: true })
  // Otherwise the first checkpoint, which is measured, would wait until the copy is on disk.
  sync(join(copy, "log.db"))
  return copy
}

/** The id of a memory in the middle of an agent's log. */
const idOf = (folder: string, { agent, memories }: World): string => {
  const db = new Database(join(folder, "log.db"), { readonly: true })
  const id = db
    .prepare("SELECT payload ->> '$.memory.id' FROM events WHERE stream = ? AND type = 'ADD' LIMIT 1 OFFSET ?")
    .pluck()
    .get(agent, memories.length >> 1) as string
  db.close()
  return id
}

const erased = async function* (world: World, quick: boolean): AsyncIterable<Row> {
  const pauses: Array<number> = []
  const [reads, checks]: [Array<number>, Array<number>] = [[], []]
  const erasing = (isRewritten: boolean) => async () => {
    const folder = copyOf(world)
    const old = idOf(folder, world)
    const daybook = openDaybook(folder)
    // A search of the file cannot recognise the two-letter name "me", so erasing this actor's memory rewrites the file.
    const open = Effect.flatMap(Daybook, (system) => system.agent(world.agent, { trust: "full", actor: "me" }))
    const memory = await daybook.run(open)
    await daybook.run(memory.get([old]))
    // The first write to a copied folder checks the whole log. That check is not part of the erasure.
    const start = performance.now()
    const added = await daybook.run(memory.remember({ title: "The log of this copy is checked." }))
    checks.push(performance.now() - start)
    const id = isRewritten ? added.id : old
    const erase = Effect.flatMap(Daybook, (system) => system.erase({ agent: world.agent, ids: [id] }))
    return {
      work: async () => void pauses.push((await measureLongestPause(() => daybook.run(erase))).busy),
      close: async () => {
        const start = performance.now()
        if (!isRewritten) {
          await daybook.run(memory.get([old]))
          reads.push(performance.now() - start)
        }
        await daybook.close()
        remove(folder)
      }
    }
  }
  const costs = await measureInterleaved(
    {
      floor: () => {
        const folder = copyOf(world)
        const id = idOf(folder, world)
        return { work: () => eraseRaw(folder, id), close: () => remove(folder) }
      },
      proved: erasing(false),
      rewritten: erasing(true)
    },
    { runs: 3, warmUp: quick }
  )
  const [proved, rewritten, raw] = [costs.proved, costs.rewritten, costs.floor].map(medianCost) as [Cost, Cost, Cost]
  const [pause, read, check] = [pauses, reads, checks].map((all) => Math.max(...all)) as [number, number, number]
  const around = `the check before it ${formatNumber(check / 1_000)} s; the next read ${formatNumber(read / 1_000)} s`
  const floor = `${seconds(raw)}: scan, empty, VACUUM`
  const result = ({ wall }: Cost) => `${(wall / raw.wall).toFixed(2)} ×, ${formatNumber(wall / 1_000)} s`
  yield {
    name: `erase one of ${formatNumber(world.memories.length)} memories, until no file has it`,
    daybook: `${seconds(proved)}; longest pause ${formatNumber(pause)} ms; ${around}`,
    floor,
    result: result(proved),
    target: "≤ 3 s",
    reached: proved.wall <= 3_000,
    figures: { daybook: costs.proved, floor: costs.floor, pauses, reads, checks }
  }
  yield {
    name: "the same, if the file must be rewritten",
    daybook: seconds(rewritten),
    floor,
    result: result(rewritten),
    target: "",
    reached: null,
    figures: { daybook: costs.rewritten, floor: costs.floor }
  }
}

/** The floor: finds the events by their text, empties them, and rewrites the file, which removes old copies of rows. */
const eraseRaw = (folder: string, id: string): void => {
  const db = new Database(join(folder, "log.db"))
  db.pragma("secure_delete = ON")
  db.pragma("synchronous = FULL")
  db.transaction(() => {
    db.prepare("UPDATE events SET payload = NULL, salt = NULL WHERE instr(payload, ?) > 0").run(id)
  })()
  db.exec("VACUUM")
  db.pragma("wal_checkpoint(TRUNCATE)")
  db.close()
}

const copied = async function* (world: World, quick: boolean): AsyncIterable<Row> {
  const place = temporaryFolder()
  const bytes = statSync(join(world.folder, "log.db")).size
  let number = 0
  const next = (name: string) => join(place, `${name}-${++number}`)
  const made = next("made")
  await Effect.runPromise(Backup.create({ folder: world.folder, to: made }))
  const backups = await measureInterleaved(
    {
      floor: () => {
        const file = next("floor")
        return { work: () => backUpRaw(join(world.folder, "log.db"), file), close: () => remove(file) }
      },
      daybook: () => {
        const file = next("backup")
        const create = Backup.create({ folder: world.folder, to: file })
        return { work: () => Effect.runPromise(create), close: () => remove(file) }
      }
    },
    { runs: 3, warmUp: quick }
  )
  yield copyRow("backup", bytes, backups)
  const restores = await measureInterleaved(
    {
      floor: () => {
        const file = next("floor")
        return { work: () => copySynced(made, file), close: () => remove(file) }
      },
      daybook: () => {
        const folder = next("restored")
        const restore = Backup.restore({ file: made, folder })
        return { work: () => Effect.runPromise(restore), close: () => remove(folder) }
      }
    },
    { runs: 3, warmUp: quick }
  )
  yield copyRow("restore", bytes, restores)
  remove(place)
}

const copyRow = (
  name: string,
  bytes: number,
  costs: Readonly<Record<"daybook" | "floor", ReadonlyArray<Cost>>>
): Row => {
  const [mine, raw] = [medianCost(costs.daybook), medianCost(costs.floor)]
  const perHundred = (mine.wall / 1_000) * (100e6 / bytes)
  return {
    name: `${name} of ${formatNumber(bytes / 1e6)} MB, verified`,
    daybook: seconds(mine),
    floor: `${seconds(raw)}: copied and synced`,
    result: `${(mine.wall / raw.wall).toFixed(2)} ×, ${formatNumber(perHundred)} s a 100 MB`,
    target: name === "backup" ? "≤ 5 s a 100 MB" : "",
    reached: name === "backup" ? perHundred <= 5 : null,
    figures: { bytes, daybook: costs.daybook, floor: costs.floor }
  }
}

/** The floor of a backup: SQLite's online backup inside a read transaction. */
const backUpRaw = async (log: string, file: string): Promise<void> => {
  const db = new Database(log, { readonly: true })
  db.exec("BEGIN")
  db.prepare("SELECT 1 FROM events LIMIT 1").get()
  await db.backup(file)
  db.close()
  sync(file)
}

const copySynced = (from: string, to: string): void => {
  copyFileSync(from, to)
  sync(to)
}

const sync = (file: string): void => {
  const descriptor = openSync(file, "r")
  fsyncSync(descriptor)
  closeSync(descriptor)
}
