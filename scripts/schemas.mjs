// Writes assets/schemas.json: the JSON schemas of the HTTP interface, from the types in layers/http/api/types.ts.
// `node scripts/schemas.mjs --check` writes nothing; it fails if the file is outdated.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const entry = join(root, "layers/http/api/types.ts")
const target = join(root, "assets/schemas.json")

const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile)
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
const program = ts.createProgram([entry], options)
const checker = program.getTypeChecker()

/** @typedef {Record<string, unknown>} JsonSchema */

/** The schemas by name. @type {Map<string, JsonSchema>} */
const schemas = new Map()
/** The names of types that have a separate schema. @type {Map<ts.Type, string>} */
const names = new Map()

/** @param {ts.Symbol | undefined} symbol */
const descriptionOf = (symbol) => {
  const text = symbol === undefined ? "" : ts.displayPartsToString(symbol.getDocumentationComment(checker))
  return text === "" ? {} : { description: text.replace(/\s+/g, " ") }
}

/**
 * The name of a type that a file declares without parameters; undefined for others.
 * @param {ts.Type} type
 */
const declaredName = (type) => {
  const symbol = type.aliasSymbol ?? (type.isClassOrInterface() ? type.symbol : undefined)
  const [declaration] = symbol?.declarations ?? []
  if (symbol === undefined || declaration === undefined || (type.aliasTypeArguments?.length ?? 0) > 0) return undefined
  const { fileName } = declaration.getSourceFile()
  return fileName.includes("node_modules") || /^(Readonly|Array|Record)/.test(symbol.name) ? undefined : symbol.name
}

/**
 * The schema of a type: a reference, if the type has a name.
 * @param {ts.Type} type @returns {JsonSchema}
 */
const schemaOf = (type) => {
  const known = names.get(type)
  if (known !== undefined) return { $ref: `#/components/schemas/${known}` }
  const declared = isPlain(type) ? undefined : declaredName(type)
  if (declared === undefined) return structureOf(type)
  return { $ref: `#/components/schemas/${register(declared, type)}` }
}

/** Texts, numbers and unions of literals need no separate schema. @param {ts.Type} type */
const isPlain = (type) =>
  (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0 &&
  !(type.isUnion() && type.types.some((member) => member.flags & ts.TypeFlags.Object))

/**
 * Registers a separate schema for a type, under the wanted name or, if it is taken, that name with a number.
 * @param {string} wanted @param {ts.Type} type @returns {string} the name
 */
const register = (wanted, type) => {
  let name = wanted
  for (let number = 2; schemas.has(name); number++) name = `${wanted}${number}`
  names.set(type, name)
  schemas.set(name, {})
  schemas.set(name, { ...structureOf(type), ...descriptionOf(type.aliasSymbol ?? type.symbol) })
  return name
}

/** @param {ts.Type} type @returns {JsonSchema} */
const structureOf = (type) => {
  const { flags } = type
  if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {}
  if (flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral)) return { type: "string" }
  if (flags & ts.TypeFlags.Number) return { type: "number" }
  if (flags & ts.TypeFlags.Boolean) return { type: "boolean" }
  if (flags & ts.TypeFlags.Null) return { type: "null" }
  if (type.isStringLiteral()) return { const: type.value }
  if (type.isNumberLiteral()) return { const: type.value }
  if (flags & ts.TypeFlags.BooleanLiteral) return { const: checker.typeToString(type) === "true" }
  if (type.isUnion()) return unionOf(type.types)
  // The type `string & {}` lets editors propose the known values of a text.
  if (type.isIntersection() && type.types.some(({ flags }) => flags & ts.TypeFlags.String)) return { type: "string" }
  return objectOf(type)
}

/** @param {ReadonlyArray<ts.Type>} members @returns {JsonSchema} */
const unionOf = (members) => {
  const present = members.filter(({ flags }) => (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) === 0)
  const parts = present.map(schemaOf)
  if (parts.some((part) => Object.keys(part).length === 0)) return {}
  if (parts.some(({ type }) => type === "string")) {
    const others = parts.filter((part) => part.type !== "string" && typeof part.const !== "string")
    return anyOf([{ type: "string" }, ...others])
  }
  const values = parts.flatMap((part) => ("const" in part ? [part.const] : []))
  const others = parts.filter((part) => !("const" in part))
  if (values.length === 0) return anyOf(others)
  if (values.includes(true) && values.includes(false)) {
    const literals = values.filter((value) => typeof value !== "boolean")
    return anyOf([{ type: "boolean" }, ...(literals.length === 0 ? [] : [{ enum: literals.sort() }]), ...others])
  }
  return anyOf([values.length === 1 ? { const: values[0] } : { enum: values.sort() }, ...others])
}

/**
 * Compares properties by their place of declaration. The order in `Omit` and in unions depends on other files.
 * @param {ts.Symbol} a @param {ts.Symbol} b
 */
const byPlace = (a, b) => {
  const [fileA = "", fileB = ""] = [a, b].map(({ declarations }) => declarations?.[0]?.getSourceFile().fileName)
  const [placeA = 0, placeB = 0] = [a, b].map(({ declarations }) => declarations?.[0]?.pos)
  return fileA === fileB ? placeA - placeB : fileA < fileB ? -1 : 1
}

/** @param {ReadonlyArray<JsonSchema>} parts @returns {JsonSchema} */
const anyOf = (parts) => {
  const texts = [...new Set(parts.map((part) => JSON.stringify(part)))].sort()
  const unique = texts.map((text) => JSON.parse(text))
  return unique.length === 1 ? unique[0] : { anyOf: unique }
}

/** @param {ts.Type} type @returns {JsonSchema} */
const objectOf = (type) => {
  if (type.symbol?.name === "Date") return { type: "string", format: "date-time" }
  if (checker.isTupleType(type)) {
    const items = checker.getTypeArguments(/** @type {ts.TypeReference} */ (type)).map(schemaOf)
    return { type: "array", prefixItems: items, minItems: items.length, maxItems: items.length }
  }
  if (checker.isArrayLikeType(type)) {
    const [item] = checker.getTypeArguments(/** @type {ts.TypeReference} */ (type))
    return { type: "array", items: item === undefined ? {} : schemaOf(item) }
  }
  const values = checker.getIndexInfosOfType(type).map((info) => info.type)
  /** @type {Record<string, JsonSchema>} */
  const properties = {}
  const required = []
  for (const property of checker.getPropertiesOfType(type).sort(byPlace)) {
    const its = checker.getTypeOfSymbol(property)
    if (its.getCallSignatures().length > 0 || property.name.startsWith("__@")) continue
    properties[property.name] = { ...schemaOf(its), ...descriptionOf(property) }
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0
    if (!isOptional) required.push(property.name)
  }
  return {
    type: "object",
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
    ...(values[0] === undefined ? {} : { additionalProperties: schemaOf(values[0]) })
  }
}

const source = program.getSourceFile(entry)
const types = source?.statements.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === "Types")
if (types === undefined) throw new Error(`${entry} has no interface Types`)
const properties = checker.getPropertiesOfType(checker.getTypeAtLocation(types))
const registry = new Map(properties.map((property) => [property.name, checker.getTypeOfSymbol(property)]))
// The names of the registry are registered first, so that no other type takes them.
for (const [name, type] of registry) {
  if (!names.has(type)) names.set(type, name)
  schemas.set(name, {})
}
for (const [name, type] of registry) {
  const first = names.get(type)
  schemas.set(
    name,
    first === name
      ? { ...structureOf(type), ...descriptionOf(type.aliasSymbol ?? type.symbol) }
      : { $ref: `#/components/schemas/${first}` }
  )
}

const sorted = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1))
const text = `{\n${sorted.map(([name, schema]) => `${JSON.stringify(name)}: ${JSON.stringify(schema)}`).join(",\n")}\n}\n`
if (!process.argv.includes("--check")) writeFileSync(target, text)
else if (!existsSync(target) || readFileSync(target, "utf8") !== text) {
  console.error("assets/schemas.json is outdated: run node scripts/schemas.mjs")
  process.exitCode = 1
}
