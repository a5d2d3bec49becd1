import type { AsOfInput } from "../../src/DaybookService.js"
import type { WriteOptions } from "../../src/remember/MemoryWrites.js"
import type { Embedding } from "../../src/search/fusion.js"

/** The parameters that choose the memory of a call. */
export interface Handle {
  readonly agent: string
  readonly actor?: string | undefined
  readonly asOf?: AsOfInput | undefined
  readonly record?: boolean | undefined
  readonly forSession?: string | undefined
}

/** The parts of requests that choose the memory. */
export const requestsOf = (handle: Handle) => {
  const { actor, agent } = handle
  return {
    read: <Query extends object>(query?: Query) => ({ urlParams: { ...handle, ...query } }),
    /** A read with its query as the body, which may be longer than a URL. A typed array is no list in JSON. */
    ask: <Query extends { readonly embedding?: Embedding | undefined }>(
      { embedding, ...query }: Query = {} as Query
    ) => ({
      urlParams: handle,
      payload: { ...query, ...(embedding === undefined ? {} : { embedding: [...embedding] }) }
    }),
    write: <Query extends object>({ commandId, run, ...query }: Query & WriteOptions = {} as Query) => ({
      urlParams: { agent, actor, run, ...query },
      headers: { "idempotency-key": commandId }
    })
  }
}
