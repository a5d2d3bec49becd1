import { PassThrough, type Readable, type Writable } from "node:stream"
import type { Transport } from "@modelcontextprotocol/server"
import * as Sdk from "@modelcontextprotocol/server/stdio"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import { Daybook } from "../../src/Daybook.js"
import type { InvalidInput } from "../../src/model/errors.js"
import { refuseUnknownOptions } from "../../src/model/filters.js"
import { type ConnectionOptions, openConnection } from "./connection.js"
import { makeRun } from "./run.js"
import { makeServer } from "./server.js"
import { checkToolSet, type ToolSet } from "./tools/all.js"

export interface StdioOptions extends ConnectionOptions {
  /** Default: `all`. */
  readonly tools?: ToolSet | undefined
  /** Default: the streams of this process. Nothing else may write to `stdout`: it carries the protocol. */
  readonly stdin?: Readable | undefined
  readonly stdout?: Writable | undefined
}

/**
 * Serves the protocol over standard input and output until the input ends. Requests that arrived before the end are
 * still answered. Fails with `InvalidInput` for an invalid option.
 */
export const serveStdio = Effect.fnUntraced(function* (
  stdioOptions: StdioOptions
): Effect.fn.Return<void, InvalidInput, Daybook> {
  yield* refuseUnknownOptions(stdioOptions, ["agent", "trust", "actor", "tools", "stdin", "stdout"])
  const { stdin = process.stdin, stdout = process.stdout, tools: set = "all", ...options } = stdioOptions
  const tools = yield* checkToolSet(set)
  const connection = yield* openConnection(yield* Daybook, options)
  const runtime = yield* Effect.runtime<never>()
  const run = makeRun(runtime)
  // Logs only the name, because the message of the error may quote the input.
  const onerror = ({ name }: Error) =>
    void Runtime.runFork(runtime)(
      unreadable.has(name)
        ? Effect.logWarning("input ignored: not a valid MCP message")
        : Effect.logWarning("a message or the connection failed", { error: name })
    )
  yield* Effect.async<void>((resume) => {
    const transport = drainingTransport(stdin, stdout, () => resume(Effect.void))
    const handle = Sdk.serveStdio(() => makeServer({ connection, run, tools }), { transport, onerror })
    return Effect.promise(() => handle.close())
  })
})

/** The names of errors for input that is not JSON, or not a message of the protocol. */
const unreadable: ReadonlySet<string> = new Set(["SyntaxError", "ZodError"])

/** Maximum milliseconds for requests after the input has ended. */
const maxDrainingMillis = 5_000

/**
 * The SDK's transport, with a delayed end of the input: the SDK drops answers after the end, so the end is passed on
 * only after earlier requests are answered.
 */
const drainingTransport = (stdin: Readable, stdout: Writable, onEnd: () => void): Transport => {
  const input = new PassThrough()
  const inner = new Sdk.StdioServerTransport(input, stdout)
  const unanswered = new Set<unknown>()
  let endedAt: number | undefined
  const endWhenAnswered = () => {
    if (endedAt === undefined) return
    const isAnswered = unanswered.size === 0 && input.readableLength === 0
    if (isAnswered || Date.now() - endedAt > maxDrainingMillis) input.end()
    else setTimeout(endWhenAnswered, 10)
  }
  const ended = () => {
    if (endedAt !== undefined) return
    endedAt = Date.now()
    // The last chunk reaches the transport, and its requests reach their handlers, in a later turn of the event loop.
    setImmediate(endWhenAnswered)
  }
  const transport: Transport = {
    start: async () => {
      inner.onmessage = (message) => {
        if ("method" in message && "id" in message) unanswered.add(message.id)
        // The SDK does not answer a cancelled request.
        else if ("method" in message && message.method === "notifications/cancelled")
          unanswered.delete(message.params?.requestId)
        transport.onmessage?.(message)
      }
      inner.onerror = (error) => transport.onerror?.(error)
      inner.onclose = () => {
        stdin.unpipe(input)
        stdin.pause()
        transport.onclose?.()
        onEnd()
      }
      await inner.start()
      stdin.on("end", ended).on("close", ended).on("error", ended).pipe(input, { end: false })
    },
    send: async (message) => {
      await inner.send(message)
      if (!("method" in message)) unanswered.delete(message.id)
    },
    close: () => inner.close()
  }
  return transport
}
