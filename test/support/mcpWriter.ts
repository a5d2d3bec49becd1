import { appendFileSync, existsSync, readFileSync, writeSync } from "node:fs"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"

/** A client of `daybook mcp` that writes, made to be killed. It notes each call in a journal once it is answered. */
export interface WriterOptions {
  readonly command: string
  readonly folder: string
  readonly journal: string
  /** The number of calls; those that the journal has are not made again. */
  readonly calls: number
}

/** Calls on their way at the same time. */
const atOnce = 8

/** The numbers of the calls that were answered. */
export const answeredCalls = (journal: string): ReadonlySet<number> =>
  new Set(existsSync(journal) ? readFileSync(journal, "utf8").split("\n").filter(Boolean).map(Number) : [])

/** The tool and the arguments of a call. */
export const callOf = (number: number) =>
  number % 3 === 0
    ? { name: "note_save", arguments: { content: `Note ${number}` } }
    : { name: "memory_write", arguments: { title: `Berth ${number} is let` } }

const main = async ({ calls, command, folder, journal }: WriterOptions) => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [command, "--data", folder, "mcp", "--tools", "all"],
    stderr: "ignore"
  })
  const client = new Client({ name: "writer", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } })
  // The server was killed: the next writer makes the calls again.
  client.onclose = () => process.exit(3)
  await client.connect(transport)
  writeSync(1, `${transport.pid}\n`)
  const answered = answeredCalls(journal)
  const numbers = Array.from({ length: calls }, (_, number) => number).filter((number) => !answered.has(number))
  const work = async () => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      const _meta = { "daybook/idempotency-key": `call ${number}` }
      const { content, isError } = await client.callTool({ ...callOf(number), _meta }).catch(() => process.exit(3))
      if (isError === true) {
        writeSync(2, JSON.stringify(content))
        process.exit(4)
      }
      appendFileSync(journal, `${number}\n`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  client.onclose = () => {}
  await client.close()
}

const text = process.argv[2]
if (text !== undefined) {
  main(JSON.parse(text) as WriterOptions).catch(() => {
    process.exitCode = 3
  })
}
