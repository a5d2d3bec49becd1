import { Agent, request } from "node:http"
import { setTimeout as pause } from "node:timers/promises"

/** A call of the mix. */
export interface LoadCall {
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly token: string
  /** True if the call is invalid on purpose. */
  readonly isBad: boolean
  /** Receives the body of an answer with status 200 or 201. */
  readonly onAnswer?: (body: string) => void
}

/** The results of a load. Times are milliseconds. */
export interface LoadResult {
  readonly sent: number
  /** Number of answers by status; 0 is a connection without an answer. */
  readonly statuses: Readonly<Record<number, number>>
  /** For each valid call, the time from when it was due to the end of its answer. */
  readonly times: ReadonlyArray<number>
  readonly seconds: number
}

export interface Target {
  readonly url: string
  readonly agent: Agent
}

export const targetOf = (url: string, connections: number): Target => ({
  url,
  agent: new Agent({ keepAlive: true, maxSockets: connections })
})

/** Sends a call. Returns its status; 0 without an answer. */
const send = ({ agent, url }: Target, { body, method, onAnswer, path, token }: LoadCall): Promise<number> =>
  new Promise((resolve) => {
    const outgoing = request(
      new URL(path, url),
      {
        agent,
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
        }
      },
      (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk
        })
        response.on("end", () => {
          const status = response.statusCode ?? 0
          if (status === 200 || status === 201) onAnswer?.(text)
          resolve(status)
        })
        response.on("error", () => resolve(0))
      }
    )
    outgoing.on("error", () => resolve(0))
    outgoing.end(body)
  })

/** Measures the capacity: each of `callers` clients sends a call as soon as it has the answer to its previous call. */
export const runClosedLoad = async (
  target: Target,
  next: () => LoadCall,
  { callers, seconds }: { readonly callers: number; readonly seconds: number }
): Promise<LoadResult> => {
  const load = recorder()
  const until = performance.now() + seconds * 1_000
  const caller = async () => {
    while (performance.now() < until) await load.record(performance.now(), target, next())
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return load.result()
}

/** Sends calls at a rate per second, without waiting for the answers to earlier calls. */
export const runOpenLoad = async (
  target: Target,
  next: () => LoadCall,
  { rate, seconds }: { readonly rate: number; readonly seconds: number }
): Promise<LoadResult> => {
  const load = recorder()
  const startedAt = performance.now()
  const waiting = new Set<Promise<void>>()
  const count = Math.round(rate * seconds)
  for (let sent = 0; sent < count; ) {
    const due = Math.min(count, Math.floor(((performance.now() - startedAt) / 1_000) * rate))
    for (; sent < due; sent++) {
      const call = load.record(startedAt + (sent / rate) * 1_000, target, next())
      waiting.add(call)
      void call.then(() => waiting.delete(call))
    }
    await pause(2)
  }
  await Promise.all(waiting)
  return load.result()
}

const recorder = () => {
  const statuses: Record<number, number> = {}
  const times: Array<number> = []
  const startedAt = performance.now()
  let sent = 0
  return {
    record: async (due: number, target: Target, call: LoadCall) => {
      sent++
      const status = await send(target, call)
      statuses[status] = (statuses[status] ?? 0) + 1
      if (!call.isBad && status < 400) times.push(performance.now() - due)
    },
    result: (): LoadResult => ({ sent, statuses, times, seconds: (performance.now() - startedAt) / 1_000 })
  }
}
