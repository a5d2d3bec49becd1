import { createRequire } from "node:module"
import { Worker } from "node:worker_threads"
import { type ExitGuard, guardExit } from "./exitGuard.js"
import type { LocalModel } from "./localModel.js"

/** A message to the thread: texts to embed, or null to abort the request with this id. */
interface Request {
  readonly id: number
  readonly texts: ReadonlyArray<string> | null
}

/** The thread's response to a request. */
interface Response {
  readonly id: number
  readonly vectors?: ReadonlyArray<Float32Array>
  /** The step that failed. The library's own message is omitted, because it may quote a text. */
  readonly failed?: "load" | "run"
}

/** A model in its own thread, so that its computation does not block the process. */
export interface Encoder {
  /** The vectors of texts; rejects with the step that failed: "load" or "run". */
  readonly encode: (texts: ReadonlyArray<string>, signal: AbortSignal) => Promise<ReadonlyArray<Float32Array>>
}

/** The values that the thread starts with. */
type ThreadData = LocalModel & { readonly library: string; readonly guard: ExitGuard }

const library = "@huggingface/transformers"

/** The problem text for the missing optional package. */
export const notInstalledProblem = `the package ${library} is not installed: npm install ${library}@4`

/** The path of the library; undefined if it is not installed. */
export const libraryPath = (): string | undefined => {
  try {
    return createRequire(import.meta.url).resolve(library)
  } catch {
    return undefined
  }
}

/**
 * The program of the thread. It is passed to the thread as source text, so that it works the same in a checkout, in the
 * package and in the bundled command. It must not refer to anything outside this function.
 *
 * It encodes one text at a time, so that a vector depends only on its text, not on padding, and an abort takes effect
 * after the current text.
 */
const thread = (require: NodeJS.Require) => {
  const { parentPort, workerData } = require("node:worker_threads") as typeof import("node:worker_threads")
  const { hub, kind, library, native, path, dimensions, recipe, guard } = workerData as ThreadData
  const { busy, ending, flags } = guard
  const setBusy = (value: 0 | 1) => {
    Atomics.store(flags, busy, value)
    if (value === 0) Atomics.notify(flags, busy)
  }
  /** Marks that native code is running. Starts nothing if the process is already ending. */
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
  // Otherwise the library prints warnings about optional files to the process's stdout and stderr.
  env.logLevel = LogLevel?.NONE ?? 50
  const loadFrom = async (from: string, files: object) => {
    const tokenizer = await AutoTokenizer.from_pretrained(from, files)
    const model = await AutoModel.from_pretrained(from, { ...files, dtype: kind, device: "cpu" })
    return { tokenizer, model }
  }
  // Load cached files without the network. Otherwise the library asks the hub for a newer version.
  const load = () => {
    const folder = hub === null ? path : join(hub.cacheFolder, path, ...(hub.revision === "main" ? [] : [hub.revision]))
    const complete = files.every((file) => existsSync(join(folder, file)))
    const cached = () => loadFrom(folder, { local_files_only: true })
    if (hub === null) return cached()
    env.remoteHost = hub.host
    env.cacheDir = hub.cacheFolder
    const downloaded = () => loadFrom(path, { revision: hub.revision })
    // The cache may be incomplete, because weights may be in several files.
    return complete ? cached().catch(downloaded) : downloaded()
  }
  let loaded: ReturnType<typeof load> | undefined
  const aborted = new Set<number>()

  const vectorOf = async ({ model, tokenizer }: Awaited<ReturnType<typeof load>>, text: string) => {
    const inputs = tokenizer(text, { truncation: true, max_length: recipe.maxTokens })
    const outputs = await model(inputs)
    const { data, dims } = outputs.last_hidden_state ?? outputs.token_embeddings
    const [, length, width] = dims as [number, number, number]
    if (width !== native) throw new Error("dimensions")
    const vector = new Float32Array(dimensions)
    const [from, to] =
      recipe.pooling === "mean" ? [0, length] : recipe.pooling === "first" ? [0, 1] : [length - 1, length]
    for (let token = from; token < to; token++) {
      for (let index = 0; index < dimensions; index++) vector[index]! += data[token * width + index] / (to - from)
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
  }): Promise<Response> => {
    let failed: Response["failed"] = "load"
    try {
      loaded ??= inNativeCode(load)
      const ready = await loaded
      failed = "run"
      const vectors: Array<Float32Array> = []
      for (const text of texts) {
        // Process pending messages, such as an abort of this request.
        await new Promise((resolve) => setImmediate(resolve))
        if (aborted.has(id)) return { id, failed }
        vectors.push(await inNativeCode(() => vectorOf(ready, text)))
      }
      return { id, vectors }
    } catch {
      // The next request retries a failed download.
      if (failed === "load") loaded = undefined
      return { id, failed }
    }
  }

  let last: Promise<unknown> = Promise.resolve()
  parentPort!.on("message", ({ id, texts }: Request) => {
    if (texts === null) return aborted.add(id)
    last = last.then(async () => {
      const response = await answer({ id, texts })
      aborted.delete(id)
      parentPort!.postMessage(
        response,
        (response.vectors ?? []).map((vector) => vector.buffer as ArrayBuffer)
      )
    })
    return undefined
  })
}

/** An encoder whose thread loads the model when it gets the first text. The thread does not keep the process alive. */
export const startEncoder = (model: LocalModel, library: string): Encoder => {
  let worker: Worker | undefined
  let lastId = 0
  const pending = new Map<number, { readonly onResponse: (response: Response) => void }>()

  const start = (): Worker => {
    const { guard, release } = guardExit()
    const started = new Worker(`(${thread.toString()})(require)`, {
      eval: true,
      workerData: { ...model, library, guard } satisfies ThreadData,
      // Options of the process, for example of a test runner, may be invalid for a thread.
      execArgv: []
    })
    const ended = () => {
      release()
      // "exit" follows "error", and in between a new thread may have started.
      if (worker !== started) return
      worker = undefined
      for (const [id, { onResponse }] of pending) onResponse({ id, failed: "load" })
    }
    started.on("message", (response: Response) => pending.get(response.id)?.onResponse(response))
    started.on("error", ended)
    started.on("exit", ended)
    return started
  }

  return {
    encode: (texts, signal) =>
      new Promise((resolve, reject) => {
        worker ??= start()
        const running = worker
        const id = ++lastId
        const updateRef = () => {
          pending.delete(id)
          if (pending.size === 0) running.unref()
        }
        const onResponse = ({ failed, vectors }: Response) => {
          updateRef()
          if (vectors === undefined) reject(failed ?? "run")
          else resolve(vectors)
        }
        pending.set(id, { onResponse })
        running.ref()
        signal.addEventListener("abort", () => {
          if (!pending.has(id)) return
          updateRef()
          running.postMessage({ id, texts: null })
        })
        running.postMessage({ id, texts })
      })
  }
}
