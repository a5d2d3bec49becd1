import { type Terminal, withoutControls } from "./terminalText.js"

let open = true

/** A closed pipe (EPIPE) is not an error: the reader, for example `head`, needs no more lines. */
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

/** The streams of this process. Colour needs a terminal and no NO_COLOR; the progress bar needs a terminal. */
export const terminal: Terminal = withoutControls({
  stdout: (text) => {
    if (open && text !== "") process.stdout.write(text)
  },
  stderr: (text) => {
    if (status !== "") replaceStatus("")
    process.stderr.write(text)
  },
  open: () => open,
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  colour: process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb",
  status: process.stderr.isTTY === true && process.env.TERM !== "dumb" ? replaceStatus : undefined
})
