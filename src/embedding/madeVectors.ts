import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Embedder, EmbedderError } from "../ports/Embedder.js"
import { embedAll } from "../ports/embedAll.js"

type Service = Context.Tag.Service<Embedder>

/** One batch of texts by their digests, and the vectors that came of them. */
export type Texts = ReadonlyArray<readonly [digest: string, text: string]>
export type Vectors = ReadonlyArray<readonly [digest: string, vector: Float32Array]>

/** The vectors of one batch of texts, by their digests. */
export const madeOf = (embedder: Service, page: Texts, timeout: number): Effect.Effect<Vectors, EmbedderError> =>
  Effect.map(
    embedAll(
      embedder,
      page.map(([, text]) => text),
      "document",
      timeout
    ),
    (vectors) => page.flatMap(([digest], index) => (vectors[index] ? [[digest, vectors[index]] as const] : []))
  )

/** What asks an embedder, and finds out which texts it is that make a batch fail. */
export interface Making {
  /** The vectors of a batch by their digests. One that is not there is not to be had. */
  readonly made: (page: Texts) => Effect.Effect<Vectors, EmbedderError>
  /** Texts that were set aside, having failed by themselves while others did not, and why the last one of them was. */
  readonly aside: () => Aside
  /** Those that were set aside are asked once more, each alone. */
  readonly again: () => void
}

export interface Aside {
  readonly count: number
  readonly error?: EmbedderError
}

/** What is asked to learn whether anything at all is answered. */
const probe: Texts = [["", "text"]]
/** Texts that fail by themselves, and none that does not, before the fault is looked for elsewhere. */
const mostInVain = 8

/**
 * `timeout` is milliseconds for one request. A batch that fails is asked for in halves, if something as harmless as one
 * word does not fail as well: a text that fails alone is set aside, so that it keeps none of the others waiting. What
 * came is kept until its batch is whole, so that nothing is paid for twice.
 */
export const make = (embedder: Service, timeout: number): Making => {
  const aside = new Set<string>()
  const doubtful = new Set<string>()
  let reason: EmbedderError | undefined
  /** Of the batch that failed last: what came, and what has no vector. */
  const came = new Map<string, Float32Array | undefined>()
  /** The first text of the batch that was too much last time, or of which nothing came. */
  let before: string | undefined

  const setAside = (digest: string, error: EmbedderError) => {
    aside.add(digest)
    reason = error
  }

  const ask = (page: Texts) =>
    Effect.map(madeOf(embedder, page, timeout), (vectors) => {
      for (const [digest] of page) came.set(digest, undefined)
      for (const [digest, vector] of vectors) came.set(digest, vector)
    })

  const inParts = (page: Texts, error: EmbedderError): Effect.Effect<void, EmbedderError> =>
    Effect.gen(function* () {
      const busy = error.kind === "busy"
      if (isOfAll(error)) return yield* error
      const seen = before === page[0]![0]
      // Asked for less a second time: too much at once is answered the same way as too much lately.
      if (busy) before = page[0]![0]
      if (busy && !seen) return yield* error
      if (!busy && (yield* Effect.either(madeOf(embedder, probe, timeout)))._tag === "Left") return yield* error
      const failed: Array<readonly [digest: string, error: EmbedderError]> = []
      let sound = false
      const parts = page.length === 1 ? [page] : halves(page)
      for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
        const asked = yield* Effect.either(ask(part))
        if (asked._tag === "Right") sound = true
        else if (isOfAll(asked.left) || (asked.left.kind === "busy" && (!busy || part.length === 1))) {
          return yield* asked.left
        } else if (part.length > 1) {
          // How much is too much is soon found by the first of them; which text it is by all of them.
          if (busy) parts.unshift(...halves(part))
          else parts.push(...halves(part))
        } else failed.push([part[0]![0], asked.left])
        if (!seen && !sound && failed.length >= mostInVain) break
      }
      if (!seen && !sound && page.length > 1) {
        before = page[0]![0]
        return yield* error
      }
      for (const one of failed) setAside(...one)
    })

  return {
    aside: () =>
      aside.size === 0 || reason === undefined ? { count: aside.size } : { count: aside.size, error: reason },
    again: () => {
      for (const digest of aside) doubtful.add(digest)
      aside.clear()
    },
    made: (page) =>
      Effect.gen(function* () {
        const left = page.filter(([digest]) => !came.has(digest) && !aside.has(digest))
        const sound = left.filter(([digest]) => !doubtful.has(digest))
        if (sound.length > 0) yield* Effect.catchAll(ask(sound), (error) => inParts(sound, error))
        for (const one of left) {
          if (!doubtful.has(one[0])) continue
          yield* Effect.catchAll(ask([one]), (error) =>
            isOfAll(error) || error.kind === "busy" ? error : Effect.sync(() => setAside(one[0], error))
          )
          doubtful.delete(one[0])
        }
        const vectors = page.flatMap(([digest]) => {
          const vector = came.get(digest)
          return vector === undefined ? [] : [[digest, vector] as const]
        })
        came.clear()
        before = undefined
        return vectors
      })
  }
}

const halves = (page: Texts): Array<Texts> => {
  const middle = page.length >> 1
  return [page.slice(0, middle), page.slice(middle)]
}

/** Whether whatever is asked fails by it. */
const isOfAll = ({ kind }: EmbedderError): boolean => kind === "settings" || kind === "connection"
