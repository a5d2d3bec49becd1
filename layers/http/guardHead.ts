import type { IncomingMessage } from "node:http"
import type { ServerLimits } from "./guardLimits.js"
import type { Refusal } from "./guardRefusal.js"

/** The rules for the host names by which clients may reach the server. */
export interface HostRules {
  /** Host names that are permitted in addition to `localhost` and the address of the connection. */
  readonly names: ReadonlySet<string>
}

/**
 * Checks a request's line and headers, before its body is read. A request with `Host: attacker.example` comes from a
 * browser that was tricked by DNS rebinding. A request with another origin comes from another web page.
 */
export const checkHead = (request: IncomingMessage, rules: HostRules, limits: ServerLimits): Refusal | undefined =>
  checkTarget(request, limits) ??
  checkCount(request, limits) ??
  checkDuplicates(request) ??
  checkOrigin(request, rules) ??
  checkContent(request, limits)

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])

const checkTarget = ({ method = "", url = "" }: IncomingMessage, { urlLength }: ServerLimits): Refusal | undefined => {
  if (!methods.has(method)) {
    const allow = [...methods].join(", ")
    return { ...refused(405, "MethodNotAllowed", `the method is not allowed: use one of ${allow}`), headers: { allow } }
  }
  if (url.length > urlLength) return refused(400, "InvalidTarget", `the URL may have at most ${urlLength} characters`)
  // An absolute URL, or a URL that begins with "//", contains its own host.
  if (!/^\/(?!\/)[\w.~%!$&'()*+,;=:@/?-]*$/.test(url) || /%(?![\da-f]{2})/i.test(url))
    return refused(400, "InvalidTarget", "the URL must begin with exactly one `/` and be percent-encoded")
  const path = url.split("?", 1)[0]!
  if (/%(?:[01][\da-f]|7f|5c)/i.test(path) || path.split("/").some((part) => /^(?:\.|%2e){1,2}$/i.test(part)))
    return refused(
      400,
      "InvalidTarget",
      "the path must have no `.` or `..` segments, backslashes or control characters"
    )
  return undefined
}

/** Node 24 itself refuses a request with too many headers; Node 22.14 drops the headers above the maximum. */
const checkCount = ({ rawHeaders }: IncomingMessage, { headers }: ServerLimits): Refusal | undefined =>
  // `rawHeaders` alternates names and values.
  rawHeaders.length > 2 * headers
    ? refused(431, "TooManyHeaders", `a request may have at most ${headers} headers`)
    : undefined

/** Headers that decide about access or framing. Two programs could interpret a repeated header differently. */
const single = ["host", "authorization", "origin", "content-type", "content-length", "transfer-encoding"]

const checkDuplicates = ({ headersDistinct, httpVersion }: IncomingMessage): Refusal | undefined => {
  const repeated = single.find((name) => (headersDistinct[name]?.length ?? 0) > 1)
  if (repeated !== undefined) return refused(400, "RepeatedHeader", `the header \`${repeated}\` must occur only once`)
  return httpVersion === "1.1"
    ? undefined
    : refused(400, "UnsupportedProtocol", "the HTTP version is not supported: use HTTP/1.1")
}

const checkOrigin = ({ headers, socket }: IncomingMessage, { names }: HostRules): Refusal | undefined => {
  const { host = "", origin } = headers
  const name = hostName(host)
  const address = socket.localAddress?.replace(/^::ffff:/, "")
  if (name === undefined || !(name === "localhost" || name === address || names.has(name)))
    return refused(
      403,
      "HostForbidden",
      "this host name is not permitted: use the server's address, or start the server with --allow-host"
    )
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
    return refused(403, "OriginForbidden", "requests from other web pages are not permitted")
  const site = headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin" && site !== "none")
    return refused(403, "OriginForbidden", "requests from other web pages are not permitted")
  return undefined
}

const maxPort = 65_535

/** The name or address in a Host header, in lower case and without port and brackets; undefined if it is malformed. */
const hostName = (host: string): string | undefined => {
  const [, bracketed, plain, port = "0"] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(host) ?? []
  return Number(port) > maxPort ? undefined : (bracketed ?? plain)?.toLowerCase()
}

const checkContent = ({ headers, method }: IncomingMessage, { bodyBytes }: ServerLimits): Refusal | undefined => {
  const length = headers["content-length"]
  const hasBody = headers["transfer-encoding"] !== undefined || (length !== undefined && Number(length) > 0)
  if (!hasBody) return undefined
  if (method === "GET" || method === "HEAD") return refused(400, "UnexpectedBody", "this request must have no body")
  const type = headers["content-type"] ?? ""
  if (!/^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type))
    return refused(
      415,
      "UnsupportedMediaType",
      "the body must be JSON in UTF-8: send it with the header `Content-Type: application/json`"
    )
  const encoding = headers["content-encoding"]
  if (encoding !== undefined && encoding.toLowerCase() !== "identity")
    return refused(415, "UnsupportedMediaType", "send the body without a content encoding")
  if (Number(length) > bodyBytes) return bodyTooLargeRefusal(bodyBytes)
  return undefined
}

export const bodyTooLargeRefusal = (bodyBytes: number): Refusal =>
  refused(413, "BodyTooLarge", `the body may have at most ${bodyBytes} bytes`)

/** The body of a refused request is not read, so its connection cannot be used again. */
const refused = (status: number, error: string, detail: string): Refusal => ({ status, error, detail, closes: true })
