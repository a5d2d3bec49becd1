/**
 * The floors of the code base. Imports go down, never up:
 *
 *   5  bin
 *   4  layers
 *   3  src
 *   2  projections
 *   1  events, migrations
 *
 * test, bench and scripts stand outside: they may import every floor, and no floor may import them.
 */
const floors = [["events", "migrations"], ["projections"], ["src"], ["layers"], ["bin"]]

const inside = (folders) => `^(${folders.join("|")})/`

const upward = floors.slice(0, -1).map((floor, index) => ({
  name: `${floor.join("-and-")}-import-down-only`,
  comment: `${floor.join(" and ")} may import their own floor and the floors below, nothing above.`,
  severity: "error",
  from: { path: inside(floor) },
  to: { path: inside(floors.slice(index + 1).flat()) }
}))

module.exports = {
  forbidden: [
    ...upward,
    {
      name: "floors-stand-alone",
      comment: "The product never imports its tests, its benchmarks or its tooling.",
      severity: "error",
      from: { path: inside(floors.flat()) },
      to: { path: inside(["test", "bench", "scripts"]) }
    },
    {
      name: "no-cycles",
      comment: "No import may lead back to the file it started from, type-only imports included.",
      severity: "error",
      from: {},
      to: { circular: true }
    }
  ],
  options: {
    includeOnly: { path: inside([...floors.flat(), "test", "bench", "scripts"]) },
    exclude: { path: "(^|/)(node_modules|\\.node|dist|coverage)(/|$)" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".mts", ".mjs", ".js", ".cjs", ".json"]
    }
  }
}
