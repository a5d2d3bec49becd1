import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Store } from "../../events/Trust.js"
import type { Memory } from "../../src/Memory.js"
import type { Observation } from "../../src/model/input.js"
import { fileOf, narrativeOf, observationOf, pathOf, sessionOf, titleOf, turnOf, type World } from "./switchWorld.js"

/** A memory that may be changed or forgotten. */
export interface Prey {
  readonly id: string
  readonly observation?: Observation
}

const stores = ["private", "shared", "social"] as const
/** What may be written, each as often as it stands here. */
export const allKinds = [
  ...Array<"add">(10).fill("add"),
  "many",
  ...Array<"update">(6).fill("update"),
  ...Array<"move">(4).fill("move"),
  ...Array<"forget">(4).fill("forget"),
  "again",
  ...Array<"turns">(4).fill("turns"),
  ...Array<"file">(3).fill("file"),
  "forgetSession",
  "forgetFile"
] as const
/** What takes vectors away from memories that had them. */
export const changing: ReadonlyArray<Kind> = ["update", "update", "move"]
export type Kind = (typeof allKinds)[number]

/**
 * One write after the other, of every kind that vectors depend on. Answers what it did. What is forgotten already,
 * by a process that was killed since, is left.
 */
export const writing = (
  memory: Memory,
  world: World,
  name: string,
  prey: ReadonlyArray<Prey>,
  kinds: ReadonlyArray<Kind>
) => {
  const own: Array<Prey> = []
  const [sessions, files]: [Array<string>, Array<{ path: string; store: Store; version: number }>] = [[], []]
  const left = [...prey]
  let count = 0
  const random = (most: number) => Math.floor(Math.random() * most)
  const fresh = () => `${name}n${count++}`
  const store = () => stores[random(3)]!
  const some = () => observationOf(world, random(world.things), fresh(), store())
  const victim = () => {
    const from = own.length > 0 && random(3) === 0 ? own : left
    return from[random(from.length)]
  }
  const drop = (id: string) => {
    for (const from of [own, left]) {
      const at = from.findIndex((one) => one.id === id)
      if (at >= 0) from.splice(at, 1)
    }
  }

  return Effect.gen(function* () {
    const kind = kinds[random(kinds.length)]!
    const one = victim()
    switch (kind) {
      case "many": {
        const observations = Array.from({ length: 40 }, some)
        for (const [at, each] of (yield* memory.rememberAll(observations)).entries()) {
          own.push({ id: Either.getOrThrow(each).id, observation: observations[at]! })
        }
        return kind
      }
      case "update": {
        if (one === undefined) return "none"
        drop(one.id)
        left.push({ id: one.id })
        const title = titleOf(random(world.things), fresh())
        yield* memory.update(one.id, { title, narrative: narrativeOf(title, world) })
        return kind
      }
      case "move":
        if (one === undefined) return "none"
        drop(one.id)
        left.push({ id: one.id })
        yield* memory.update(one.id, { store: store() })
        return kind
      case "forget":
        if (one === undefined) return "none"
        drop(one.id)
        yield* memory.forget(one.id)
        return kind
      case "again":
        if (one?.observation === undefined) return "none"
        yield* memory.remember(one.observation)
        return kind
      case "turns": {
        const session = sessionOf(random(world.things), fresh())
        const where = store()
        sessions.push(session)
        yield* memory.sessions.appendAll([1, 2, 3].map((sequence) => turnOf(session, sequence, where)))
        return kind
      }
      case "file": {
        const before = random(2) === 0 ? files[random(files.length)] : undefined
        const file = before ?? { path: pathOf(random(world.things), fresh()), store: store(), version: 0 }
        if (before === undefined) files.push(file)
        yield* memory.files.add(fileOf(file.path, ++file.version, file.store))
        return kind
      }
      case "forgetSession": {
        const session = sessions.splice(random(sessions.length), 1)[0]
        if (session === undefined) return "none"
        yield* memory.sessions.forget(session)
        return kind
      }
      case "forgetFile": {
        const file = files.splice(random(files.length), 1)[0]
        if (file === undefined) return "none"
        yield* memory.files.forget(file.path)
        return kind
      }
      default: {
        const observation = some()
        own.push({ id: (yield* memory.remember(observation)).id, observation })
        return kind
      }
    }
  }).pipe(Effect.catchTag("MemoryNotFound", () => Effect.succeed("gone" as const)))
}
