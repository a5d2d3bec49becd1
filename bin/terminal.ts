import { sanitizedTerminal, type Terminal, usesColour } from "./terminalText.js"

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

/** The streams of this process. The progress bar needs a terminal. */
export const terminal: Terminal = sanitizedTerminal({
  stdout: (text) => {
    if (status !== "") replaceStatus("")
    if (open && text !== "") process.stdout.write(text)
  },
  stderr: (text) => {
    if (status !== "") replaceStatus("")
    process.stderr.write(text)
  },
  open: () => open,
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  endProcessAt: (millis, onEnd) => {
    if (onEnd !== undefined) process.once("exit", () => onEnd(performance.now()))
    setTimeout(() => process.exit(), Math.max(0, millis - performance.now())).unref()
  },
  colour: usesColour(process.env, process.stdout.isTTY === true),
  status: process.stderr.isTTY === true && process.env.TERM !== "dumb" ? replaceStatus : undefined
})
