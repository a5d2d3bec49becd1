import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { InvalidInput } from "../../../src/model/errors.js"
import { refuseUnknownOptions } from "../../../src/model/filters.js"
import { Api } from "../api/Api.js"

const namesOf = ({ ast }: Schema.Schema.All): ReadonlyArray<string> =>
  SchemaAST.isTypeLiteral(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []

/** The names of the parameters of each route. */
const parametersByRoute: ReadonlyMap<string, ReadonlyArray<string>> = (() => {
  const names = new Map<string, ReadonlyArray<string>>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path, urlParamsSchema } }) => {
      names.set(`${method} ${path}`, Option.match(urlParamsSchema, { onNone: () => [], onSome: namesOf }))
    }
  })
  return names
})()

/**
 * Refuses parameters that the route of the request does not have. The library would also refuse them, but its error
 * would list the options of the library's method, such as `text` for a route with `q`.
 */
export const checkParameters = (query: object): Effect.Effect<void, InvalidInput> =>
  Effect.flatMap(
    Effect.serviceOption(HttpRouter.RouteContext),
    Option.match({
      onNone: () => Effect.void,
      onSome: ({ route }) => {
        const names = parametersByRoute.get(`${route.method} ${route.path}`)
        return names === undefined ? Effect.void : refuseUnknownOptions(query, names)
      }
    })
  )
