import { appendFileSync, existsSync, readFileSync, writeSync } from "node:fs"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { EventLog } from "../../events/EventLog.js"
import * as EventLogSqlite from "../../events/EventLogSqlite.js"
import * as Default from "../../layers/Default.js"
import { Daybook } from "../../src/Daybook.js"
import { defaults } from "../../src/ports/Policy.js"

/**
 * A process that writes, made to be killed. It notes each command in a journal
 * before it gives it and again once it is answered; started anew, it first
 * repeats what it has no answer to. The parent reads the journal.
 */
export interface WriterOptions {
  readonly mode: "until killed" | "finish" | "in order" | "fill" | "fill log"
  readonly folder: string
  readonly agents: ReadonlyArray<string>
  /** Part of every command id. */
  readonly name: string
  readonly journal: string
  /** Commands of `in order`; characters of each memory or payload of `fill` and `fill log`. */
  readonly count?: number
}

/** What a process was about to do. */
export type Asked = { readonly agent: string } & (
  | { readonly kind: "remember"; readonly items: ReadonlyArray<{ readonly commandId: string; readonly title: string }> }
  | { readonly kind: "update"; readonly commandId: string; readonly id: string; readonly topic: string }
  | { readonly kind: "forget"; readonly commandId: string; readonly id: string }
  | {
      readonly kind: "turns"
      readonly session: string
      readonly items: ReadonlyArray<{ readonly commandId: string; readonly text: string }>
    }
)

/** One line of a journal: a command, its answer (the ids of memories or turns), or why there is none. */
export type Line = { readonly n: number } & (
  | { readonly asked: Asked }
  | { readonly ids: ReadonlyArray<string> }
  | { readonly error: string }
)

/** The lines of a journal; a torn last one was never finished, nor then the command begun. */
export const readJournal = (file: string): ReadonlyArray<Line> =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .flatMap((line) => {
          try {
            return [JSON.parse(line) as Line]
          } catch {
            return []
          }
        })
    : []

const say = (what: string) => void writeSync(1, `${what}\n`)

const pick = <A>(values: ReadonlyArray<A>): A | undefined => values[Math.floor(Math.random() * values.length)]

const main = (options: WriterOptions) =>
  Effect.gen(function* () {
    const daybook = yield* Daybook
    const { journal, name } = options
    const before = readJournal(journal)
    const begun = before.reduce((most, line) => Math.max(most, line.n), 0)
    let n = begun
    let atWork = false
    const note = (line: Line) => appendFileSync(journal, `${JSON.stringify(line)}\n`)
    /** This process's own memories that nothing is under way for, by agent. */
    const living = new Map(options.agents.map((agent) => [agent, new Set<string>()]))

    const carryOut = (n: number, asked: Asked) =>
      Effect.gen(function* () {
        const memory = yield* daybook.agent(asked.agent, { trust: "full", actor: name })
        const ids: Array<string> = []
        if (asked.kind === "remember") {
          const pairs = asked.items.map(({ commandId, title }) => [{ title }, { commandId }] as const)
          if (pairs.length === 1) ids.push((yield* memory.remember(...pairs[0]!)).id)
          else for (const one of yield* memory.rememberAll(pairs)) ids.push((yield* one).id)
        } else if (asked.kind === "turns") {
          const { session } = asked
          const pairs = asked.items.map(({ commandId, text }) => [{ session, text }, { commandId }] as const)
          for (const one of yield* memory.sessions.appendAll(pairs)) ids.push((yield* one).id)
        } else if (asked.kind === "update") {
          ids.push((yield* memory.update(asked.id, { topic: asked.topic }, { commandId: asked.commandId })).id)
        } else ids.push((yield* memory.forget(asked.id, { commandId: asked.commandId })).id)
        note({ n, ids })
        if (!atWork && n > begun) {
          atWork = true
          say("at work")
        }
        if (asked.kind === "turns") {
          if (Math.random() < 0.1) {
            const found = new Set((yield* memory.sessions.get(asked.session, { last: 1_000 })).map(({ id }) => id))
            if (!ids.every((id) => found.has(id))) note({ n, error: "not readable once answered" })
          }
          return
        }
        if (asked.kind !== "forget") for (const id of ids) living.get(asked.agent)?.add(id)
        // What is answered can be read at once.
        if (Math.random() < 0.1) {
          const found = (yield* memory.get(ids)).length
          if (found !== (asked.kind === "forget" ? 0 : ids.length)) note({ n, error: "not readable once answered" })
        }
      }).pipe(
        // No write may fail here: the first that does stops the process, which tells its parent.
        Effect.tapErrorCause((cause) =>
          Cause.isInterruptedOnly(cause) ? Effect.void : Effect.sync(() => note({ n, error: `${cause}` }))
        )
      )

    const open = new Map<number, Asked>()
    for (const line of before) {
      if ("asked" in line) {
        open.set(line.n, line.asked)
        if ("id" in line.asked) living.get(line.asked.agent)?.delete(line.asked.id)
      } else if ("ids" in line) {
        const asked = open.get(line.n)
        open.delete(line.n)
        if (asked?.kind === "remember" || asked?.kind === "update") {
          for (const id of line.ids) living.get(asked.agent)?.add(id)
        }
      }
    }

    const next = (): Asked => {
      const agent = pick(options.agents)!
      const dice = Math.random()
      const own = living.get(agent)!
      const id = dice < 0.35 ? pick([...own]) : undefined
      if (id !== undefined) {
        own.delete(id)
        const commandId = `${name}-${n}`
        return dice < 0.1
          ? { kind: "forget", agent, commandId, id }
          : { kind: "update", agent, commandId, id, topic: `topic ${commandId}` }
      }
      if (dice > 0.8) {
        // Sessions that both writers have a part in, and a text that comes again and again among others.
        const items = Array.from({ length: 1 + Math.floor(Math.random() * 6) }, (_, index) => ({
          commandId: `${name}-${n}-${index}`,
          text: Math.random() < 0.2 ? "yes, the kettle" : `said ${name}-${n}-${index} of the kettle`
        }))
        return { kind: "turns", agent, session: `session ${n % 5}`, items }
      }
      const many = dice < 0.6 ? 2 + Math.floor(Math.random() * 30) : 1
      const items = Array.from({ length: many }, (_, index) => ({
        commandId: `${name}-${n}-${index}`,
        title: `memory ${name}-${n}-${index}`
      }))
      return { kind: "remember", agent, items }
    }

    const lane = Effect.suspend(() => {
      n++
      const asked = next()
      note({ n, asked })
      return carryOut(n, asked)
    }).pipe(Effect.forever)

    for (const [number, asked] of open) yield* carryOut(number, asked)
    if (options.mode === "until killed") yield* Effect.all([lane, lane, lane], { concurrency: "unbounded" })
  })

/** Remembers so many memories, one after the other, each only once the one before is answered. */
const inOrder = ({ agents, count = 0 }: WriterOptions) =>
  Effect.gen(function* () {
    const daybook = yield* Daybook
    const { remember } = yield* daybook.agent(agents[0]!, { trust: "full" })
    for (let index = 0; index < count; index++) yield* remember({ title: `memory ${index}` })
    say(`answered ${count}`)
  })

/** What there is to fill a disk with, and how it is read again. */
interface Filled<E> {
  /** Writes one more; its name. */
  readonly write: (index: number) => Effect.Effect<string, E>
  /** How many of these can be read. */
  readonly read: (names: ReadonlyArray<string>) => Effect.Effect<number, E>
}

/** What the parent learns: first of the full disk, then, once it has said on the input that there is space, of the rest. */
export interface FullReport {
  /** The refusal, and what became of five more tries. */
  readonly refused: object
  readonly failures: number
  readonly answered: number
  /** How many of what was answered can be read now, or why not. */
  readonly readable: number | object
}

export interface ResumedReport {
  readonly answered: ReadonlyArray<string>
  /** Of five writes. */
  readonly failures: number
  readonly readable: number | object
}

/** Writes until there is no more space, reads, waits for space, and writes on. */
const fill = <E extends object>({ read, write }: Filled<E>) =>
  Effect.gen(function* () {
    const answered: Array<string> = []
    const one = Effect.suspend(() =>
      Effect.tap(write(answered.length), (name) => Effect.sync(() => void answered.push(name)))
    )
    const five = Effect.map(
      Effect.replicateEffect(Effect.either(one), 5),
      (outcomes) => outcomes.filter(Either.isLeft).length
    )
    const readable = Effect.suspend(() => Effect.merge(Effect.mapError(read(answered), (error) => ({ ...error }))))
    const refused = yield* Effect.flip(Effect.forever(one))
    const failures = yield* five
    const full: FullReport = {
      refused: { ...refused },
      failures,
      answered: answered.length,
      readable: yield* readable
    }
    say(JSON.stringify(full))
    yield* Effect.async<void>((resume) => void process.stdin.once("data", () => resume(Effect.void)))
    const resumed: ResumedReport = { failures: yield* five, answered, readable: yield* readable }
    say(JSON.stringify(resumed))
    process.stdin.destroy()
  })

const fillMemory = ({ agents, count = 0 }: WriterOptions) =>
  Effect.gen(function* () {
    const daybook = yield* Daybook
    const { get, list, remember, search } = yield* daybook.agent(agents[0]!, { trust: "full" })
    return yield* fill({
      write: (index) =>
        Effect.map(
          remember({ title: `memory ${index}`, narrative: `word${index} `.repeat(count / 8) }),
          ({ id }) => id
        ),
      read: (ids) =>
        Effect.gen(function* () {
          yield* search({ text: "memory" })
          const listed = new Set((yield* list({ limit: 1_000 })).map(({ id }) => id))
          const found = yield* Effect.forEach(ids, (id) => Effect.map(get([id]), ([memory]) => memory?.id === id))
          return found.filter((is, index) => is && listed.has(ids[index]!)).length
        })
    })
  })

const fillLog = ({ agents, count = 0 }: WriterOptions) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const stream = agents[0]!
    return yield* fill({
      write: (index) =>
        Effect.as(
          log.append({
            stream,
            expected: index,
            now: Date.now(),
            commands: [
              { actor: "test", events: [{ type: "NOTE", schema: 1, payload: `${index} `.padEnd(count, "x") }] }
            ]
          }),
          String(index)
        ),
      read: (names) =>
        Effect.gen(function* () {
          const head = yield* log.head(stream)
          const found = yield* log.read(stream, { after: 0, limit: 10_000 })
          return names.filter((name, at) => found[at]?.payload?.startsWith(`${name} `) && at < head.version).length
        })
    })
  })

const text = process.argv[2]
if (text !== undefined) {
  const options = JSON.parse(text) as WriterOptions
  const { folder, mode } = options
  const daybook = Default.layer({
    folder,
    policy: defaults,
    // Then there are no events but those that were asked for.
    ...(mode === "in order" ? { vectorExtension: null } : {})
  })
  const work =
    mode === "fill log"
      ? Effect.provide(fillLog(options), EventLogSqlite.layer(folder))
      : Effect.provide(
          mode === "in order" ? inOrder(options) : mode === "fill" ? fillMemory(options) : main(options),
          daybook
        )
  Effect.runPromise(work as Effect.Effect<void, unknown>).catch((cause) => {
    console.error(cause)
    process.exitCode = 1
  })
}
