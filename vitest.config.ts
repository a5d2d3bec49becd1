import { mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs"
import { freemem, tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

const { version } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"))
const jsonReport = process.env.VITEST_JSON

/**
 * The files of each mode: `vitest run`, `vitest run --mode full` and so on. The mode `platform` runs the files of `full`
 * with the counts of `npm test`: it checks that another release of Node runs the program, not the laws once more.
 */
const files: Readonly<Record<string, string>> = {
  full: "test/**/*.{test,full}.ts",
  ci: "test/**/*.{test,full}.ts",
  platform: "test/**/*.{test,full}.ts",
  soak: "test/**/*.soak.ts"
}

/** `npm test` and `platform` are quick. */
const sizes: Readonly<Record<string, string>> = { full: "full", soak: "full", ci: "ci" }

/** The part of memory that Linux offers as a file system. */
const memory = "/dev/shm"

const hasMemory = (bytes: number): boolean => {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return Math.min(bavail * bsize, freemem()) >= bytes
  } catch {
    return false
  }
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Removes a folder. A program that a killed test has left may still write to it: the next run removes it then. */
const remove = (folder: string) => {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch {}
}

/**
 * The folder for the temporary folders of a run, removed at its end. `npm test` uses memory if it has 4 GB free, because
 * on a disk a sixth of the run is spent waiting. The other sizes use the disk.
 */
const makeScratch = (isQuick: boolean): string => {
  const parent = isQuick && hasMemory(4 * 2 ** 30) ? memory : tmpdir()
  for (const name of readdirSync(parent)) {
    const pid = name.match(/^daybook-tests-(\d+)-/)?.[1]
    if (pid !== undefined && !isRunning(Number(pid))) remove(join(parent, name))
  }
  const folder = mkdtempSync(join(parent, `daybook-tests-${process.pid}-`))
  process.on("exit", () => remove(folder))
  return folder
}

export default defineConfig(({ mode }) => {
  const isQuick = !(mode in files)
  // Many tests wait for processes, sockets and timers, so more files run at once than there are cores.
  const forks = isQuick ? 4 : 3
  const timeout = mode === "soak" ? 60 * 60 * 1000 : isQuick ? 180 * 1000 : 600 * 1000
  return {
    define: { DAYBOOK_VERSION: JSON.stringify(version) },
    test: {
      include: [files[mode] ?? "test/**/*.test.ts"],
      // test/support/size.ts reads it. Programs that a test starts inherit it.
      env: { DAYBOOK_TEST_SIZE: sizes[mode] ?? "quick", TMPDIR: makeScratch(isQuick) },
      // Vite takes the package's "./*" for "./*/*" and finds no file; Node itself resolves it.
      server: { deps: { external: [/^chrono-node\//] } },
      pool: "forks",
      // Files share the modules of their process: loading the program anew for each took a fifth of the time. The full
      // size measures memory, so there each file has a process of its own. All processes start at once: vitest ends a
      // process that it started later while its files still run.
      poolOptions: { forks: { minForks: forks, maxForks: forks, isolate: sizes[mode] === "full" } },
      testTimeout: timeout,
      hookTimeout: timeout,
      reporters: jsonReport ? ["default", ["json", { outputFile: jsonReport }]] : ["default"]
    }
  }
})
