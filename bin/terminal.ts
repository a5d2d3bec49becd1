import type { Terminal } from "./output.js"

let open = true

/** Who reads our output may leave when they have seen enough: nothing is said about that. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (stream === process.stdout) open = false
    if (error.code === "EPIPE") return
    process.exitCode = 1
    if (stream === process.stdout) process.stderr.write(`daybook: stdout: ${error.message}\n`)
  })
}

let status = ""

const replaceStatus = (line: string) => {
  if (line !== status) process.stderr.write(`\r\u001b[K${line}`)
  status = line
}

/** The streams of this process. Colour and bars are for terminals, and colour for those who did not decline it. */
export const terminal: Terminal = {
  stdout: (text) => {
    if (open && text !== "") process.stdout.write(text)
  },
  stderr: (text) => {
    terminal.status?.("")
    process.stderr.write(text)
  },
  open: () => open,
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  colour: process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb",
  status: process.stderr.isTTY === true && process.env.TERM !== "dumb" ? replaceStatus : undefined
}
