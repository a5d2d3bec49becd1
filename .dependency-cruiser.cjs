/**
 * Floors and rooms. Imports go down, never up and never across.
 *
 *   5  bin
 *   4  layers
 *   3  src, whose rooms stand on each other in the order below
 *   2  projections
 *   1  events, migrations, text
 *
 * test, bench, scripts and training stand outside: they may import every floor, and no floor may import them.
 */
const floors = [["events", "migrations", "text"], ["projections"], ["src"], ["layers"], ["bin"]]

/** Folders of `src`, lowest first. Its loose files are the handle (`Memory`) and the system (`Daybook`), above all rooms. */
const rooms = [
  "model",
  "ports",
  "actor",
  "remember",
  "search",
  "conversation",
  "notes",
  "recalls",
  "capture",
  "embedding",
  "schedules",
  "maintenance",
  "context",
  "undo",
  "whatIf",
  "import",
  "erasure",
  "backup"
]

const outside = ["test", "bench", "scripts", "training"]
const inside = (folders) => `^(${folders.join("|")})/`

const upward = floors.slice(0, -1).map((floor, index) => ({
  name: `${floor.join("-and-")}-import-down-only`,
  comment: `${floor.join(" and ")} may import their own floor and the floors below, nothing above.`,
  severity: "error",
  from: { path: inside(floor) },
  to: { path: inside(floors.slice(index + 1).flat()) }
}))

const roomsUpward = rooms.map((room, index) => ({
  name: `room-${room}-imports-down-only`,
  comment: `src/${room} may import ${rooms.slice(0, index).join(", ") || "no other room"}.`,
  severity: "error",
  from: { path: `^src/${room}/` },
  to: { path: `^src/(?!(${rooms.slice(0, index + 1).join("|")})/)` }
}))

module.exports = {
  forbidden: [
    ...upward,
    ...roomsUpward,
    {
      name: "every-room-has-its-place",
      comment: "A new folder of src takes its place in the list of rooms above.",
      severity: "error",
      from: { path: `^src/(?!(${rooms.join("|")})/)[^/]+/` },
      to: {}
    },
    {
      name: "text-stands-alone",
      comment: "text holds pure functions of text: it imports no other folder.",
      severity: "error",
      from: { path: "^text/" },
      to: { pathNot: "^text/" }
    },
    {
      name: "floors-stand-alone",
      comment: "The product never imports its tests, its benchmarks or its tooling.",
      severity: "error",
      from: { path: inside(floors.flat()) },
      to: { path: inside(outside) }
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
    includeOnly: { path: inside([...floors.flat(), ...outside]) },
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
