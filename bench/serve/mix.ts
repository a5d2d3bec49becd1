import { randomGenerator } from "../data.js"
import type { LoadCall } from "./load.js"

export interface MixOptions {
  readonly agent: string
  readonly tokens: ReadonlyArray<string>
  readonly ids: ReadonlyArray<string>
  readonly queries: ReadonlyArray<string>
  readonly seed: number
}

/** The kinds of valid calls. `shares` contains the share of each. */
export type CallKind = "search" | "get" | "write"
export const shares: Readonly<Record<CallKind, number>> = { search: 0.7, get: 0.2, write: 0.1 }

/** One in this many calls is invalid. */
const badEvery = 10

export const kindOf = (random: () => number): CallKind => {
  const at = random()
  return at < shares.search ? "search" : at < shares.search + shares.get ? "get" : "write"
}

/**
 * Makes calls: 70 % searches, 20 % reads by id, 10 % writes. One call in ten is invalid: a wrong token, another agent,
 * an unknown id, a body that is not JSON. `acknowledged` collects the titles of the acknowledged writes.
 */
export const makeMix = ({ agent, ids, queries, seed, tokens }: MixOptions) => {
  const random = randomGenerator(seed)
  const pick = <A>(values: ReadonlyArray<A>): A => values[Math.floor(random() * values.length)]!
  const acknowledged: Array<string> = []
  let number = 0
  const good = (): LoadCall => {
    const token = pick(tokens)
    const shared = { token, isBad: false }
    switch (kindOf(random)) {
      case "search":
        return {
          ...shared,
          method: "GET",
          path: `/search?agent=${agent}&text=${encodeURIComponent(pick(queries))}&limit=5`
        }
      case "get":
        return { ...shared, method: "GET", path: `/memories/${pick(ids)}?agent=${agent}` }
      case "write": {
        const title = `Written by seed ${seed} as number ${++number}`
        const body = JSON.stringify({ title, type: "event" })
        const onAnswer = () => void acknowledged.push(title)
        return { ...shared, method: "POST", path: `/memories?agent=${agent}`, body, onAnswer }
      }
    }
  }
  const bad = (): LoadCall => {
    const call = { ...good(), isBad: true }
    const wrong = [
      { ...call, path: call.path.replace(`agent=${agent}`, "agent=other") },
      { ...call, method: "GET", path: `/memories/nothere?agent=${agent}` },
      { ...call, method: "POST", path: `/memories?agent=${agent}`, body: '{"title":' },
      { ...call, token: "wrong" }
    ] as const
    const { method, path, token, ...rest } = pick(wrong)
    return {
      method,
      path,
      token,
      isBad: true,
      ...(method === "POST" && "body" in rest && rest.body ? { body: rest.body } : {})
    }
  }
  return { acknowledged, next: (): LoadCall => (random() * badEvery < 1 ? bad() : good()) }
}
