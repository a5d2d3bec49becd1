/**
 * The Model Context Protocol: `import { serveStdio } from "daybook/mcp"`. Both servers need a layer that provides
 * `Daybook`.
 */

export { type Caller, canUse } from "../access/Caller.js"
export type { ConnectionOptions } from "./connection.js"
export { type HttpHandler, type HttpOptions, makeHttpHandler } from "./http.js"
export { idempotencyKey } from "./server.js"
export { type StdioOptions, serveStdio } from "./stdio.js"
export type { ToolSet } from "./tools/all.js"
