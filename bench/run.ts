import { parseArgs } from "node:util"
import * as adds from "./adds.js"
import { agents, childFlag, runChild } from "./agents.js"
import { command } from "./command.js"
import { context } from "./context.js"
import * as conversations from "./conversation.js"
import { erasure } from "./erasure.js"
import type { Group, Row } from "./harness.js"
import { hiddenDataTiming } from "./hidden.js"
import { maintain } from "./maintain.js"
import * as memory from "./memory.js"
import * as pauses from "./pauses.js"
import { rebuild } from "./rebuild.js"
import { reconcile } from "./reconcile.js"
import { header, machine, table } from "./report.js"
import { search } from "./search.js"
import { telemetry } from "./telemetry.js"
import { text } from "./text.js"
import { whatIf } from "./whatif.js"

/** All groups, in report order. */
const groups: ReadonlyArray<Group> = [
  adds.oneCaller,
  adds.manyCallers,
  adds.bulkAdds,
  memory.memory,
  rebuild,
  search,
  hiddenDataTiming,
  text,
  reconcile,
  conversations.conversation,
  context,
  whatIf,
  maintain,
  erasure,
  pauses.pauses,
  telemetry,
  agents,
  command
]

const usage = `npm run bench [-- --json] [-- --quick] [-- --only NAME]

  --json    print one JSON document with every run, instead of the table
  --quick   use small sizes, only to check that everything works
  --only    run one group: ${groups.map(({ name }) => name).join(", ")}; may be repeated`

const main = async () => {
  const { values } = parseArgs({
    options: {
      json: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      help: { type: "boolean", default: false }
    }
  })
  const unknown = values.only.find((name) => !groups.some((group) => group.name === name))
  if (values.help || unknown !== undefined) {
    console.error(unknown === undefined ? usage : `Unknown benchmark "${unknown}".\n\n${usage}`)
    process.exit(unknown === undefined ? 0 : 2)
  }
  const about = machine()
  const rows: Array<Row> = []
  for (const group of groups) {
    if (values.only.length > 0 && !values.only.includes(group.name)) continue
    console.error(`${group.name} …`)
    for await (const row of group.rows({ quick: values.quick })) rows.push(row)
  }
  console.log(
    values.json
      ? JSON.stringify({ machine: about, quick: values.quick, rows }, null, 2)
      : `${header(about, values.quick)}\n\n${table(rows)}`
  )
}

const [first, ...rest] = process.argv.slice(2)
if (first === childFlag) await runChild(rest[0]!, rest[1]!)
else if (first === conversations.childFlag) await conversations.runChild(rest[0]!, rest[1]!)
else if (first === memory.childFlag) await memory.runChild(rest[0]!, rest[1]!)
else if (first === pauses.childFlag) await pauses.runChild(rest[0]!, rest[1]!, rest[2]!)
else await main()
