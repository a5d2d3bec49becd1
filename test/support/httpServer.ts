import { connect } from "node:net"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { TrustLevel } from "../../events/Trust.js"
import * as TokenFile from "../../layers/access/TokenFile.js"
import { type ServeOptions, serve } from "../../layers/http/serve.js"
import { Daybook } from "../../src/Daybook.js"
import { type EngineOptions, open, temporaryFolder } from "./engine.js"

type System = Context.Tag.Service<Daybook>

export interface StartOptions extends Omit<ServeOptions, "folder" | "port"> {
  readonly engine?: EngineOptions
  /** Replaces the engine that the server uses: to count its calls, or to break it. */
  readonly wrap?: (daybook: System) => System
}

/** A server on a folder of its own, with an engine and the token file. */
export const startServer = ({ engine = {}, wrap = (daybook) => daybook, ...options }: StartOptions = {}) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const daybook = yield* open(folder, engine)
    const tokens = TokenFile.open(folder)
    const server = yield* Effect.provideService(serve({ ...options, folder, port: 0 }), Daybook, wrap(daybook))
    const tokenFor = (agents: string, trust: TrustLevel) =>
      Effect.map(Effect.orDie(tokens.add({ agents, trust })), ({ text, token }) => ({ id: token.id, text }))
    return { folder, daybook, tokens, tokenFor, ...server }
  })

export interface Answered {
  readonly status: number
  readonly headers: string
  readonly body: string
}

/**
 * Sends bytes to a port, and reads until the server closes the connection or the answer is whole. Without an answer the
 * status is 0.
 */
export const sendRaw = (port: number, request: string | Buffer, patience = 5_000): Promise<Answered> =>
  new Promise((resolve) => {
    let received = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(request))
    const finish = () => {
      socket.destroy()
      const [headers = "", ...body] = received.split("\r\n\r\n")
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(headers)?.[1] ?? 0), headers, body: body.join("\r\n\r\n") })
    }
    const timer = setTimeout(finish, patience)
    socket.setEncoding("latin1").on("data", (text: string) => {
      received += text
      const length = /content-length: (\d+)/i.exec(received)?.[1]
      const end = received.indexOf("\r\n\r\n")
      if (length !== undefined && end !== -1 && received.length >= end + 4 + Number(length)) socket.end()
      else if (/transfer-encoding: chunked/i.test(received) && received.endsWith("0\r\n\r\n")) socket.end()
    })
    socket.on("error", () => {})
    socket.on("close", () => {
      clearTimeout(timer)
      finish()
    })
  })

export interface RequestParts {
  readonly method?: string
  readonly path?: string
  /** Replaces or, if null, removes a header; the default ones make the request acceptable. */
  readonly headers?: Readonly<Record<string, string | ReadonlyArray<string> | null>>
  readonly body?: string | Buffer
}

/** The bytes of a request: acceptable to the server with this port, but for the given parts. */
export const requestBytes = (port: number, token: string, parts: RequestParts): Buffer => {
  const { body, headers = {}, method = "GET", path = "/stats" } = parts
  const all = {
    host: `127.0.0.1:${port}`,
    authorization: `Bearer ${token}`,
    ...(body === undefined
      ? {}
      : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }),
    ...headers
  }
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((content) => `${name}: ${content}`)
  )
  const head = `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`
  return Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body ?? "")])
}
