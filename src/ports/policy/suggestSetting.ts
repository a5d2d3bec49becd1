import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { editCost } from "../../../text/normalise/spelling.js"

const maxEdits = 2

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
  return (
    section
      .map((setting) => String(setting.name))
      // Otherwise every short name would be similar to every other one.
      .filter((known) => Math.min(known.length, name.length) > maxEdits)
      .map((known) => ({ known, cost: editCost(name.toLowerCase(), known.toLowerCase(), maxEdits) }))
      .filter(({ cost }) => cost <= maxEdits)
      .sort((a, b) => a.cost - b.cost)[0]?.known
  )
}

const settingsOf = (ast: AST.AST): ReadonlyArray<AST.PropertySignature> => {
  if (AST.isTypeLiteral(ast)) return ast.propertySignatures
  if (AST.isRefinement(ast)) return settingsOf(ast.from)
  return AST.isUnion(ast) ? ast.types.flatMap(settingsOf) : []
}
