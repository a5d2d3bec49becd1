import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { refuseUnknownOptions } from "../../src/model/filters.js"
import * as Default from "../Default.js"
import {
  checkHostOptions,
  type HostMemory,
  type HostOptions,
  hostMemory,
  hostOptionNames,
  valueOrThrow
} from "./HostMemory.js"
import { MemoryClosed } from "./MemoryClosed.js"

/**
 * Opens a data folder for a program that does not use Effect. The promise is rejected with `StorageError`,
 * `InvalidPolicy` or `InvalidInput`. Call `close` at the end; later calls are rejected with `MemoryClosed`.
 *
 * @example
 * const memory = await openMemory({ folder: "./data", agent: "coop" })
 * const hits = await memory.run(memory.user.search({ text: "deploys" }))
 * await memory.close()
 */
export const openMemory = async (options: HostOptions & Default.DefaultOptions): Promise<HostMemory> => {
  Either.getOrThrowWith(refuseUnknownOptions(options, [...hostOptionNames, ...Default.optionNames]), identity)
  const { agent, trust, ...others } = options
  // Checked before a folder is created.
  Either.getOrThrowWith(checkHostOptions({ agent, trust }), identity)
  const runtime = ManagedRuntime.make(Default.layer(others))
  const opened = await runtime.runPromiseExit(hostMemory({ agent, trust }))
  if (Exit.isFailure(opened)) await runtime.dispose()
  return closing(valueOrThrow(opened), () => runtime.dispose())
}

/** Wraps a memory: calls after `close` fail with `MemoryClosed`. Without it, the engine would only interrupt them. */
const closing = (memory: HostMemory, dispose: () => Promise<void>): HostMemory => {
  let isClosed = false
  return {
    ...memory,
    run: async (effect) => {
      if (isClosed) throw new MemoryClosed()
      const exit = await memory.run(Effect.exit(effect))
      if (isClosed && Exit.isInterrupted(exit)) throw new MemoryClosed()
      return valueOrThrow(exit)
    },
    close: () => {
      isClosed = true
      return dispose()
    }
  }
}
