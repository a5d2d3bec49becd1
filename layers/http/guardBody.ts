import type { IncomingMessage } from "node:http"
import { bodyTooLargeRefusal } from "./guardHead.js"
import type { ServerLimits } from "./guardLimits.js"
import type { Refusal } from "./guardRefusal.js"

/** A complete body that was checked, or a refusal; undefined if the client disconnected. */
export type BodyReadResult = { readonly bytes: Buffer } | { readonly refusal: Refusal } | undefined

/** Reads a body up to the limit, and checks that it is JSON. Node's own time-outs end a slow request. */
export const readBody = (request: IncomingMessage, limits: ServerLimits): Promise<BodyReadResult> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    let size = 0
    request.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= limits.bodyBytes) chunks.push(chunk)
      else {
        request.pause()
        resolve({ refusal: bodyTooLargeRefusal(limits.bodyBytes) })
      }
    })
    request.on("end", () => {
      const bytes = Buffer.concat(chunks)
      const refusal = checkJson(bytes, limits)
      resolve(refusal === undefined ? { bytes } : { refusal })
    })
    request.on("close", () => resolve(undefined))
    request.on("error", () => resolve(undefined))
  })

const [quote, backslash, comma, openBracket, closeBracket, openBrace, closeBrace] = Buffer.from('"\\,[]{}')

/**
 * Checks that a body is valid JSON within the limits. Nesting is counted before anything is parsed, because a recursive
 * decoder would exhaust the stack.
 */
export const checkJson = (bytes: Buffer, { jsonDepth, jsonValues }: ServerLimits): Refusal | undefined => {
  if (bytes.length === 0) return undefined
  let depth = 0
  let values = 1
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]
    if (byte === quote) {
      for (index++; index < bytes.length && bytes[index] !== quote; index++) if (bytes[index] === backslash) index++
    } else if (byte === comma) values++
    else if (byte === openBracket || byte === openBrace) {
      values++
      if (++depth > jsonDepth) return invalid(`is nested deeper than ${jsonDepth} levels`)
    } else if (byte === closeBracket || byte === closeBrace) depth--
  }
  if (values > jsonValues) return invalid(`has more than ${jsonValues} values`)
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes))
    return undefined
  } catch {
    return invalid("is not JSON in UTF-8")
  }
}

const invalid = (problem: string): Refusal => ({ status: 400, error: "InvalidBody", detail: `the body ${problem}` })
