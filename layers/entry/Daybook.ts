import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Engine from "../../src/Daybook.js"
import { defaults } from "../../src/ports/Policy.js"
import * as Default from "../Default.js"
import { temporaryFolder } from "./temporaryFolder.js"

/** The folder and the replaceable parts of a memory system. Every field has a default. */
export type DaybookOptions = Default.DefaultOptions

/**
 * The memory system of one data folder. `agent` gives access to an agent's
 * memory at a trust level. All other operations ignore trust levels and are for
 * operators.
 *
 * @example
 * const program = Effect.gen(function* () {
 *   const daybook = yield* Daybook
 *   const memory = yield* daybook.agent("coop", { trust: "full" })
 *   return yield* memory.search({ text: "deploys" })
 * })
 * Effect.runPromise(program.pipe(Effect.provide(Daybook.layer({ folder: "./data" }))))
 */
export class Daybook extends Engine.Daybook {
  /**
   * The memory system on a data folder. The folder is created if it is missing,
   * and its policy file is read. Models and optional packages are loaded when they
   * are first used. An option with an unknown name is `InvalidInput`.
   */
  static readonly layer = (options: DaybookOptions = {}): Layer.Layer<Engine.Daybook, Default.OpenError> =>
    Default.layer(options)

  /**
   * A memory system for tests. Its log and views are in a temporary folder, which
   * is removed with the scope. It reads no policy file and nothing from the user's
   * folders. It works with Effect's `TestClock`.
   */
  static readonly layerMemory = (
    options: Omit<DaybookOptions, "folder"> = {}
  ): Layer.Layer<Engine.Daybook, Default.OpenError> =>
    Layer.unwrapScoped(Effect.map(temporaryFolder, (folder) => Default.layer({ policy: defaults, ...options, folder })))
}
