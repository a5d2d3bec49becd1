import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { type AST, defaultParseOption } from "effect/SchemaAST"

type Check = (value: unknown) => boolean

/**
 * Compiles a fast check that a payload matches its schema. The check takes a tenth of the time of decoding. It may
 * reject valid payloads, for example of schemas that transform. The caller then decodes with Schema, which also names
 * the problem.
 */
export const compileCheck = (schema: Schema.Schema.AnyNoContext): Check => checkOf(schema.ast)

const checkOf = (ast: AST): Check => {
  switch (ast._tag) {
    case "StringKeyword":
      return (value) => typeof value === "string"
    case "NumberKeyword":
      return (value) => typeof value === "number"
    case "UnknownKeyword":
      return () => true
    case "UndefinedKeyword":
      return (value) => value === undefined
    case "Literal":
      return (value) => value === ast.literal
    case "Refinement": {
      const check = checkOf(ast.from)
      return (value) => check(value) && Option.isNone(ast.filter(value, defaultParseOption, ast))
    }
    case "Union": {
      const literals = ast.types.flatMap((type) => (type._tag === "Literal" ? [type.literal as unknown] : []))
      if (literals.length === ast.types.length) {
        const allowed = new Set(literals)
        return (value) => allowed.has(value)
      }
      const checks = ast.types.map(checkOf)
      return (value) => checks.some((check) => check(value))
    }
    case "TupleType": {
      const [item] = ast.rest
      if (ast.elements.length > 0 || ast.rest.length !== 1 || item === undefined) return () => false
      const check = checkOf(item.type)
      return (value) => {
        if (!Array.isArray(value)) return false
        // `every` would skip missing elements.
        for (let index = 0; index < value.length; index++) if (!check(value[index])) return false
        return true
      }
    }
    case "TypeLiteral": {
      const fields = ast.propertySignatures.map(
        ({ isOptional, name, type }) => [name as string, checkOf(type), isOptional] as const
      )
      const names = new Set(fields.map(([name]) => name))
      const [others] = ast.indexSignatures
      const checkOther = others === undefined ? undefined : checkOf(others.type)
      return (value) => {
        if (typeof value !== "object" || value === null || Array.isArray(value)) return false
        const record = value as Record<string, unknown>
        for (const [name, check, isOptional] of fields) {
          const field = record[name]
          if (field === undefined ? !isOptional : !check(field)) return false
        }
        for (const name in record) {
          // Reject fields that are not in the schema: decoding drops them.
          if (!names.has(name) && !(checkOther?.(record[name]) ?? false)) return false
        }
        return true
      }
    }
    default:
      return () => false
  }
}

/** Puts the fields of a checked value into schema order. Returns the same object if the order is already right. */
export const compileFieldOrder = (schema: Schema.Schema.AnyNoContext): ((value: unknown) => unknown) =>
  arrange(schema.ast) ?? ((value) => value)

/** Compiles the order of one part of a schema; undefined if there is nothing to reorder. */
const arrange = (ast: AST): ((value: unknown) => unknown) | undefined => {
  if (ast._tag === "Union") {
    const structured = ast.types.flatMap((type) => arrange(type) ?? [])
    // An optional structure is a union with undefined. Values of other unions are not reordered.
    const [only] = structured
    return structured.length === 1 ? (value) => (value === undefined ? value : only!(value)) : undefined
  }
  if (ast._tag === "TupleType") {
    const item = ast.rest[0] && arrange(ast.rest[0].type)
    if (item === undefined) return undefined
    return (value) => {
      const items = value as ReadonlyArray<unknown>
      const arranged = items.map(item)
      return arranged.every((entry, index) => entry === items[index]) ? items : arranged
    }
  }
  if (ast._tag !== "TypeLiteral" || ast.indexSignatures.length > 0) return undefined
  const fields = ast.propertySignatures.map(({ name, type }) => [name as string, arrange(type)] as const)
  const positions = new Map(fields.map(([name], position) => [name, position]))
  const inside = fields.filter(([, inner]) => inner !== undefined)
  const inOrder = (record: Record<string, unknown>): boolean => {
    let last = -1
    for (const name in record) {
      const position = positions.get(name)
      if (position === undefined || position < last || record[name] === undefined) return false
      last = position
    }
    return inside.every(([name, inner]) => record[name] === undefined || inner!(record[name]) === record[name])
  }
  return (value) => {
    const record = value as Record<string, unknown>
    if (inOrder(record)) return record
    const arranged: Record<string, unknown> = {}
    for (const [name, inner] of fields) {
      const field = record[name]
      if (field !== undefined) arranged[name] = inner === undefined ? field : inner(field)
    }
    return arranged
  }
}

/**
 * Copies a checked value, as decoding does, so that later changes by the caller have no effect. Leaves out undefined
 * fields.
 */
export const compileCopy = (schema: Schema.Schema.AnyNoContext): ((value: unknown) => unknown) =>
  copy(schema.ast) ?? ((value) => value)

/** Compiles the copy of one part of a schema; undefined if there is nothing to copy. */
const copy = (ast: AST): ((value: unknown) => unknown) | undefined => {
  if (ast._tag === "Refinement") return copy(ast.from)
  if (ast._tag === "Union") {
    const [inner] = ast.types.flatMap((type) => copy(type) ?? [])
    return inner && ((value) => (typeof value === "object" && value !== null ? inner(value) : value))
  }
  if (ast._tag === "TupleType") {
    const item = ast.rest[0] && copy(ast.rest[0].type)
    return (value) =>
      item === undefined ? (value as ReadonlyArray<unknown>).slice() : (value as ReadonlyArray<unknown>).map(item)
  }
  if (ast._tag !== "TypeLiteral") return undefined
  const fields = ast.propertySignatures.map(({ name, type }) => [name as string, copy(type)] as const)
  return (value) => {
    const record = value as Record<string, unknown>
    const copied: Record<string, unknown> = {}
    for (const [name, inner] of fields) {
      const field = record[name]
      if (field !== undefined) copied[name] = inner === undefined ? field : inner(field)
    }
    return copied
  }
}
