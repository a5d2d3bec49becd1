import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Question, Reconciler, type Verdict } from "../src/ports/Reconciler.js"
import type { Why } from "../src/why.js"
import { fresh, type open } from "./support/engine.js"

const agent = "coop"
type System = Effect.Effect.Success<ReturnType<typeof open>>

/** A statement says itself what is to become of it: `DELETE the database moved`. */
const obeying = Layer.succeed(Reconciler, {
  name: "obeying",
  judge: ({ statement }: Question) => {
    const [action] = statement.title.split(" ")
    const verdict = (
      ["UPDATE", "DELETE", "NONE"].includes(action!)
        ? { action, target: 0, reason: "told to" }
        : { action: "ADD", reason: "nothing said" }
    ) as Verdict
    return { verdict, by: { kind: "rule" as const, name: "obeying" }, sure: true }
  }
})

const story = (daybook: System) =>
  Effect.gen(function* () {
    const memory = yield* daybook.agent(agent, { trust: "full", actor: "ada" })
    const {
      turn: { id: turn }
    } = yield* memory.sessions.append({
      session: "monday",
      role: "user",
      speaker: "Tom",
      text: "db is on 5432"
    })
    const { id: first } = yield* memory
      .remember({
        title: "The staging database port is 5432",
        store: "shared",
        from: [{ kind: "turn", id: turn }]
      })
      .pipe(
        Effect.catchTag("InvalidInput", () =>
          memory.remember({ title: "The staging database port is 5432", store: "shared" })
        )
      )
    yield* memory.remember({
      title: "UPDATE The staging database port is 5432 on db-1",
      facts: ["host: db-1"],
      store: "shared"
    })
    yield* memory.remember({ title: "NONE The staging database port is 5432", store: "shared" })
    const { id: second } = yield* memory.remember({
      title: "DELETE The staging database port is 6432",
      store: "shared"
    })
    const { id: made } = yield* memory.remember(
      { title: "postgres://db-1:6432 is the URL", store: "shared", from: [{ kind: "memory", id: second }] },
      { reconcile: false }
    )
    return { memory, first, second, made }
  })

const withoutTimes = (why: Why) =>
  JSON.stringify(why).replace(/"(recordedAt|createdAt|updatedAt|lastMentionedAt|seenAt)":\d+/g, "")

describe("why", () => {
  it.scopedLive("reports each version with its decision, the candidates' former texts, and the changes", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh({ reconciler: obeying })
      const { first, made, memory, second } = yield* story(daybook)
      const old = yield* memory.why(first)
      expect(old.versions.map(({ decision, type }) => [type, decision!.action])).toEqual([
        ["ADD", "ADD"],
        ["UPDATE", "UPDATE"],
        ["UPDATE", "NONE"],
        ["DELETE", "DELETE"]
      ])
      expect(old.versions[1]).toMatchObject({
        revision: 2,
        actor: "ada",
        decision: {
          by: { kind: "rule", name: "obeying" },
          candidates: [{ id: first, said: { title: "The staging database port is 5432", facts: [] } }]
        },
        changes: expect.arrayContaining([{ field: "facts", before: [], after: ["host: db-1"] }])
      })
      // What the candidate said by then: the host was known.
      expect(old.versions[3]!.decision!.candidates[0]!.said.facts).toEqual(["host: db-1"])
      expect(old.supersededBy).toMatchObject({ id: second, status: "active" })
      expect(old.memory.status).toBe("superseded")

      const now = yield* memory.why(second)
      expect(now.supersedes).toMatchObject([{ id: first, status: "superseded", facts: ["host: db-1"] }])
      expect(now.madeOf).toMatchObject([{ id: made }])
      expect(now.versions).toHaveLength(1)
      const derived = yield* memory.why(made)
      expect(derived.sources).toMatchObject([
        { kind: "memory", id: second, reason: "extracted", memory: { id: second } }
      ])

      yield* memory.forget(second)
      expect((yield* memory.why(made)).memory.stale).toEqual({ kind: "derived", of: second, reason: "forgotten" })
      expect(yield* Effect.flip(memory.why("nothing"))).toMatchObject({ _tag: "MemoryNotFound" })
    })
  )

  it.scopedLive("shows the newest versions and counts the others", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const { id } = yield* memory.remember({ title: "v0" })
      for (let at = 1; at <= 30; at++) yield* memory.update(id, { title: `v${at}` })
      const why = yield* memory.why(id, { limit: 3 })
      expect(why.earlier).toBe(28)
      expect(why.versions.map(({ changes }) => changes.find(({ field }) => field === "title"))).toEqual([
        { field: "title", before: "v27", after: "v28" },
        { field: "title", before: "v28", after: "v29" },
        { field: "title", before: "v29", after: "v30" }
      ])
      expect((yield* memory.why(id)).versions).toHaveLength(20)
    })
  )

  it.scopedLive("as of an old version gives the answer of that time", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh({ reconciler: obeying })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const { id, version } = yield* memory.remember({ title: "The staging database port is 5432" })
      const before = yield* memory.why(id)
      yield* memory.remember({ title: "DELETE The staging database port is 6432" })
      const then = yield* daybook.agent(agent, { trust: "full", asOf: { version: version! } })
      expect(yield* then.why(id)).toEqual(before)
    })
  )

  it.scopedLive("below full trust contains nothing that the level may not read", () =>
    Effect.gen(function* () {
      const told = (hidden: number) =>
        Effect.gen(function* () {
          const { daybook } = yield* fresh({ reconciler: obeying })
          const owner = yield* daybook.agent(agent, { trust: "full" })
          for (let at = 0; at < hidden; at++) {
            yield* owner.remember(
              { title: `The staging database port is ${at}`, store: "private" },
              { reconcile: false }
            )
          }
          const { first, made, second } = yield* story(daybook)
          for (let at = 0; at < hidden; at++) {
            yield* owner.remember(
              { title: `Secret ${at}`, store: "private", from: [{ kind: "memory", id: second }] },
              { reconcile: false }
            )
          }
          const inner = yield* daybook.agent(agent, { trust: "inner" })
          const all = [withoutTimes(yield* inner.why(second)), withoutTimes(yield* inner.why(made))]
          expect(yield* Effect.flip(inner.why(first))).toMatchObject({ _tag: "MemoryNotFound" })
          expect(all.join()).not.toContain('"version"')
          return all.map((one) => one.replaceAll(first, "1st").replaceAll(second, "2nd").replaceAll(made, "3rd"))
        })
      const without = yield* told(0)
      for (const hidden of [1, 60]) expect(yield* told(hidden)).toEqual(without)
    })
  )

  it.scopedLive("omits memories that moved above the level", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh({ reconciler: obeying })
      const { made, memory, second } = yield* story(daybook)
      const inner = yield* daybook.agent(agent, { trust: "inner" })
      expect(JSON.stringify(yield* inner.why(second))).toContain("postgres")
      yield* memory.update(made, { store: "private" })
      expect(JSON.stringify(yield* inner.why(second))).not.toContain("postgres")
      expect(yield* Effect.flip(inner.why(made))).toMatchObject({ _tag: "MemoryNotFound" })
    })
  )
})
