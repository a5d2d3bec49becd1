import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { makeQueries } from "./data.js"
import { formatNumber, type Group, openDaybook, temporaryFolder, waitForEmbeddings } from "./harness.js"
import { median } from "./measure.js"
import { worldOf } from "./world.js"

/** Measures a complete `daybook search` process on a folder with one agent, and the start of a server on it. */
export const command: Group = {
  name: "command",
  rows: async function* ({ quick }) {
    const program = fileURLToPath(new URL("daybook.mjs", import.meta.url))
    if (!existsSync(program)) {
      console.error("command: skipped, because dist/daybook.mjs is missing. Run `npm run build` first.")
      return
    }
    const { agent, folder, memories } = await worldOf(1_000)
    const daybook = openDaybook(folder)
    await daybook.run(waitForEmbeddings([agent]))
    await daybook.close()
    const spy = join(temporaryFolder(), "spy.cjs")
    writeFileSync(spy, reportUsage)
    const runs: Array<Usage> = []
    // The first run fills the system's caches and is not counted.
    for (const [run, text] of makeQueries(memories, quick ? 4 : 10).entries()) {
      const usage = await timed(spy, [program, "--data", folder, "--agent", agent, "search", text])
      if (run > 0) runs.push(usage)
    }
    const cpu = median(runs.map((usage) => usage.cpu))
    yield {
      name: `\`daybook search\` as a process, ${formatNumber(memories.length)} memories`,
      daybook: `${cpu.toFixed(2)} s CPU, ${median(runs.map((usage) => usage.wall)).toFixed(2)} s`,
      floor: "",
      result: `${cpu.toFixed(2)} s`,
      target: "≤ 0.35 s",
      reached: cpu <= 0.35,
      figures: { runs }
    }
    const starts: Array<Usage> = []
    for (let run = 0; run < (quick ? 3 : 6); run++) {
      const usage = await timedServer(spy, [program, "--data", folder, "serve", "--port", "0"])
      if (run > 0) starts.push(usage)
    }
    const startCpu = median(starts.map((usage) => usage.cpu))
    yield {
      name: "`daybook serve`, started and ended",
      daybook: `${startCpu.toFixed(2)} s CPU; listens after ${median(starts.map((usage) => usage.wall)).toFixed(2)} s`,
      floor: "",
      result: `${startCpu.toFixed(2)} s`,
      target: "≤ 1 s",
      reached: startCpu <= 1,
      figures: { runs: starts }
    }
  }
}

/** CPU time in seconds. */
interface Usage {
  readonly cpu: number
  readonly wall: number
}

/** Node does not report a child's CPU time to its parent, so the child writes it to a file when it exits. */
const reportUsage = `process.on("exit", () => {
  const { system, user } = process.cpuUsage()
  require("node:fs").writeFileSync(process.env.BENCH_USAGE, String((system + user) / 1e6))
})`

/** Starts a server, and ends it as soon as it listens. `wall` is the time until it listens. */
const timedServer = async (spy: string, args: ReadonlyArray<string>): Promise<Usage> => {
  const report = `${spy}.usage`
  const start = performance.now()
  const child = spawn(process.execPath, ["--require", spy, ...args], {
    env: { ...process.env, BENCH_USAGE: report },
    stdio: ["ignore", "pipe", "ignore"]
  })
  const ended = once(child, "close")
  await once(child.stdout, "data")
  const wall = (performance.now() - start) / 1_000
  child.kill("SIGTERM")
  await ended
  return { wall, cpu: Number(readFileSync(report, "utf8")) }
}

const timed = async (spy: string, args: ReadonlyArray<string>): Promise<Usage> => {
  const report = `${spy}.usage`
  const start = performance.now()
  await promisify(execFile)(process.execPath, ["--require", spy, ...args], {
    env: { ...process.env, BENCH_USAGE: report }
  })
  return { wall: (performance.now() - start) / 1_000, cpu: Number(readFileSync(report, "utf8")) }
}
