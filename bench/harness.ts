import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Default from "../layers/Default.js"
import * as HashEmbedder from "../layers/HashEmbedder.js"
import { Daybook } from "../src/Daybook.js"
import type { Memory } from "../src/Memory.js"
import { defaults } from "../src/ports/Policy.js"

/** The size of the runs. */
export interface Scale {
  /** Smaller and fewer runs, to check that everything works. The targets apply only to the full size. */
  readonly quick: boolean
}

/** A row of the report. */
export interface Row {
  readonly name: string
  /** The figures of Daybook and of the floor, as printed. */
  readonly daybook: string
  readonly floor: string
  /** The figure that the target applies to, as printed; empty without a target. */
  readonly result: string
  readonly target: string
  /** Null for a row without a target. */
  readonly reached: boolean | null
  /** All figures, for the JSON output. CPU and wall-clock times in milliseconds. */
  readonly figures: Readonly<Record<string, unknown>>
}

/** Rows that share their preparation, in report order. */
export interface Group {
  readonly name: string
  readonly rows: (scale: Scale) => AsyncIterable<Row>
}

/**
 * The default policy, but without a reconciler, because the floor makes no decisions. `reconcile.ts` measures their
 * cost.
 */
const policy = { ...defaults, reconcile: { ...defaults.reconcile, reconciler: "none" } } as const

/** Opens Daybook on a folder as a program would, with the embedder that made the floor's vectors. */
export const openDaybook = (folder: string, options: Default.DefaultOptions = {}) => {
  const runtime = ManagedRuntime.make(
    Layer.orDie(Default.layer({ folder, policy, embedder: HashEmbedder.layer, ...options }))
  )
  return { run: runtime.runPromise, close: () => runtime.dispose() }
}

export type OpenDaybook = ReturnType<typeof openDaybook>

/** An agent's memory at full trust. */
export const memoryOf = (agent: string): Effect.Effect<Memory, never, Daybook> =>
  Effect.orDie(Effect.flatMap(Daybook, (daybook) => daybook.agent(agent, { trust: "full" })))

/** Waits until every memory of these agents has its vector. */
export const waitForEmbeddings = (agents: ReadonlyArray<string>) =>
  Effect.flatMap(Daybook, (daybook) =>
    Effect.forEach(agents, (agent) =>
      Effect.map(daybook.backfill(agent), ({ remaining }) => {
        if (remaining > 0) throw new Error(`${remaining} memories were not embedded.`)
      })
    )
  )

let root: string | undefined
let folders = 0

/** Creates a temporary folder. It is removed when the process ends, if not earlier. */
export const temporaryFolder = (): string => {
  root ??= makeRoot()
  const folder = join(root, String(++folders))
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

const makeRoot = (): string => {
  const made = mkdtempSync(join(tmpdir(), "daybook-bench-"))
  process.on("exit", () => remove(made))
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1))
  return made
}

export const remove = (folder: string) => rmSync(folder, { recursive: true, force: true })

/** Formats a number: 1234.5 as "1,235", small numbers with two or three digits. */
export const formatNumber = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en-US") : value >= 10 ? value.toFixed(1) : value.toFixed(2)

export const minimumRatio = (value: number, minimum: number) => ({
  result: `${value.toFixed(2)} ×`,
  target: `≥ ${minimum} ×`,
  reached: value >= minimum
})

export const maximumRatio = (value: number, maximum: number) => ({
  result: `${value.toFixed(2)} ×`,
  target: `≤ ${maximum} ×`,
  reached: value <= maximum
})

/** The fields of a row without a target. */
export const withoutTarget = { result: "", target: "", reached: null }
