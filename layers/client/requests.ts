import type { AsOfInput } from "../../src/DaybookService.js"
import type { WriteOptions } from "../../src/remember/MemoryWrites.js"
import type { QueryEmbedding } from "../../src/search/fusion.js"

/** The request parameters that select the memory of a call. */
export interface HandleParameters {
  readonly agent: string
  readonly actor?: string | undefined
  readonly asOf?: AsOfInput | undefined
  readonly record?: boolean | undefined
  readonly forSession?: string | undefined
}

/** Builds requests that contain the parameters of `handle`. */
export const requestBuilder = (handle: HandleParameters) => {
  const { actor, agent } = handle
  return {
    read: <Query extends object>(query?: Query) => ({ urlParams: { ...handle, ...query } }),
    /**
     * A read that sends its query as the body, because a body may be longer than a URL. The embedding becomes a plain
     * array, because JSON does not encode a typed array as a list.
     */
    ask: <Query extends { readonly embedding?: QueryEmbedding | undefined }>(
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
