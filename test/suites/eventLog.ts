import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { requestDigestOf, type StoredEvent, sameBytes } from "../../events/Chain.js"
import { codec } from "../../events/Codec.js"
import {
  type Append,
  type Appended,
  EventLog,
  type ExpectedVersion,
  type NewCommand,
  type NewEvent,
  readAll
} from "../../events/EventLog.js"
import type { StorageError } from "../../events/errors.js"
import { verify } from "../../events/verify.js"
import { lawRuns, rounds } from "../support/size.js"

/** What no log offers, done to its storage directly. */
export class ByHand extends Context.Tag("test/ByHand")<
  ByHand,
  {
    /** Takes payload, salt and request digest from an event, as erasure does. */
    readonly erase: (stream: string, version: number) => Effect.Effect<void>
  }
>() {}

/** What every event log keeps, whatever it stores events in. Each test gets a new, empty log. */
export const eventLogSuite = (name: string, layer: Layer.Layer<EventLog | ByHand, StorageError>) => {
  const test = <A, E>(title: string, body: Effect.Effect<A, E, EventLog | ByHand>) =>
    it.effect(title, () => Effect.provide(body, layer))

  timersSuite(name, test)

  describe(`${name}: appending`, () => {
    const stored = 3
    const cases: ReadonlyArray<readonly [expected: ExpectedVersion, fresh: boolean, existing: boolean]> = [
      ["any", true, true],
      ["none", true, false],
      ["exists", false, true],
      [0, true, false],
      [stored, false, true],
      [stored - 1, false, false],
      [stored + 1, false, false]
    ]
    for (const [expected, fresh, existing] of cases) {
      for (const [stream, version, allowed] of [
        ["fresh", 0, fresh],
        ["existing", stored, existing]
      ] as const) {
        test(
          `expecting ${expected} of a stream at version ${version} is ${allowed ? "met" : "refused"}`,
          Effect.gen(function* () {
            const log = yield* EventLog
            yield* log.append(appendOf("existing", [commandOf({}, 3)]))
            const outcome = yield* Effect.either(log.append({ ...appendOf(stream, [commandOf({}, 2)]), expected }))
            if (allowed) {
              expect(versionsOf(Either.getOrThrow(outcome))).toEqual([version + 1, version + 2])
            } else {
              expect(Either.flip(outcome).pipe(Either.getOrThrow)).toMatchObject({
                _tag: "VersionConflict",
                stream,
                expected,
                actual: version
              })
            }
            expect((yield* log.head(stream)).version).toBe(allowed ? version + 2 : version)
            yield* soundness
          })
        )
      }
    }

    test(
      "stores the given events and returns them",
      Effect.gen(function* () {
        const log = yield* EventLog
        const [answer] = yield* log.append({
          stream: "one",
          expected: "none",
          now: 1_000,
          commands: [
            {
              commandId: "c-1",
              request: "what was asked",
              actor: "somebody",
              events: [
                { type: "ADD", schema: 7, payload: '{"text":"Zoë, 日本, 🜁"}', occurredAt: 12, cause: "because" },
                { type: "UPDATE", schema: 1, payload: "{}" }
              ]
            }
          ]
        })
        expect(answer!.repeated).toBe(false)
        const [first, second] = answer!.events
        expect(first).toMatchObject({
          stream: "one",
          version: 1,
          type: "ADD",
          schema: 7,
          payload: '{"text":"Zoë, 日本, 🜁"}',
          commandId: "c-1",
          ordinal: 0,
          actor: "somebody",
          cause: "because",
          occurredAt: 12,
          recordedAt: 1_000,
          erasedAt: null
        })
        expect(sameBytes(first!.requestDigest, requestDigestOf(first!.salt!, "what was asked"))).toBe(true)
        expect(second).toMatchObject({
          version: 2,
          schema: 1,
          commandId: "c-1",
          ordinal: 1,
          requestDigest: null,
          cause: null,
          occurredAt: 1_000
        })
        expect(sameBytes(first!.salt, second!.salt)).toBe(false)
        expect(plain(yield* log.read("one", { after: 0, limit: 10 }))).toEqual(plain(answer!.events))
        yield* soundness
      })
    )

    test(
      "stores all commands of an append or none",
      Effect.gen(function* () {
        const log = yield* EventLog
        yield* log.append(appendOf("one", [commandOf({ commandId: "used", request: "this" })]))
        const refused = yield* Effect.flip(
          log.append({
            ...appendOf("one", [commandOf({}), commandOf({ commandId: "used", request: "that" }), commandOf({})]),
            vectors: [vectorOf("lost", [1, 2])]
          })
        )
        expect(refused).toMatchObject({ _tag: "CommandConflict", stream: "one", commandId: "used" })
        expect((yield* log.head("one")).version).toBe(1)
        expect((yield* log.vectors("model", 2, [digestOf("lost")])).size).toBe(0)
        yield* soundness
      })
    )

    test(
      "50 writers with exact versions: one winner for each version",
      Effect.gen(function* () {
        const log = yield* EventLog
        const writers = 50
        const each = rounds({ quick: 4, full: 200 })
        let conflicts = 0
        const writer = (index: number) =>
          Effect.gen(function* () {
            const won: Array<number> = []
            while (won.length < each) {
              const { version } = yield* log.head("contested")
              yield* Effect.yieldNow()
              const outcome = yield* Effect.either(
                log.append({
                  ...appendOf("contested", [commandOf({ actor: `writer ${index}` })]),
                  expected: version
                })
              )
              if (Either.isRight(outcome)) {
                expect(versionsOf(outcome.right)).toEqual([version + 1])
                won.push(version + 1)
              } else {
                expect(outcome.left).toMatchObject({ _tag: "VersionConflict", expected: version })
                conflicts++
              }
            }
            return won
          })
        const won = yield* Effect.forEach(Array.from({ length: writers }).keys(), writer, { concurrency: "unbounded" })
        expect(won.flat().sort((a, b) => a - b)).toEqual(upTo(writers * each))
        expect(conflicts).toBeGreaterThan(0)
        const events = yield* allOf("contested")
        won.forEach((versions, index) => {
          const mine = events.filter(({ actor }) => actor === `writer ${index}`)
          expect(mine.map(({ version }) => version)).toEqual(versions)
        })
        yield* soundness
        console.log(`${name}: ${writers * each} versions won by ${writers} writers, ${conflicts} conflicts`)
      })
    )

    it.live("an interrupted caller does not block other appends, at any moment", () =>
      Effect.gen(function* () {
        const log = yield* EventLog
        let version = 0
        // A fiber gives way to others every so many steps: there it is interrupted, at each place of the way once.
        for (let steps = 10; steps < 60; steps++) {
          for (let turns = 1; turns <= 3; turns++) {
            const append = appendOf("one", [commandOf({ commandId: `${++version}` })])
            const way = Effect.zipRight(Effect.replicateEffect(Effect.void, 3), log.append(append))
            const caller = yield* Effect.fork(Effect.withMaxOpsBeforeYield(way, steps))
            yield* Effect.replicateEffect(Effect.yieldNow(), turns)
            yield* Fiber.interruptFork(caller)
            const other = appendOf("two", [commandOf({})])
            const [answer] = yield* Effect.timeout(log.append(other), "5 seconds")
            expect(answer!.events[0]!.version).toBe(version)
            // Carried out or not: nobody knows until it is asked for again.
            yield* log.append(append)
            expect((yield* log.head("one")).version).toBe(version)
          }
        }
        yield* soundness
      }).pipe(Effect.provide(layer))
    )

    it.effect.prop(
      "versions have no gaps and sequences only grow, in any order of appends",
      [FastCheck.array(FastCheck.tuple(FastCheck.nat(3), FastCheck.integer({ min: 1, max: 4 })), { maxLength: 40 })],
      ([appends]) =>
        Effect.gen(function* () {
          const log = yield* EventLog
          const answers = yield* Effect.forEach(
            appends,
            ([stream, events]) => log.append(appendOf(`stream ${stream}`, [commandOf({}, events)])),
            { concurrency: "unbounded" }
          )
          const sequences = new Set<number>()
          for (const stream of new Set(appends.map(([one]) => `stream ${one}`))) {
            const events = yield* allOf(stream)
            const wanted = appends.filter(([one]) => `stream ${one}` === stream).reduce((sum, [, n]) => sum + n, 0)
            expect(events.map(({ version }) => version)).toEqual(upTo(wanted))
            for (const { sequence } of events) sequences.add(sequence)
          }
          expect(sequences.size).toBe(appends.reduce((sum, [, n]) => sum + n, 0))
          for (const answer of answers) {
            const versions = versionsOf(answer)
            expect(versions).toEqual(versions.map((_, index) => versions[0]! + index))
          }
          yield* soundness
        }).pipe(Effect.provide(layer)),
      { fastCheck: { numRuns: lawRuns({ quick: 8, full: 25 }) } }
    )

    it.effect.prop(
      "the recording time never decreases, although the clock does",
      [FastCheck.array(FastCheck.nat(20), { minLength: 1, maxLength: 20 }), FastCheck.nat(25)],
      ([clock, asked]) =>
        Effect.gen(function* () {
          const log = yield* EventLog
          for (const now of clock) {
            yield* log.append({
              ...appendOf("one", [
                commandOf({ events: [{ ...event(), occurredAt: 3 }] }),
                commandOf({ events: [event()] })
              ]),
              now
            })
          }
          const events = yield* allOf("one")
          let latest = 0
          const wanted = clock.flatMap((now) => {
            latest = Math.max(latest, now)
            return [
              [3, latest],
              [latest, latest]
            ]
          })
          expect(events.map(({ occurredAt, recordedAt }) => [occurredAt, recordedAt])).toEqual(wanted)
          expect((yield* log.head("one")).recordedAt).toBe(latest)
          const known = wanted.filter(([, recordedAt]) => recordedAt! <= asked).length
          expect(yield* log.versionAt("one", asked)).toBe(known)
          yield* soundness
        }).pipe(Effect.provide(layer)),
      { fastCheck: { numRuns: lawRuns({ quick: 8, full: 25 }) } }
    )
  })

  describe(`${name}: commands`, () => {
    test(
      "commands delivered 1 to 5 times are stored once, and each repeat gets the first answer",
      Effect.gen(function* () {
        const log = yield* EventLog
        const seed = Date.now() % 1_000_000
        const batches = FastCheck.sample(
          FastCheck.record({
            stream: FastCheck.constantFrom("one", "two", "three"),
            events: FastCheck.integer({ min: 1, max: 4 }),
            times: FastCheck.integer({ min: 1, max: 5 })
          }),
          { numRuns: lawRuns({ quick: 100, full: 1_000 }), seed }
        )
        const deliveries = batches.flatMap(({ events, stream, times }, index) =>
          Array.from({ length: times }, () => ({
            index,
            append: appendOf(stream, [commandOf({ commandId: `c-${index}`, request: `request ${index}` }, events)])
          }))
        )
        const [order] = FastCheck.sample(FastCheck.shuffledSubarray(deliveries, { minLength: deliveries.length }), {
          numRuns: 1,
          seed
        })
        const answers = yield* Effect.forEach(
          order!,
          ({ append, index }) => Effect.map(log.append(append), ([answer]) => ({ index, answer: answer! })),
          { concurrency: 40 }
        )
        const stored = (yield* Effect.forEach(["one", "two", "three"], allOf)).flat()
        for (const [index, { events, times }] of batches.entries()) {
          const own = answers.filter((one) => one.index === index).map(({ answer }) => answer)
          expect(own.length).toBe(times)
          expect(own.filter(({ repeated }) => !repeated).length).toBe(1)
          const rows = stored.filter(({ commandId }) => commandId === `c-${index}`)
          expect(rows.length).toBe(events)
          for (const answer of own) expect(plain(answer.events)).toEqual(plain(rows))
        }
        expect(stored.length).toBe(batches.reduce((sum, { events }) => sum + events, 0))
        yield* soundness
        console.log(
          `${name}: ${deliveries.length} deliveries of ${batches.length} commands, stored once (seed ${seed})`
        )
      })
    )

    test(
      "an append may contain repeats: the other commands are checked and stored",
      Effect.gen(function* () {
        const log = yield* EventLog
        const [a, b, c, d] = ["a", "b", "c", "d"].map((id) => commandOf({ commandId: id, request: id }, 2))
        const first = yield* log.append(appendOf("one", [a!, c!]))
        const second = yield* log.append({ ...appendOf("one", [a!, b!, c!, d!]), expected: 4 })
        expect(second.map(({ repeated }) => repeated)).toEqual([true, false, true, false])
        expect(second.map((answer) => versionsOf([answer]))).toEqual([
          [1, 2],
          [5, 6],
          [3, 4],
          [7, 8]
        ])
        expect(plain(second[0]!.events)).toEqual(plain(first[0]!.events))
        expect(plain(second[2]!.events)).toEqual(plain(first[1]!.events))
        yield* soundness
      })
    )

    test(
      "an append of repeats alone needs no expected version, a mixed one does",
      Effect.gen(function* () {
        const log = yield* EventLog
        const known = commandOf({ commandId: "known", request: "x" })
        yield* log.append({ ...appendOf("one", [known]), expected: "none" })
        const [again] = yield* log.append({ ...appendOf("one", [known]), expected: "none" })
        expect(again!.repeated).toBe(true)
        const refused = yield* Effect.flip(log.append({ ...appendOf("one", [known, commandOf({})]), expected: 7 }))
        expect(refused).toMatchObject({ _tag: "VersionConflict", expected: 7, actual: 1 })
        expect((yield* log.head("one")).version).toBe(1)
        yield* soundness
      })
    )

    test(
      "a command that occurs twice in one append is stored once",
      Effect.gen(function* () {
        const log = yield* EventLog
        const twice = commandOf({ commandId: "twice", request: "x" }, 2)
        const answers = yield* log.append(appendOf("one", [commandOf({}), twice, commandOf({}), { ...twice }]))
        expect(answers.map(({ repeated }) => repeated)).toEqual([false, false, false, true])
        expect(plain(answers[3]!.events)).toEqual(plain(answers[1]!.events))
        expect((yield* allOf("one")).length).toBe(4)
        const refused = yield* Effect.flip(
          log.append(
            appendOf("one", [
              commandOf({ commandId: "new", request: "x" }),
              commandOf({ commandId: "new", request: "y" })
            ])
          )
        )
        expect(refused).toMatchObject({ _tag: "CommandConflict", commandId: "new" })
        expect((yield* log.head("one")).version).toBe(4)
        yield* soundness
      })
    )

    test(
      "an id of another request is a conflict; in another stream it is another command",
      Effect.gen(function* () {
        const log = yield* EventLog
        const command = commandOf({ commandId: "c", request: "this" })
        yield* log.append(appendOf("one", [command]))
        const conflict = { _tag: "CommandConflict", stream: "one", commandId: "c" }
        expect(yield* Effect.flip(log.append(appendOf("one", [{ ...command, request: "that" }])))).toMatchObject(
          conflict
        )
        const { request: _, ...unasked } = command
        expect(yield* Effect.flip(log.append(appendOf("one", [unasked])))).toMatchObject(conflict)
        expect(yield* Effect.flip(log.command("one", "c", "that"))).toMatchObject(conflict)
        const [other] = yield* log.append(appendOf("two", [{ ...command, request: "that" }]))
        expect(other!.repeated).toBe(false)
        yield* soundness
      })
    )

    test(
      "the events of a command can be read by its id",
      Effect.gen(function* () {
        const log = yield* EventLog
        expect(yield* log.command("one", "c", "this")).toEqual(Option.none())
        const [answer] = yield* log.append(
          appendOf("one", [commandOf({ commandId: "c", request: "this" }, 3), commandOf({})])
        )
        const known = Option.getOrThrow(yield* log.command("one", "c", "this"))
        expect(known.repeated).toBe(true)
        expect(plain(known.events)).toEqual(plain(answer!.events))
        expect(yield* log.command("two", "c", "this")).toEqual(Option.none())
      })
    )

    test(
      "an erased command is neither repeated nor carried out again",
      Effect.gen(function* () {
        const log = yield* EventLog
        const { erase } = yield* ByHand
        const command = commandOf({ commandId: "c", request: "this" }, 2)
        yield* log.append(appendOf("one", [command, commandOf({})]))
        yield* erase("one", 1)
        yield* erase("one", 2)
        const erased = { _tag: "AlreadyErased", stream: "one", commandId: "c" }
        expect(yield* Effect.flip(log.append(appendOf("one", [command])))).toMatchObject(erased)
        expect(yield* Effect.flip(log.append(appendOf("one", [{ ...command, request: "that" }])))).toMatchObject(erased)
        expect(yield* Effect.flip(log.command("one", "c", "this"))).toMatchObject(erased)
        expect((yield* log.head("one")).version).toBe(3)
        expect((yield* allOf("one")).map(({ payload }) => payload === null)).toEqual([true, true, false])
      })
    )
  })

  describe(`${name}: erasing`, () => {
    const eraseFirst = Effect.gen(function* () {
      const log = yield* EventLog
      const { version: readAt } = yield* log.head("one")
      const streams = [{ stream: "one", readAt, versions: [1], remains: [] }]
      const request = { actor: "test", now: 2_000, reason: "privacy", selector: "memory" } as const
      yield* log.erase({ ...request, streams, wholeStreams: [], vectors: [] })
    })

    test(
      "an append whose sources were read before an erasure is refused, and one without sources is not",
      Effect.gen(function* () {
        const log = yield* EventLog
        yield* log.append(appendOf("one", [commandOf({}, 2)]))
        const before = yield* log.head("one")
        const append = { ...appendOf("one", [commandOf({})]), readAt: before }
        expect(yield* log.append(append)).toHaveLength(1)
        yield* eraseFirst
        const refusal = { _tag: "ErasedMeanwhile", stream: "one", readAt: 2 }
        expect(yield* Effect.flip(log.append(append))).toMatchObject(refusal)
        expect((yield* log.head("one")).version).toBe(4)
        yield* log.append(appendOf("one", [commandOf({})]))
        yield* log.append({ ...append, readAt: yield* log.head("one") })
        yield* soundness
      })
    )

    test(
      "a command that was stored before an erasure is still answered",
      Effect.gen(function* () {
        const log = yield* EventLog
        yield* log.append(appendOf("one", [commandOf({}, 2)]))
        const append = { ...appendOf("one", [commandOf({ commandId: "c" })]), readAt: yield* log.head("one") }
        yield* log.append(append)
        yield* eraseFirst
        expect((yield* log.append(append))[0]!.repeated).toBe(true)
      })
    )

    test(
      "an erased name leaves the content, the other names and the repeat of the command",
      Effect.gen(function* () {
        const log = yield* EventLog
        const append = appendOf("one", [{ ...commandOf({ commandId: "c" }, 2), actor: "Lena" }])
        const [first] = yield* log.append(append)
        const names = [{ version: 1, columns: ["actor", "commandId"] as const }]
        const request = { actor: "test", now: 2_000, reason: "privacy", selector: "person" } as const
        const streams = [{ stream: "one", readAt: 2, versions: [], remains: [], names }]
        expect(yield* log.erase({ ...request, streams, wholeStreams: [], vectors: [] })).toEqual({
          erased: 0,
          remains: 0
        })
        const [one, two, erase] = yield* log.read("one", { after: 0, limit: 10 })
        expect(one).toMatchObject({ actor: "", commandId: null, payload: first!.events[0]!.payload })
        expect(two).toMatchObject({ actor: "Lena", commandId: "c" })
        expect(JSON.parse(erase!.payload!)).toMatchObject({ versions: [], names: [1] })
        expect((yield* log.append(append))[0]!.repeated).toBe(true)
        yield* soundness
        const others = [{ ...streams[0]!, readAt: 3, names: [{ version: 2, columns: ["actor"] as const }] }]
        yield* log.erase({ ...request, streams: others, wholeStreams: [], vectors: [] })
        yield* log.erase({
          ...{ ...request, wholeStreams: [], vectors: [] },
          streams: [{ stream: "one", readAt: 4, versions: [1, 2], remains: [] }]
        })
        const left = yield* log.read("one", { after: 0, limit: 2 })
        expect(left.map(({ actor, cause, commandId, payload }) => [actor, cause, commandId, payload])).toEqual([
          ["", null, null, null],
          ["", null, null, null]
        ])
        yield* soundness
      })
    )

    test(
      "an append whose sources are of a deleted stream is refused, also if a new stream has its name",
      Effect.gen(function* () {
        const log = yield* EventLog
        yield* log.append(appendOf("one", [commandOf({}, 2)]))
        const append = { ...appendOf("one", [commandOf({})]), readAt: yield* log.head("one") }
        const request = { actor: "test", now: 2_000, reason: "privacy", selector: "agent" } as const
        yield* log.erase({ ...request, streams: [], wholeStreams: ["one"], vectors: [] })
        for (const count of [0, 1, 1, 1]) {
          if (count > 0) yield* log.append(appendOf("one", [commandOf({}, count)]))
          expect(yield* Effect.flip(log.append(append))).toMatchObject({ _tag: "ErasedMeanwhile" })
        }
      })
    )
  })

  describe(`${name}: reading`, () => {
    test(
      "an unknown stream is empty, at version 0",
      Effect.gen(function* () {
        const log = yield* EventLog
        const head = yield* log.head("nobody")
        expect(head).toMatchObject({ stream: "nobody", version: 0, recordedAt: 0 })
        expect(hex(head.hash)).toBe("00".repeat(32))
        expect(yield* log.read("nobody", { after: 0, limit: 10 })).toEqual([])
        expect(yield* log.at("nobody", [1, 2])).toEqual([])
        expect(yield* log.versionAt("nobody", Number.MAX_SAFE_INTEGER)).toBe(0)
        expect(yield* log.streams).toEqual([])
        expect((yield* log.inspect({ stream: null })).problems).toEqual([])
      })
    )

    it.effect.prop(
      "read returns events after a version, up to another one, within a limit",
      [
        FastCheck.nat(12),
        FastCheck.nat(14),
        FastCheck.option(FastCheck.nat(14)),
        FastCheck.integer({ min: 1, max: 14 })
      ],
      ([count, after, to, limit]) =>
        Effect.gen(function* () {
          const log = yield* EventLog
          yield* fill("one", count)
          yield* fill("two", 3)
          const events = yield* log.read("one", { after, limit, ...(to === null ? {} : { to }) })
          expect(events.map(({ version }) => version)).toEqual(
            upTo(Math.min(count, to ?? count))
              .filter((version) => version > after)
              .slice(0, limit)
          )
          expect(
            events.every(({ payload, stream, version }) => stream === "one" && payload === `{"n":${version}}`)
          ).toBe(true)
          const replayed = yield* log.replay("one", { after, limit, ...(to === null ? {} : { to }) })
          for (const [at, event] of events.entries()) expect(event).toMatchObject(replayed[at]!)
          expect(replayed.length).toBe(events.length)
        }).pipe(Effect.provide(layer)),
      { fastCheck: { numRuns: lawRuns({ quick: 10, full: 40 }) } }
    )

    it.effect.prop(
      "readAll reads page by page and omits nothing",
      [
        FastCheck.nat(20),
        FastCheck.integer({ min: 1, max: 7 }),
        FastCheck.option(FastCheck.nat(22)),
        FastCheck.option(FastCheck.nat(22))
      ],
      ([count, page, after, to]) =>
        Effect.gen(function* () {
          const log = yield* EventLog
          yield* fill("one", count)
          const pages: Array<number> = []
          const counting = EventLog.of({
            ...log,
            read: (stream, options) =>
              Effect.tap(log.read(stream, options), (events) => Effect.sync(() => pages.push(events.length)))
          })
          const events = yield* Stream.runCollect(
            readAll(counting, "one", {
              page,
              ...(after === null ? {} : { after }),
              ...(to === null ? {} : { to })
            })
          )
          const wanted = upTo(Math.min(count, to ?? count)).filter((version) => version > (after ?? 0))
          expect(Chunk.toReadonlyArray(events).map(({ version }) => version)).toEqual(wanted)
          expect(Math.max(0, ...pages)).toBeLessThanOrEqual(page)
          expect(pages.length).toBe(Math.floor(wanted.length / page) + 1)
        }).pipe(Effect.provide(layer)),
      { fastCheck: { numRuns: lawRuns({ quick: 10, full: 40 }) } }
    )

    test(
      "at returns each requested version once, in order, and omits unknown ones",
      Effect.gen(function* () {
        const log = yield* EventLog
        yield* fill("one", 6)
        const events = yield* log.at("one", [5, 2, 9, 2, 0, -1, 6])
        expect(events.map(({ version }) => version)).toEqual([2, 5, 6])
        expect(yield* log.at("one", [])).toEqual([])
      })
    )

    test(
      "streams are listed by name with their heads",
      Effect.gen(function* () {
        const log = yield* EventLog
        const names = ["b", "a", "B", "ä", "a b", "日本", "～", "🜁", "x'; DROP TABLE events; --"]
        for (const [index, stream] of names.entries()) yield* fill(stream, index + 1)
        const heads = yield* log.streams
        const byBytes = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        expect(heads.map(({ stream }) => stream)).toEqual(byBytes)
        for (const head of heads) {
          const own = yield* log.head(head.stream)
          expect(head.version).toBe(names.indexOf(head.stream) + 1)
          expect({ ...head, hash: hex(head.hash) }).toEqual({ ...own, hash: hex(own.hash) })
          const [newest] = yield* log.at(head.stream, [head.version])
          expect(hex(newest!.hash)).toBe(hex(head.hash))
          expect(newest!.recordedAt).toBe(head.recordedAt)
        }
        yield* soundness
      })
    )
  })

  describe(`${name}: vectors`, () => {
    test(
      "are returned bit by bit, by model, dimensions and digest; unknown ones are missing",
      Effect.gen(function* () {
        const log = yield* EventLog
        const digests = Array.from({ length: 250 }, (_, index) => `text ${index}`)
        const valuesOf = (index: number) => [index, -0.1 * index, 1e-45, 3.4e38]
        yield* log.append({
          ...appendOf("one", [commandOf({})]),
          vectors: digests.map((text, index) => vectorOf(text, valuesOf(index)))
        })
        const asked = [...digests, "unknown"].map(digestOf)
        const found = yield* log.vectors("model", 4, asked)
        expect(found.size).toBe(250)
        digests.forEach((text, index) => {
          expect(bitsOf(found.get(digestOf(text))!)).toBe(bitsOf(Float32Array.from(valuesOf(index))))
        })
        expect((yield* log.vectors("other", 4, asked)).size).toBe(0)
        expect((yield* log.vectors("model", 3, asked)).size).toBe(0)
        expect((yield* log.vectors("model", 4, [])).size).toBe(0)
      })
    )

    test(
      "may be slices of a larger buffer, and keep their values when it changes",
      Effect.gen(function* () {
        const log = yield* EventLog
        const buffer = Float32Array.of(9, 9, 9, 1, 2, 3, 9, 9)
        const vector = new Float32Array(buffer.buffer, 3 * 4, 3)
        yield* log.append({
          ...appendOf("one", [commandOf({})]),
          vectors: [{ model: "model", dimensions: 3, digest: digestOf("x"), vector }]
        })
        buffer.fill(7)
        const found = yield* log.vectors("model", 3, [digestOf("x")])
        expect([...found.get(digestOf("x"))!]).toEqual([1, 2, 3])
        found.get(digestOf("x"))!.fill(5)
        const again = yield* log.vectors("model", 3, [digestOf("x")])
        expect([...again.get(digestOf("x"))!]).toEqual([1, 2, 3])
      })
    )

    test(
      "of the same text are replaced, and are stored with a repeated command",
      Effect.gen(function* () {
        const log = yield* EventLog
        const command = commandOf({ commandId: "c", request: "x" })
        for (const value of [1, 2]) {
          yield* log.append({ ...appendOf("one", [command]), vectors: [vectorOf("x", [value, value])] })
        }
        const found = yield* log.vectors("model", 2, [digestOf("x"), digestOf("x")])
        expect([...found.get(digestOf("x"))!]).toEqual([2, 2])
        expect((yield* log.head("one")).version).toBe(1)
      })
    )
  })
}

const timersSuite = (name: string, test: Test) =>
  describe(`${name}: timers`, () => {
    const until = (instant: number, limit = 10, offset = 0) =>
      Effect.flatMap(EventLog, (log) => log.timers({ until: instant, limit, offset }))

    test(
      "are the newest due times of streams, longest overdue first",
      Effect.gen(function* () {
        const log = yield* EventLog
        const hinted = (stream: string, due: number | null) => log.append({ ...appendOf(stream, [commandOf({})]), due })
        yield* hinted("one", 30)
        yield* hinted("two", 10)
        yield* hinted("three", 20)
        yield* log.append(appendOf("four", [commandOf({})]))
        expect(yield* until(20)).toEqual([
          { stream: "two", due: 10 },
          { stream: "three", due: 20 }
        ])
        yield* hinted("two", 30)
        // An append without a hint leaves it as it was.
        yield* log.append(appendOf("three", [commandOf({})]))
        expect(yield* until(100)).toEqual([
          { stream: "three", due: 20 },
          { stream: "one", due: 30 },
          { stream: "two", due: 30 }
        ])
        expect(yield* until(100, 1, 1)).toEqual([{ stream: "one", due: 30 }])
        yield* hinted("three", null)
        expect(yield* until(20)).toEqual([])
        yield* soundness
      })
    )

    test(
      "ignore refused and repeated commands",
      Effect.gen(function* () {
        const log = yield* EventLog
        const once = appendOf("one", [commandOf({ commandId: "c-1", request: "this" })])
        yield* log.append({ ...once, due: 10 })
        yield* log.append({ ...once, due: 20 })
        yield* Effect.flip(log.append({ ...appendOf("one", [commandOf({})]), expected: 7, due: 30 }))
        expect(yield* until(100)).toEqual([{ stream: "one", due: 10 }])
        yield* soundness
      })
    )

    test(
      "can be set without an event at the expected version",
      Effect.gen(function* () {
        const log = yield* EventLog
        yield* log.append({ ...appendOf("one", [commandOf({}, 2)]), due: 10 })
        const remind = (expected: ExpectedVersion, due: number | null) =>
          log.append({ ...appendOf("one", []), expected, due })
        expect((yield* Effect.flip(remind(1, 20)))._tag).toBe("VersionConflict")
        expect(yield* until(100)).toEqual([{ stream: "one", due: 10 }])
        expect(yield* remind(2, 20)).toEqual([])
        expect(yield* until(100)).toEqual([{ stream: "one", due: 20 }])
        yield* remind("any", null)
        expect(yield* until(100)).toEqual([])
        expect((yield* log.head("one")).version).toBe(2)
        yield* log.append({ ...appendOf("nobody", []), expected: "none", due: 5 })
        expect((yield* log.streams).map(({ stream }) => stream)).toEqual(["one"])
        yield* soundness
      })
    )
  })

type Test = <A, E>(title: string, body: Effect.Effect<A, E, EventLog | ByHand>) => void

/** Every stream chains, and the storage finds nothing wrong with itself. */
const soundness = Effect.gen(function* () {
  const log = yield* EventLog
  expect((yield* verify(log, codec, null)).problems).toEqual([])
})

const allOf = (stream: string) =>
  Effect.flatMap(EventLog, (log) =>
    Effect.map(Stream.runCollect(readAll(log, stream)), (events) => Chunk.toReadonlyArray(events))
  )

const fill = (stream: string, count: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const events = upTo(count).map((n): NewEvent => ({ ...event(), payload: `{"n":${n}}` }))
    if (count > 0) yield* log.append(appendOf(stream, [commandOf({ events })]))
  })

const event = (): NewEvent => ({ type: "ADD", schema: 1, payload: '{"some":"payload"}' })

const commandOf = (options: Partial<NewCommand>, events = 1): NewCommand => ({
  actor: "test",
  events: Array.from({ length: events }, event),
  ...options
})

const appendOf = (stream: string, commands: ReadonlyArray<NewCommand>): Append => ({
  stream,
  expected: "any",
  now: 1_700_000_000_000,
  commands
})

/** Stands for the SHA-256 of a text. */
const digestOf = (text: string) => Buffer.from(text.padEnd(32, ".")).toString("hex")

const vectorOf = (text: string, values: ReadonlyArray<number>) => ({
  model: "model",
  dimensions: values.length,
  digest: digestOf(text),
  vector: Float32Array.from(values)
})

const bitsOf = (vector: Float32Array) => hex(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

/** Rows as values that compare, whichever kind of bytes a log answers with. */
const plain = (events: ReadonlyArray<StoredEvent>) =>
  events.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? hex(value) : value])
    )
  )

const versionsOf = (answers: ReadonlyArray<Appended>) =>
  answers.flatMap(({ events }) => events.map(({ version }) => version))

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
