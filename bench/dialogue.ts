import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Default from "../layers/Default.js"
import * as Maintenance from "../layers/Maintenance.js"
import { defaults } from "../src/ports/Policy.js"
import { replayDialogue, type Statement } from "./decisions/dialogue.js"
import { renderDialogue } from "./decisions/renderDialogue.js"
import { remove, temporaryFolder } from "./harness.js"
import * as SetClock from "./year/clock.js"

const usage = `npm run bench:dialogue -- --data FILE [--wrong] [--json]

  --data   replay the statements in this file, oldest first: JSON lines with n, at, title, type,
           atEnd (true, ended or never) and endedBy (the number of the statement that ended it)
  --wrong  list true statements whose memory is gone, and outdated ones that no dispute marks
  --json   print one JSON document instead of the table`

const statementsOf = (file: string): ReadonlyArray<Statement> =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line))

const main = async () => {
  const { values } = parseArgs({
    options: {
      data: { type: "string" },
      wrong: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help || values.data === undefined) {
    console.log(usage)
    process.exitCode = values.help ? 0 : 2
    return
  }
  const statements = statementsOf(values.data)
  const folder = temporaryFolder()
  const clock = SetClock.make(Date.parse(statements[0]!.at))
  const engine = Layer.orDie(
    Default.layer({ folder, policy: { ...defaults, reconcile: { ...defaults.reconcile, reconciler: "rules" } } })
  )
  const result = await replayDialogue(statements, clock).pipe(
    Effect.provide(Layer.provideMerge(Maintenance.layer({ every: 3_600_000 }), engine)),
    Effect.provide(clock.layer),
    Logger.withMinimumLogLevel(LogLevel.Warning),
    Effect.runPromise
  )
  remove(folder)
  console.log(values.json ? JSON.stringify(result, null, 2) : renderDialogue(result, values.wrong))
}

await main()
