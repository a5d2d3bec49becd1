/**
 * A client of `daybook serve`: `import { Client, connect } from "daybook/client"`. `Client.make` is for programs that
 * use Effect, `connect` for other programs.
 */

export * from "../entry/errors.js"
export { AgentForbidden, InternalError, NoCaller, RequestRefused } from "../http/api/problems.js"
export type { ClientOptions } from "./api.js"
export * as Client from "./Client.js"
export { type ClientError, RequestFailed } from "./errors.js"
export { connect, type Promised, type PromisedDaybook } from "./promises.js"
export type { Remote, RemoteDaybook, RemoteMemory, RemoteOptions, RemoteReader } from "./remote.js"
