import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { installationStream } from "../events/accepted.js"
import type { StorageError } from "../events/errors.js"
import * as ViewFile from "../projections/view/ViewFile.js"
import type { Engine } from "./engine.js"

/** Counts that show whether the engine makes progress. They reveal no stored content. */
export interface EngineHealth {
  /** Awake agents whose view has a projection that stopped at an event. */
  readonly parked: number
  /** Awake agents whose view cannot be read or is behind the log. */
  readonly lagging: number
  /** Milliseconds that the longest-running command has taken so far; 0 if none is running. */
  readonly commandMillis: number
}

/** Checks the log, and the views and actors of the agents that are awake. */
export const checkHealth = Effect.fnUntraced(function* ({
  agents,
  log,
  views
}: Engine): Effect.fn.Return<EngineHealth, StorageError> {
  yield* log.head(installationStream)
  let commandMillis = 0
  const checked = yield* agents.forEachAwake(({ actor }) => {
    commandMillis = Math.max(commandMillis, actor.runMillis())
    return Effect.flatMap(log.head(actor.view.agent), ({ version }) =>
      views.read(actor.view, (db) => ({
        isParked: ViewFile.findParkedProjections(db).length > 0,
        isLagging: ViewFile.checkpointOf(db).position < version
      }))
    )
  })
  const count = (isCounted: (view: Either.Either.Right<(typeof checked)[number]>) => boolean, ifUnreadable: boolean) =>
    checked.filter((view) => Either.match(view, { onLeft: () => ifUnreadable, onRight: isCounted })).length
  return {
    parked: count(({ isParked }) => isParked, false),
    lagging: count(({ isLagging }) => isLagging, true),
    commandMillis
  }
})
