import { readFileSync } from "node:fs"
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

export default defineConfig(({ mode }) => {
  const timeout = mode === "soak" ? 60 * 60 * 1000 : mode in files ? 600 * 1000 : 180 * 1000
  return {
    define: { DAYBOOK_VERSION: JSON.stringify(version) },
    test: {
      include: [files[mode] ?? "test/**/*.test.ts"],
      // test/support/size.ts reads it. Programs that a test starts inherit it.
      env: { DAYBOOK_TEST_SIZE: sizes[mode] ?? "quick" },
      // Vite takes the package's "./*" for "./*/*" and finds no file; Node itself resolves it.
      server: { deps: { external: [/^chrono-node\//] } },
      pool: "forks",
      // Files share the modules of their process: loading the program anew for each took a fifth of the time. The full
      // size measures memory, so there each file has a process of its own. Many tests wait for processes, sockets and
      // timers, so three run at once on two cores. Three from the start: vitest ends a process that it started later
      // while its files still run.
      poolOptions: { forks: { minForks: 3, maxForks: 3, isolate: sizes[mode] === "full" } },
      testTimeout: timeout,
      hookTimeout: timeout,
      reporters: jsonReport ? ["default", ["json", { outputFile: jsonReport }]] : ["default"]
    }
  }
})
