import { Api } from "./Api.js"

/** Routes outside the definition of the interface: streams and documents. */
const otherRoutes = [
  ["GET", "/log/events"],
  ["GET", "/openapi.json"],
  ["GET", "/reference"]
] as const

const routes = [
  ...Object.values(Api.groups).flatMap(({ endpoints }) =>
    Object.values(endpoints).map(({ method, path }): readonly [string, string] => [method, path])
  ),
  ...otherRoutes
].map(([method, path]) => ({ method, pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`) }))

/** The HTTP methods of a path; empty if no operation has the path. */
export const methodsOf = (path: string): ReadonlyArray<string> => {
  const methods = new Set(routes.flatMap(({ method, pattern }) => (pattern.test(path) ? [method] : [])))
  if (methods.has("GET")) methods.add("HEAD")
  return [...methods].sort()
}
