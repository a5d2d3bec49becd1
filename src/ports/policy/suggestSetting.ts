import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { nearestName } from "../../../text/normalise/spelling.js"

/** Characters of the shortest name that is compared. Otherwise every short name would be similar to every other one. */
const minLength = 3

/**
 * Returns the setting that an unknown name most probably means, from those beside it; undefined if none is similar.
 * `path` ends with the unknown name.
 */
export const suggestSetting = (
  schema: Schema.Schema.AnyNoContext,
  path: ReadonlyArray<PropertyKey>
): string | undefined => {
  const name = String(path.at(-1))
  const section = path
    .slice(0, -1)
    .reduce<ReadonlyArray<AST.PropertySignature>>(
      (settings, step) => settings.flatMap((setting) => (setting.name === step ? settingsOf(setting.type) : [])),
      settingsOf(Schema.typeSchema(schema).ast)
    )
  const known = section.map((setting) => String(setting.name)).filter(({ length }) => length >= minLength)
  return name.length < minLength ? undefined : nearestName(name, known)
}

const settingsOf = (ast: AST.AST): ReadonlyArray<AST.PropertySignature> => {
  if (AST.isTypeLiteral(ast)) return ast.propertySignatures
  if (AST.isRefinement(ast)) return settingsOf(ast.from)
  return AST.isUnion(ast) ? ast.types.flatMap(settingsOf) : []
}
