import { spawnSync } from "node:child_process"
import { rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { buildSync } from "esbuild"
import type { TrustLevel } from "../events/Trust.js"
import { hashVector } from "../layers/HashEmbedder.js"
import { projections } from "../projections/all.js"
import type { Daybook } from "../src/Daybook.js"
import type { AsOfInput } from "../src/DaybookService.js"
import { Embedder } from "../src/ports/Embedder.js"
import { disputingLayer } from "./support/disputes.js"
import {
  answers,
  digestsOf,
  everything,
  type Flat,
  fresh,
  open,
  type Probes,
  temporaryFolder
} from "./support/engine.js"
import { tinyLayer } from "./support/extractor.js"
import { type Asked, histories, perform, probeOf, probesOf } from "./support/histories.js"
import { lawRuns, rounds } from "./support/size.js"

type System = Context.Tag.Service<Daybook>

const start = Date.parse("2026-03-14T06:00:00Z")
/** A clock that is moved by hours would otherwise stop at each look for idle agents. */
const awake = { actors: { idle: 365 * 24 * 60 * 60 * 1_000 } }
const names = projections.map(({ name }) => name)

/** Fails with the first difference, not with everything that was equal. */
const expectSame = (actual: Flat, expected: Flat) => {
  const keys = [...Object.keys(actual), ...Object.keys(expected)]
  const key = keys.find((key) => actual[key] !== expected[key])
  if (key !== undefined) throw new Error(`${key}: ${actual[key]} instead of ${expected[key]}`)
}

const embedded = (daybook: System, asked: Asked) =>
  Effect.forEach(
    asked.keys(),
    (agent) => Effect.map(daybook.backfill(agent), ({ remaining }) => expect(remaining).toBe(0)),
    { discard: true }
  )

describe("a view", () => {
  it.scoped.prop(
    "depends only on the log: live = rebuilt = rebuilt again = rebuilt by projection = deleted and rebuilt",
    [
      histories(
        rounds({
          quick: { minLength: 12, maxLength: 20 },
          full: { minLength: 40, maxLength: 70 },
          ci: { minLength: 25, maxLength: 40 }
        })
      )
    ],
    ([steps]) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const folder = yield* temporaryFolder
        const asked: Asked = new Map()
        const [digests, before] = yield* Effect.scoped(
          Effect.gen(function* () {
            const daybook = yield* open(folder, { policy: awake, reconciler: disputingLayer, extractor: tinyLayer })
            for (const step of steps) yield* perform({ daybook, folder, asked, wait: TestClock.adjust }, step)
            yield* embedded(daybook, asked)
            const live = yield* digestsOf(daybook, probesOf(asked))
            const before = yield* everything(daybook, probesOf(asked))
            for (const which of [undefined, undefined, ...names.map((name) => [name])]) {
              for (const agent of asked.keys()) yield* daybook.rebuild(agent, which)
              expectSame(yield* digestsOf(daybook, probesOf(asked)), live)
            }
            expectSame(yield* everything(daybook, probesOf(asked)), before)
            expect((yield* daybook.verify()).problems).toEqual([])
            return [live, before] as const
          })
        )
        rmSync(join(folder, "views"), { recursive: true })
        const daybook = yield* open(folder, { reconciler: disputingLayer, extractor: tinyLayer })
        expectSame(yield* everything(daybook, probesOf(asked)), before)
        expectSame(yield* digestsOf(daybook, probesOf(asked)), digests)
        for (const agent of asked.keys()) expect((yield* daybook.stats(agent)).view.parked).toEqual([])
      }),
    { fastCheck: { numRuns: lawRuns({ quick: 1, full: 3 }), endOnFailure: true } }
  )

  it.scoped("is the same in another process, time zone and locale", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const folder = yield* temporaryFolder
      const asked: Asked = new Map()
      const at = start + 100 * 24 * 60 * 60 * 1_000
      const steps = fcSample(
        rounds({
          quick: { minLength: 12, maxLength: 12 },
          full: { minLength: 80, maxLength: 80 },
          ci: { minLength: 25, maxLength: 25 }
        })
      )
      const here = yield* Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder, { policy: awake, reconciler: disputingLayer, extractor: tinyLayer })
          for (const step of steps) yield* perform({ daybook, folder, asked, wait: TestClock.adjust }, step)
          yield* embedded(daybook, asked)
          return {
            digests: yield* digestsOf(daybook, probesOf(asked)),
            answers: yield* everything(daybook, probesOf(asked), { at })
          }
        })
      )
      rmSync(join(folder, "views"), { recursive: true })
      // Absent where every moment that was asked about is the present one.
      rmSync(join(folder, "cache"), { recursive: true, force: true })
      const there = elsewhere(folder, probesOf(asked), at)
      expect(there.environment).toEqual(["2026-03-14T22:00", "tr-TR"])
      expectSame(there.digests, here.digests)
      expectSame(there.answers, here.answers)
    })
  )
})

describe("two processes on one folder", () => {
  it.scopedLive.prop(
    "read the same while both write",
    [histories({ agents: ["ada", "bob"], minLength: 40, maxLength: 60 })],
    ([steps]) =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const options = { reconciler: disputingLayer, extractor: tinyLayer }
        const systems = [yield* open(folder, options), yield* open(folder, options)]
        const asked: Asked = new Map()
        yield* Effect.forEach(
          steps.map((step, index) => [step, systems[index % 2]!] as const),
          ([step, daybook]) => perform({ daybook, folder, asked, wait: () => Effect.void }, step),
          { concurrency: 4, discard: true }
        )
        for (const daybook of systems) yield* embedded(daybook, asked)
        const [one, other] = systems as [System, System]
        expectSame(yield* everything(one, probesOf(asked)), yield* everything(other, probesOf(asked)))
        const live = yield* digestsOf(one, probesOf(asked))
        expectSame(yield* digestsOf(other, probesOf(asked)), live)
        const verified = yield* one.verify()
        expect(verified.problems).toEqual([])
        const heads = yield* other.agents
        expect(heads.reduce((sum, { version }) => sum + version, 0)).toBe(verified.events)
        for (const agent of asked.keys()) yield* other.rebuild(agent)
        expectSame(yield* digestsOf(one, probesOf(asked)), live)
      }),
    { fastCheck: { numRuns: lawRuns({ quick: 1, full: 4 }), endOnFailure: true } }
  )
})

/** An embedder whose documents wait at a gate; queries pass. */
const gated = Effect.map(Effect.makeLatch(false), (gate) => ({
  gate,
  layer: Layer.succeed(Embedder, {
    model: "gated-256",
    dimensions: 256,
    weight: 0.4,
    floor: 0.2,
    batch: 3,
    embed: (texts, purpose) =>
      Effect.as(
        purpose === "document" ? gate.await : Effect.void,
        texts.map((text) => hashVector(text))
      )
  })
}))

describe("as of a past version", () => {
  const law = (moving: boolean, asking: ReadonlyArray<TrustLevel>) =>
    it.scoped.prop(
      moving
        ? "every read answers at full trust as it did then"
        : "every read answers at every level as it did then, while no memory moves between stores",
      [
        histories({
          agents: ["ada"],
          moving,
          ...rounds({
            quick: { minLength: 8, maxLength: 12 },
            full: { minLength: 25, maxLength: 35 },
            ci: { minLength: 12, maxLength: 18 }
          })
        })
      ],
      ([steps]) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(start)
          const { gate, layer } = yield* gated
          // More versions are asked for at once than the cache keeps.
          const { daybook, folder } = yield* fresh({
            embedder: layer,
            reconciler: disputingLayer,
            extractor: tinyLayer,
            policy: { ...awake, asOf: { kept: 3 } }
          })
          const asked: Asked = new Map([["ada", []]])
          const recorded: Array<{ version: number; at: number; trust: TrustLevel; then: Flat; texts: Asked }> = []
          for (const [index, step] of steps.entries()) {
            yield* TestClock.adjust(1_000)
            // Every fifth time the vectors come through while others go on being written.
            if (index % 5 === 4) yield* gate.open
            else yield* gate.close
            if (step.kind === "embed") {
              const backfill = yield* Effect.fork(daybook.backfill("ada"))
              yield* gate.open
              yield* Fiber.join(backfill)
            } else yield* perform({ daybook, folder, asked, wait: TestClock.adjust }, step)
            if (index % (moving ? 4 : 7) !== 0) continue
            const at = yield* Clock.currentTimeMillis
            const probe = probeOf(asked, "ada")
            const known: Asked = new Map([["ada", [...asked.get("ada")!]]])
            const { version } = yield* daybook.stats("ada")
            for (const trust of asking) {
              const then = yield* Effect.flatMap(daybook.agent("ada", { trust }), (reader) => answers(reader, probe))
              // What came through the gate meanwhile belongs to no single version.
              if ((yield* daybook.stats("ada")).version !== version) continue
              recorded.push({ version, at, trust, then, texts: known })
            }
          }
          yield* gate.open
          yield* daybook.backfill("ada")
          yield* TestClock.adjust("3 days")
          const times = yield* Stream.runCollect(Stream.map(daybook.log("ada"), ({ recordedAt }) => recordedAt))
          const newestAt = (at: number) => [...times].filter((time) => time <= at).length
          let compared = 0
          const askAgain = (every: number) =>
            Effect.forEach(
              recorded.filter((_, index) => index % every === 0),
              ({ at, texts, then, trust, version }) =>
                Effect.gen(function* () {
                  const moments: ReadonlyArray<AsOfInput> = [
                    // Nothing else was recorded in the same millisecond.
                    ...(newestAt(at) === version ? [{ at }] : []),
                    // The time of a version is that of its event.
                    ...(trust === "full" && [...times][version - 1] === at ? [{ version }] : [])
                  ]
                  for (const asOf of moments) {
                    const reader = yield* daybook.agent("ada", { trust, asOf })
                    expectSame(yield* answers(reader, probeOf(texts, "ada")), then)
                    compared++
                  }
                }),
              { concurrency: 4, discard: true }
            )
          yield* askAgain(1)
          expect(compared).toBeGreaterThan(0)
          rmSync(join(folder, "cache"), { recursive: true, force: true })
          yield* askAgain(4)
        }),
      { fastCheck: { numRuns: lawRuns({ quick: 1, full: moving ? 3 : 2 }), endOnFailure: true } }
    )
  law(true, ["full"])
  law(false, ["full", "inner", "familiar", "public"])
})

const fcSample = (options: Parameters<typeof histories>[0]) =>
  fc.sample(histories(options), { numRuns: 1, seed: 7 })[0]!

/** Reads a folder in another process, under another time zone and locale. */
const elsewhere = (folder: string, probes: Probes, at: number) => {
  const here = fileURLToPath(new URL(".", import.meta.url))
  // Beside the assets, as in the package: an embedder and the token counts read theirs.
  const program = join(folder, "dist", "elsewhere.mjs")
  for (const name of ["node_modules", "assets"]) symlinkSync(join(here, "..", name), join(folder, name))
  buildSync({
    stdin: { contents: source, resolveDir: here, loader: "ts" },
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external"
  })
  const locale = { TZ: "Asia/Kolkata", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" }
  const { status, stderr, stdout } = spawnSync(process.execPath, [program], {
    env: { ...process.env, ...locale },
    input: JSON.stringify({ folder, at, probes: [...probes] }),
    encoding: "utf8",
    maxBuffer: 1 << 28
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as {
    readonly environment: ReadonlyArray<string>
    readonly digests: Flat
    readonly answers: Flat
  }
}

const source = `
  import { readFileSync } from "node:fs"
  import * as Effect from "effect/Effect"
  import { disputingLayer } from "./support/disputes.js"
  import { digestsOf, everything, open } from "./support/engine.js"
  import { tinyLayer } from "./support/extractor.js"

  const { at, folder, probes: entries } = JSON.parse(readFileSync(0, "utf8"))
  const probes = new Map(entries)
  await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
    const daybook = yield* open(folder, { reconciler: disputingLayer, extractor: tinyLayer })
    const digests = yield* digestsOf(daybook, probes)
    const answers = yield* everything(daybook, probes, { at })
    const environment = [
      new Date(2026, 2, 15, 3, 30).toISOString().slice(0, 16),
      Intl.DateTimeFormat().resolvedOptions().locale
    ]
    process.stdout.write(JSON.stringify({ environment, digests, answers }))
  })))
`
