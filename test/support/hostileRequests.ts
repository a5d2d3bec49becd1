import { gzipSync } from "node:zlib"
import { type RequestParts, requestBytes } from "./httpServer.js"

const body = JSON.stringify({ title: "Written by an attacker" })
const post = { method: "POST", path: "/memories?agent=coop", body } as const

/** A hostile request, and the statuses that may answer it. 0 is a closed connection. */
export type Row = readonly [
  name: string,
  parts: RequestParts | ((port: number, token: string) => string | Buffer),
  ...statuses: ReadonlyArray<number>
]

const fromBrowser: ReadonlyArray<Row> = [
  ["a page of another site", { headers: { origin: "https://evil.example" } }, 403],
  ["a page that posts", { ...post, headers: { origin: "https://evil.example" } }, 403],
  ["a page of another local port", { headers: { origin: "http://127.0.0.1:3000" } }, 403],
  ["a page of localhost by another name", { headers: { origin: "http://localhost" } }, 403],
  ["an opaque origin", { headers: { origin: "null" } }, 403],
  ["a file in the browser", { headers: { origin: "file://" } }, 403],
  ["an extension", { headers: { origin: "chrome-extension://abcdef" } }, 403],
  ["an image of another site", { headers: { "sec-fetch-site": "cross-site" } }, 403],
  ["a page of another subdomain", { headers: { "sec-fetch-site": "same-site" } }, 403],
  [
    "a preflight",
    { method: "OPTIONS", headers: { origin: "https://evil.example", "access-control-request-method": "POST" } },
    403,
    405
  ],
  ["a form", { ...post, headers: { "content-type": "application/x-www-form-urlencoded" } }, 415],
  ["a form with files", { ...post, headers: { "content-type": "multipart/form-data; boundary=x" } }, 415],
  ["a text form", { ...post, headers: { "content-type": "text/plain" } }, 415],
  ["a WebSocket", { headers: { origin: "https://evil.example", connection: "Upgrade", upgrade: "websocket" } }, 403],
  [
    "a script of another site that calls a tool",
    { ...post, path: "/mcp", headers: { origin: "https://evil.example" } },
    403
  ],
  ["an event source of another site", { path: "/log/events", headers: { origin: "https://evil.example" } }, 403],
  ["an upper-case origin of another site", { headers: { origin: "HTTPS://EVIL.EXAMPLE" } }, 403],
  ["an origin twice", { headers: { origin: ["https://evil.example", "http://127.0.0.1"] } }, 400]
]

const byRebinding: ReadonlyArray<Row> = [
  ["a foreign name", { headers: { host: "evil.example" } }, 403],
  [
    "a foreign name and the port",
    (port, token) => requestBytes(port, token, { headers: { host: `evil.example:${port}` } }),
    403
  ],
  ["a name that begins like localhost", { headers: { host: "localhost.evil.example" } }, 403],
  ["a name that begins like the address", { headers: { host: "127.0.0.1.evil.example" } }, 403],
  ["a port that no server has", { headers: { host: "127.0.0.1:65536" } }, 403],
  ["user information in the name", { headers: { host: "localhost@evil.example" } }, 400, 403],
  ["an empty name", { headers: { host: "" } }, 400, 403],
  ["no name", { headers: { host: null } }, 400],
  ["two names", { headers: { host: ["127.0.0.1", "evil.example"] } }, 400],
  ["another address", { headers: { host: "192.168.1.7" } }, 403],
  ["any address", { headers: { host: "0.0.0.0" } }, 403],
  ["an absolute address", (port, token) => requestBytes(port, token, { path: "http://evil.example/stats" }), 400],
  ["an address without a scheme", { path: "//evil.example/stats" }, 400],
  ["a foreign name for what needs no token", { path: "/health", headers: { host: "evil.example" } }, 403],
  ["a foreign name for the definition", { path: "/openapi.json", headers: { host: "evil.example" } }, 403],
  ["a foreign name for tools", { ...post, path: "/mcp", headers: { host: "evil.example" } }, 403],
  ["a name that ends in a dot", { headers: { host: "localhost." } }, 403],
  ["the address as one number", { headers: { host: "2130706433" } }, 403],
  ["the address of another family", { headers: { host: "[::1]" } }, 403],
  ["a forwarded name", { headers: { host: "evil.example", "x-forwarded-host": "localhost" } }, 403]
]

const byOthers: ReadonlyArray<Row> = [
  ["no token", { headers: { authorization: null } }, 401],
  ["an empty token", { headers: { authorization: "Bearer " } }, 401],
  ["a made-up token", { headers: { authorization: `Bearer daybook_0123456789_${"A".repeat(43)}` } }, 401],
  [
    "the right id with another secret",
    (port, token) => requestBytes(port, `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`, {}),
    401
  ],
  ["the id alone", (port, token) => requestBytes(port, token.split("_")[1]!, {}), 401],
  ["a shortened secret", (port, token) => requestBytes(port, token.slice(0, -1), {}), 401],
  [
    "basic authentication",
    (port, token) =>
      requestBytes(port, "", { headers: { authorization: `Basic ${Buffer.from(`a:${token}`).toString("base64")}` } }),
    401
  ],
  [
    "the token in the address",
    (port, token) => requestBytes(port, "", { path: `/stats?token=${token}&access_token=${token}` }),
    401
  ],
  [
    "the token in a cookie",
    (port, token) => requestBytes(port, "", { headers: { authorization: null, cookie: `token=${token}` } }),
    401
  ],
  [
    "two tokens",
    (port, token) => requestBytes(port, "", { headers: { authorization: [`Bearer ${token}`, "Bearer x"] } }),
    400
  ],
  ["a long token", { headers: { authorization: `Bearer ${"A".repeat(10_000)}` } }, 401],
  ["a write without a token", { ...post, headers: { authorization: null } }, 401],
  ["another agent", { path: "/stats?agent=other" }, 403],
  ["another agent, written to", { ...post, path: "/memories?agent=other" }, 403, 404],
  ["tools without a token", { ...post, path: "/mcp", headers: { authorization: null } }, 401],
  ["events without a token", { path: "/log/events", headers: { authorization: null } }, 401],
  ["tools for another agent", { ...post, path: "/mcp?agent=other" }, 403],
  ["an agent with a longer name", { path: "/stats?agent=coop2" }, 403],
  ["an agent with another case", { path: "/stats?agent=Coop" }, 403],
  ["the agent's name as a pattern", { path: "/stats?agent=*" }, 403],
  ["two agents", { path: "/stats?agent=coop&agent=other" }, 400, 403]
]

const wrong: ReadonlyArray<Row> = [
  ["an unknown method", { method: "BREW" }, 400, 405],
  ["TRACE", { method: "TRACE" }, 400, 405],
  ["CONNECT", { method: "CONNECT", path: "127.0.0.1:22" }, 0, 400, 405],
  ["a read with a body", { body }, 400],
  ["XML", { ...post, headers: { "content-type": "application/xml" } }, 415],
  ["JSON in another charset", { ...post, headers: { "content-type": "application/json; charset=utf-16" } }, 415],
  ["a body without a type", { ...post, headers: { "content-type": null } }, 415],
  ["a compressed body", { ...post, headers: { "content-encoding": "gzip" } }, 415],
  ["half a JSON document", { ...post, body: '{"title":"x"' }, 400],
  ["bytes that are not UTF-8", { ...post, body: Buffer.from([0x22, 0xff, 0xfe, 0x22]) }, 400],
  ["a path out of the folder", { path: "/../../etc/passwd" }, 400],
  ["an encoded path out of the folder", { path: "/files/%2e%2e/%2E%2E/etc/passwd" }, 400],
  ["a path with backslashes", { path: "/files/..%5c..%5cpasswd" }, 400],
  ["a zero byte in the path", { path: "/files/a%00.md" }, 400],
  ["a broken escape", { path: "/files/%zz" }, 400],
  [
    "a space in the path",
    (port, token) => `GET /stats x HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`,
    400
  ],
  ["an unknown path", { path: "/.env" }, 400, 404]
]

const smuggled: ReadonlyArray<Row> = [
  ["two lengths", { ...post, headers: { "content-length": ["5", "38"] } }, 400],
  ["a length and chunks", { ...post, headers: { "transfer-encoding": "chunked" } }, 400],
  [
    "an unknown encoding after chunks",
    { ...post, headers: { "content-length": null, "transfer-encoding": "chunked, identity" } },
    400
  ],
  ["a negative length", { ...post, headers: { "content-length": "-1" } }, 400],
  ["a length in hexadecimal", { ...post, headers: { "content-length": "0x26" } }, 400],
  [
    "a header with a line break",
    (port, token) => `GET /stats HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx: a\nauthorization: Bearer ${token}\r\n\r\n`,
    0,
    400,
    401
  ],
  [
    "a folded header",
    (port, token) =>
      `GET /stats HTTP/1.1\r\nhost: evil.example\r\n 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`,
    400,
    403
  ],
  [
    "a space before the colon",
    (port, token) => `GET /stats HTTP/1.1\r\nhost : 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`,
    400
  ],
  [
    "HTTP/1.0",
    (port, token) => `GET /stats HTTP/1.0\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`,
    0,
    400
  ],
  ["HTTP/2", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0, 400, 505],
  ["TLS", () => Buffer.from("16030100c8010000c40303", "hex"), 0, 400]
]

const bombs: ReadonlyArray<Row> = [
  ["deep lists", { ...post, body: "[".repeat(200_000) }, 400],
  ["deep objects", { ...post, body: `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}` }, 400],
  ["a million values", { ...post, body: `[${"0,".repeat(1_000_000)}0]` }, 400],
  ["a length of a terabyte", { ...post, body: "{}", headers: { "content-length": "1099511627776" } }, 413],
  [
    "endless chunks",
    (port, token) => {
      const chunk = `ffff\r\n${"a".repeat(0xffff)}\r\n`
      const head = requestBytes(port, token, {
        ...post,
        body: "",
        headers: { "content-length": null, "transfer-encoding": "chunked" }
      })
      return Buffer.concat([head, Buffer.from(chunk.repeat(100))])
    },
    413,
    0
  ],
  ["a long address", { path: `/stats?agent=coop&text=${"a".repeat(10_000)}` }, 400],
  [
    "a header too many",
    (port, token) =>
      // The host and the token are two more.
      requestBytes(port, token, {
        headers: Object.fromEntries(Array.from({ length: 63 }, (_, index) => [`x-${index}`, "a"]))
      }),
    431
  ],
  ["a huge header", { headers: { "x-large": "a".repeat(100_000) } }, 431],
  [
    "a thousand headers",
    (port, token) =>
      requestBytes(port, token, {
        headers: Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x-${index}`, "a"]))
      }),
    400,
    431
  ],
  ["thousands of parameters", { path: `/stats?agent=coop${"&a=1".repeat(2_500)}` }, 400],
  [
    "a compressed bomb",
    { ...post, body: gzipSync("0".repeat(10_000_000)), headers: { "content-encoding": "gzip" } },
    415
  ],
  ["many objects in a query", { ...post, path: "/search?agent=coop", body: `[${"{},".repeat(300_000)}{}]` }, 400],
  ["many objects", { ...post, body: `[${"{},".repeat(300_000)}{}]` }, 400],
  ["a long number", { ...post, body: `${"9".repeat(6_000_000)}` }, 413],
  ["a text of quotes without an end", { ...post, body: `"${'\\"'.repeat(500_000)}` }, 400],
  ["a huge number", { ...post, body: `{"title":"x","importance":1e999999}` }, 400, 404],
  ["a prototype", { ...post, body: `{"__proto__":{"title":"x"},"constructor":{"prototype":{}}}` }, 400, 404]
]

const groups = { fromBrowser, byRebinding, byOthers, wrong, smuggled, bombs }

/** Every hostile request. Their answers hold no row of a memory, and they write nothing. */
export const rows: ReadonlyArray<Row> = Object.values(groups).flat()
