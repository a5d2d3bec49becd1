import { createRequire } from "node:module"
import { Worker } from "node:worker_threads"
import { type ExitGuard, guardExit } from "./exitGuard.js"
import type { Place } from "./place.js"

/** What a model is asked in its own thread; null gives the rest of a request up. */
interface Ask {
  readonly id: number
  readonly texts: ReadonlyArray<string> | null
}

interface Told {
  readonly id: number
  readonly vectors?: ReadonlyArray<Float32Array>
  /** Which step failed. What a library says may quote what it was given. */
  readonly failed?: "load" | "run"
}

/** A model in a thread of its own: it computes for as long as it takes, and nothing else waits for that. */
export interface Encoder {
  /** The vectors of texts; rejects with the step that failed. */
  readonly encode: (texts: ReadonlyArray<string>, signal: AbortSignal) => Promise<ReadonlyArray<Float32Array>>
}

/** The values that the thread starts with. */
type ThreadData = Place & { readonly library: string; readonly guard: ExitGuard }

const library = "@huggingface/transformers"

/** The one line for the optional package. */
export const notInstalled = `the package ${library} is not installed: npm install ${library}@4`

/** Where the library is; undefined where it is not installed. */
export const libraryPath = (): string | undefined => {
  try {
    return createRequire(import.meta.url).resolve(library)
  } catch {
    return undefined
  }
}

/**
 * What runs in the thread. It is handed over as text, so that it is the same in
 * a checkout, in the package and in the bundled command: it knows nothing but
 * what is in it.
 *
 * Texts are encoded one at a time: a vector then depends on its text alone, not
 * on what it was padded to, and a request that nobody waits for any more ends
 * with the text that is being read.
 */
const thread = (require: NodeJS.Require) => {
  const { parentPort, workerData } = require("node:worker_threads") as typeof import("node:worker_threads")
  const { hub, kind, library, native, path, dimensions, recipe, guard } = workerData as ThreadData
  const { busy, ending, flags } = guard
  const setBusy = (value: 0 | 1) => {
    Atomics.store(flags, busy, value)
    if (value === 0) Atomics.notify(flags, busy)
  }
  /** Runs what calls native code. Never begins once the process is ending, which waits for what has begun. */
  const inNativeCode = async <A>(work: () => Promise<A>): Promise<A> => {
    setBusy(1)
    try {
      if (Atomics.load(flags, ending) === 0) return await work()
    } finally {
      setBusy(0)
    }
    return new Promise<never>(() => {})
  }
  const { existsSync } = require("node:fs") as typeof import("node:fs")
  const { join } = require("node:path") as typeof import("node:path")
  const files = ["config.json", "tokenizer.json", "tokenizer_config.json", "onnx/model.onnx"]
  setBusy(1)
  const { env, AutoModel, AutoTokenizer, LogLevel } = require(library)
  setBusy(0)
  // It would warn of files that a model need not have, on the streams of whoever asks.
  env.logLevel = LogLevel?.NONE ?? 50
  const loadFrom = async (from: string, files: object) => {
    const tokenizer = await AutoTokenizer.from_pretrained(from, files)
    const model = await AutoModel.from_pretrained(from, { ...files, dtype: kind, device: "cpu" })
    return { tokenizer, model }
  }
  // What is on disk is asked for nowhere: the library would look whether the hub has another one.
  const load = () => {
    const folder = hub === null ? path : join(hub.kept, path, ...(hub.revision === "main" ? [] : [hub.revision]))
    const whole = files.every((file) => existsSync(join(folder, file)))
    const kept = () => loadFrom(folder, { local_files_only: true })
    if (hub === null) return kept()
    env.remoteHost = hub.host
    env.cacheDir = hub.kept
    const fetched = () => loadFrom(path, { revision: hub.revision })
    // Weights may lie in several files, and not all of them be there.
    return whole ? kept().catch(fetched) : fetched()
  }
  let loaded: ReturnType<typeof load> | undefined
  const given = new Set<number>()

  const vectorOf = async ({ model, tokenizer }: Awaited<ReturnType<typeof load>>, text: string) => {
    const inputs = tokenizer(text, { truncation: true, max_length: recipe.tokens })
    const outputs = await model(inputs)
    const { data, dims } = outputs.last_hidden_state ?? outputs.token_embeddings
    const [, length, width] = dims as [number, number, number]
    if (width !== native) throw new Error("dimensions")
    const vector = new Float32Array(dimensions)
    const [from, to] =
      recipe.pooling === "mean" ? [0, length] : recipe.pooling === "first" ? [0, 1] : [length - 1, length]
    for (let token = from; token < to; token++) {
      for (let at = 0; at < dimensions; at++) vector[at]! += data[token * width + at] / (to - from)
    }
    for (const tensor of Object.values(outputs) as ReadonlyArray<{ readonly dispose?: () => void }>) tensor.dispose?.()
    return vector
  }

  const answer = async ({
    id,
    texts
  }: {
    readonly id: number
    readonly texts: ReadonlyArray<string>
  }): Promise<Told> => {
    let failed: Told["failed"] = "load"
    try {
      loaded ??= inNativeCode(load)
      const ready = await loaded
      failed = "run"
      const vectors: Array<Float32Array> = []
      for (const text of texts) {
        // Lets what was sent meanwhile arrive: that the request was given up, say.
        await new Promise((done) => setImmediate(done))
        if (given.has(id)) return { id, failed }
        vectors.push(await inNativeCode(() => vectorOf(ready, text)))
      }
      return { id, vectors }
    } catch {
      // A download that failed may be tried again.
      if (failed === "load") loaded = undefined
      return { id, failed }
    }
  }

  let last: Promise<unknown> = Promise.resolve()
  parentPort!.on("message", ({ id, texts }: Ask) => {
    if (texts === null) return given.add(id)
    last = last.then(async () => {
      const told = await answer({ id, texts })
      given.delete(id)
      parentPort!.postMessage(
        told,
        (told.vectors ?? []).map((vector) => vector.buffer as ArrayBuffer)
      )
    })
    return undefined
  })
}

/** A model that is loaded with the first text, in a thread that keeps no process alive. */
export const encoderOf = (place: Place, library: string): Encoder => {
  let worker: Worker | undefined
  let asked = 0
  const waiting = new Map<number, { readonly done: (told: Told) => void }>()

  const start = (): Worker => {
    const { guard, release } = guardExit()
    const started = new Worker(`(${thread.toString()})(require)`, {
      eval: true,
      workerData: { ...place, library, guard } satisfies ThreadData,
      // Not of its business, and an option of a test runner may be none that a thread takes.
      execArgv: []
    })
    const ended = () => {
      release()
      if (worker === started) worker = undefined
      for (const [id, { done }] of waiting) done({ id, failed: "load" })
    }
    started.on("message", (told: Told) => waiting.get(told.id)?.done(told))
    started.on("error", ended)
    started.on("exit", ended)
    return started
  }

  return {
    encode: (texts, signal) =>
      new Promise((resolve, reject) => {
        worker ??= start()
        const running = worker
        const id = ++asked
        const settle = () => {
          waiting.delete(id)
          if (waiting.size === 0) running.unref()
        }
        const done = ({ failed, vectors }: Told) => {
          settle()
          if (vectors === undefined) reject(failed ?? "run")
          else resolve(vectors)
        }
        waiting.set(id, { done })
        running.ref()
        signal.addEventListener("abort", () => {
          if (!waiting.has(id)) return
          settle()
          running.postMessage({ id, texts: null })
        })
        running.postMessage({ id, texts })
      })
  }
}
