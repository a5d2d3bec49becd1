import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { AgentOptions, AsOfInput, DaybookService } from "../../src/DaybookService.js"
import type { EmbedderOperations } from "../../src/embedding/admin/EmbedderOperations.js"
import type { Memory, MemoryReader } from "../../src/Memory.js"
import type { WhatIfRequest } from "../http/api/requests.js"
import type { ClientError } from "./errors.js"

/** The methods of `Handle`, which may also fail with a `ClientError`. */
export type Remote<Handle> = {
  readonly [Key in keyof Handle]: Handle[Key] extends (...args: infer Args) => Effect.Effect<infer A, infer E>
    ? (...args: Args) => Effect.Effect<A, E | ClientError>
    : Handle[Key] extends Effect.Effect<infer A, infer E>
      ? Effect.Effect<A, E | ClientError>
      : Remote<Handle[Key]>
}

/** An agent's memory on a server, at a past time. */
export interface RemoteReader extends Remote<MemoryReader> {}

/** An agent's memory on a server. A server does not import files from its own machine. */
export interface RemoteMemory extends Remote<Omit<Memory, "importMarkdown">> {}

/** Options of an agent's handle. The trust level comes from the client's token. */
export interface RemoteOptions extends Omit<AgentOptions, "trust"> {}

type Operator = Pick<
  DaybookService,
  "agents" | "verify" | "accept" | "erase" | "erasures" | "backfill" | "stats" | "digests" | "flush"
>

/** A memory system behind a server: the operations of `Daybook` that the interface offers. */
export interface RemoteDaybook extends Remote<Operator> {
  /** Throws `InvalidInput` for an unknown option. Without this check, the server would refuse each later request. */
  readonly agent: {
    (name: string, options?: RemoteOptions): RemoteMemory
    (name: string, options: RemoteOptions & { readonly asOf: AsOfInput }): RemoteReader
  }
  /** The events of an agent after a version, oldest first. */
  readonly log: (
    agent: string,
    after?: number,
    asOf?: AsOfInput
  ) => Stream.Stream<
    Stream.Stream.Success<ReturnType<DaybookService["log"]>>,
    Stream.Stream.Error<ReturnType<DaybookService["log"]>> | ClientError
  >
  readonly rebuild: (
    agent: string,
    projections?: ReadonlyArray<string>
  ) => ReturnType<Remote<Pick<DaybookService, "rebuild">>["rebuild"]>
  readonly compareView: (
    agent: string,
    projections?: ReadonlyArray<string>
  ) => ReturnType<Remote<Pick<DaybookService, "compareView">>["compareView"]>
  readonly whatIf: (
    agent: string,
    options?: WhatIfRequest
  ) => ReturnType<Remote<Pick<DaybookService, "whatIf">>["whatIf"]>
  readonly embedders: Remote<EmbedderOperations>
}
