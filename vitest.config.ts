import { readFileSync } from "node:fs"
import { defineConfig } from "vitest/config"

const { version } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"))
const jsonReport = process.env.VITEST_JSON

// `vitest run` takes test/**/*.test.ts, `vitest run --mode soak` takes test/**/*.soak.ts.
export default defineConfig(({ mode }) => {
  const soak = mode === "soak"
  const timeout = soak ? 60 * 60 * 1000 : 180 * 1000
  return {
    define: { DAYBOOK_VERSION: JSON.stringify(version) },
    test: {
      include: [soak ? "test/**/*.soak.ts" : "test/**/*.test.ts"],
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
