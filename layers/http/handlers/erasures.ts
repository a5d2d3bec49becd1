import * as Effect from "effect/Effect"
import type { Erasable, EraseOptions, ErasureOperations } from "../../../src/erasure/Erasure.js"
import { InvalidInput } from "../../../src/model/errors.js"
import { checkPage } from "../../../src/model/filters.js"
import type { ErasureRequest } from "../api/requests.js"
import { handleAdminOperation, handleOperation, refuseOptions, requireObject } from "./call.js"
import { answerPage, defaultLimit } from "./pages.js"

interface Query {
  readonly agent?: string | undefined
  readonly actor?: string | undefined
  readonly all?: boolean | undefined
}

/** The selection and the options in the body of a request. The library checks their values. */
const requestOf = (payload: ErasureRequest, agent: string | undefined) =>
  Effect.gen(function* () {
    const { dryRun, everything, ids, person, persons, reason, revive, session, source, ...unknown } =
      yield* requireObject(payload)
    yield* refuseOptions(unknown)
    if (everything !== undefined && everything !== true)
      return yield* new InvalidInput({
        field: "everything",
        problem: "must be true: name the agent in `agent`"
      })
    if (everything === true && agent === undefined)
      return yield* new InvalidInput({ field: "everything", problem: "applies to one agent only: omit `all`" })
    const selectors = { ids, person, persons, session, source, everything }
    if (Object.values(selectors).filter((value) => value !== undefined).length !== 1)
      return yield* new InvalidInput({
        field: "erase",
        problem: `must have exactly one of ${Object.keys(selectors).join(", ")}`
      })
    // Without an agent, the library accepts only a person.
    const scope = everything === true ? { everythingOf: agent } : { agent }
    return {
      selection: { ids, person, persons, session, source, ...scope } as Erasable,
      options: { dryRun, reason, revive } satisfies EraseOptions
    }
  })

/** Erases content of one agent. With `all`, erases everything that names a person, in all agents. */
export const handleErase = (payload: ErasureRequest, { all, ...query }: Query) =>
  all === true
    ? handleAdminOperation("erase", query, (daybook, others, actor) =>
        Effect.gen(function* () {
          yield* refuseOptions(others)
          const { options, selection } = yield* requestOf(payload, undefined)
          return yield* daybook.erase(selection, { ...options, actor })
        })
      )
    : handleOperation("erase", query, (daybook, agent, { actor, ...others }) =>
        Effect.gen(function* () {
          yield* refuseOptions(others)
          const { options, selection } = yield* requestOf(payload, agent)
          return yield* daybook.erase(selection, { ...options, actor })
        })
      )

interface PageQuery extends Query {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly cursor?: string | undefined
}

/** Lists the erasures of one agent, or with `all` the erasures of all agents, oldest first. */
export const handleListErasures = ({ all, ...query }: PageQuery) => {
  const read = (recorded: ReturnType<ErasureOperations["erasures"]>, page: Omit<PageQuery, keyof Query>) =>
    answerPage(page, (part) =>
      Effect.gen(function* () {
        const { limit, offset } = yield* checkPage(part, defaultLimit)
        return (yield* recorded).slice(offset, offset + limit)
      })
    )
  return all === true
    ? handleAdminOperation("erasures", query, (daybook, page) => read(daybook.erasures(), page))
    : handleOperation("erasures", query, (daybook, agent, { actor: _, ...page }) => read(daybook.erasures(agent), page))
}
