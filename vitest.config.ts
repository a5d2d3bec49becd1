import { readFileSync } from "node:fs"
import { defineConfig } from "vitest/config"

const { version } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"))
const jsonReport = process.env.VITEST_JSON

/** The files of each mode: `vitest run`, `vitest run --mode full` and `vitest run --mode soak`. */
const files: Readonly<Record<string, string>> = { full: "test/**/*.{test,full}.ts", soak: "test/**/*.soak.ts" }

export default defineConfig(({ mode }) => {
  const timeout = mode === "soak" ? 60 * 60 * 1000 : mode === "full" ? 600 * 1000 : 180 * 1000
  return {
    define: { DAYBOOK_VERSION: JSON.stringify(version) },
    test: {
      include: [files[mode] ?? "test/**/*.test.ts"],
      // test/support/size.ts reads it. Programs that a test starts inherit it.
      env: { DAYBOOK_TEST_SIZE: mode in files ? "full" : "quick" },
      // Vite takes the package's "./*" for "./*/*" and finds no file; Node itself resolves it.
      server: { deps: { external: [/^chrono-node\//] } },
      pool: "forks",
      poolOptions: { forks: { minForks: 1, maxForks: 2 } },
      testTimeout: timeout,
      hookTimeout: timeout,
      reporters: jsonReport ? ["default", ["json", { outputFile: jsonReport }]] : ["default"]
    }
  }
})
