import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { EventLog } from "../../events/EventLog.js"
import type { Db } from "../../projections/Projection.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import type { View, Views } from "../../projections/view/Views.js"
import type { EmbedderService } from "../ports/Embedder.js"
import type * as Actor from "./Actor.js"
import type { AnyCommand, DecidedEvent } from "./Command.js"

/** The services that background work of an awake agent uses. */
export interface AgentServices {
  readonly actor: Actor.Actor
  readonly log: Context.Tag.Service<EventLog>
  readonly views: Context.Tag.Service<Views>
}

/** The part of an agent's embedding that its actor needs. The rest is in `embedding/`. */
export interface AgentEmbedding {
  /** Embeds the memories that these commands will add, in the same write. Null if the embedder is too slow for that. */
  readonly embedInline: (
    view: View
  ) => (commands: ReadonlyArray<AnyCommand>) => Effect.Effect<ReadonlyArray<AnyCommand>> | null
  /** Receives the events of each commit. The commit took the stream from version `after` to version `to`. */
  readonly onCommit: (events: ReadonlyArray<DecidedEvent>, after: number, to: number) => void
  /** Starts the background work of an awake agent. `keepAwake` keeps the agent awake while an effect runs. */
  readonly start: (
    services: AgentServices,
    keepAwake: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<void, never, Scope.Scope>
  /** The active embedder of a view. */
  readonly activeEmbedder: (view: View) => Effect.Effect<EmbedderService>
}

/** Features that every agent gets when it wakes. */
export interface AgentFeatures<Embedding extends AgentEmbedding> {
  readonly embedding: Effect.Effect<Embedding>
  /** Asks the models before a command is decided. Absent if no reconciler is configured. */
  readonly askModels?:
    | ((
        embedder: Effect.Effect<EmbedderService>,
        read: <A>(f: (db: Db) => A) => Effect.Effect<A, ViewError>
      ) => Actor.AskModels)
    | undefined
  /** Milliseconds within which a reconciler must answer. */
  readonly redecideMillis: number
}

/** An agent that is awake in this process. */
export interface Agent<Embedding = AgentEmbedding> {
  readonly actor: Actor.Actor
  readonly embedding: Embedding
}
