import { createHash } from "node:crypto"
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join, resolve } from "node:path"
import { weightOf } from "../encoderWeight.js"
import { familyOf, type Recipe, unnamed } from "./families.js"

/** Where a model that is no folder comes from, and where it is kept then. */
export interface Hub {
  readonly revision: string
  readonly kept: string
  /** `$HF_ENDPOINT`, for who has a mirror. */
  readonly host: string
}

/** An encoder that can be loaded: where it is, how it is used, and the name by which it is found again. */
export interface Place {
  /** `local/PLACE#FINGERPRINT`: other weights, prefixes or another pooling make it another model. */
  readonly model: string
  /** The folder, or its id on the hub. */
  readonly path: string
  /** A folder is never looked for in the network. */
  readonly hub: Hub | null
  /** How the weights are kept, as `@huggingface/transformers` names it. */
  readonly kind: string
  readonly recipe: Recipe
  /** Of the vectors that it gives, and of those that are wanted of it. */
  readonly native: number
  readonly dimensions: number
}

/** What is wrong with a name, in one line. */
export class Problem {
  constructor(
    readonly problem: string,
    /** Whether no model can be named so, or what is on this machine is at fault. */
    readonly kind: "name" | "files" = "files"
  ) {}
}

/** Where models of a hub are kept: `$DAYBOOK_MODELS`, or `~/.cache/daybook/models`. */
export const modelsFolder = (environment: NodeJS.ProcessEnv = process.env): string =>
  environment.DAYBOOK_MODELS || join(homedir(), ".cache", "daybook", "models")

/** What stands before the name of each of them. */
export const prefix = "local/"

/** Looks at what is on disk, and asks nobody. */
export const placeOf = (
  name: string,
  dimensions: number | undefined,
  environment: NodeJS.ProcessEnv = process.env
): Place | Problem => {
  const [, place = "", wanted] = /^(.*?)(?:#([0-9a-z]+))?$/s.exec(name.replace(/^local\//, ""))!
  const isFolder = isAbsolute(place) || /^(?:\.{1,2}|~)(?:[/\\]|$)/.test(place)
  const found = isFolder ? folderOf(place) : hubOf(place, environment)
  if (found instanceof Problem) return found
  const { native, recipe } = found
  const length = dimensions ?? native
  if (length !== native && !(recipe.shorter ?? []).includes(length)) {
    const others = recipe.shorter === undefined ? "" : `, or ${recipe.shorter.join(", ")}`
    return new Problem(`its vectors have ${native} dimensions${others}`, "name")
  }
  const fingerprint = shortOf(
    JSON.stringify([recipe.pooling, recipe.query, recipe.document, recipe.tokens]),
    found.files
  )
  if (wanted !== undefined && wanted !== fingerprint) {
    return new Problem(`what is there now is another model, ${prefix}${found.name}#${fingerprint}`)
  }
  return { ...found, model: `${prefix}${found.name}#${fingerprint}`, dimensions: length }
}

type Found = Omit<Place, "model" | "dimensions"> & { readonly name: string; readonly files: string }

const hubOf = (id: string, environment: NodeJS.ProcessEnv): Found | Problem => {
  const [, path, revision = "main"] = /^([\w.-]+\/[\w.-]+)(?:@([\w.-]+))?$/.exec(id) ?? []
  if (path === undefined) {
    return new Problem(
      "names neither a folder (/…, ./…, ~/…) nor a model of a hub (ORGANISATION/MODEL or …@REVISION)",
      "name"
    )
  }
  const family = familyOf(path)
  if (family === undefined) {
    return new Problem(
      "is of no known family (MiniLM, bge, gte, e5, arctic): have it in a folder with 1_Pooling/config.json",
      "name"
    )
  }
  const { dimensions, ...recipe } = family
  const host = `${(environment.HF_ENDPOINT || "https://huggingface.co").replace(/\/+$/, "")}/`
  const hub = { revision, kept: modelsFolder(environment), host }
  return { name: id, path, hub, kind: "fp32", recipe, native: dimensions, files: "" }
}

/** The kinds of weights, the most exact first, with what their file's name has at its end. */
const kinds = [
  ["fp32", ""],
  ["fp16", "_fp16"],
  ["q8", "_quantized"],
  ["int8", "_int8"],
  ["uint8", "_uint8"],
  ["q4", "_q4"],
  ["q4f16", "_q4f16"],
  ["bnb4", "_bnb4"]
] as const

const folderOf = (place: string): Found | Problem => {
  const folder = resolve(place.replace(/^~(?=$|[/\\])/, homedir()))
  const config = json(folder, "config.json")
  if (config === undefined) return new Problem(`there is no config.json in ${folder}`)
  const missing = ["tokenizer.json", "tokenizer_config.json"].find((name) => !existsSync(join(folder, name)))
  if (missing !== undefined) return new Problem(`there is no ${missing} in ${folder}`)
  const [kind, end] = kinds.find(([, end]) => existsSync(join(folder, "onnx", `model${end}.onnx`))) ?? []
  if (kind === undefined) return new Problem(`there is no onnx/model.onnx in ${folder}`)
  const native = [config.hidden_size, config.dim, config.d_model].find((one) => Number.isInteger(one))
  if (typeof native !== "number" || native < 1 || native > 8_192) {
    return new Problem(`config.json in ${folder} has no hidden_size from 1 to 8192`)
  }
  const recipe = recipeOf(folder, config)
  if (recipe instanceof Problem) return recipe
  const files = shortOf(
    kind,
    readFileSync(join(folder, "config.json")),
    readFileSync(join(folder, "tokenizer.json")),
    sampleOf(join(folder, "onnx", `model${end}.onnx`))
  )
  return { name: folder, path: folder, hub: null, kind, recipe, native, files }
}

/** What the model's own files say, as sentence-transformers writes them; what its family is used like; nothing is guessed. */
const recipeOf = (folder: string, config: Json): Recipe | Problem => {
  const named = typeof config._name_or_path === "string" ? familyOf(config._name_or_path) : undefined
  const { dimensions: _, ...family } = named ?? familyOf(folder) ?? { dimensions: 0 }
  const known: Partial<Recipe> = family
  // What comes behind the pooling is not computed here: without it the vectors would be of another model.
  const modules = json(folder, "modules.json")
  const dense = Object.values(modules ?? {}).some((one) => /\.Dense$/.test(String(Object(one).type)))
  if (dense || existsSync(join(folder, "2_Dense"))) {
    return new Problem(`${folder} has a Dense layer behind its pooling, which is not supported`)
  }
  const pooling = poolingOf(json(folder, join("1_Pooling", "config.json"))) ?? known.pooling
  if (pooling === undefined) {
    return new Problem(
      `${folder} does not say how its tokens are pooled: it has no 1_Pooling/config.json, and its name is of no known family`
    )
  }
  const prompts = Object(json(folder, "config_sentence_transformers.json")?.prompts) as Json
  const prompt = (...names: ReadonlyArray<string>) => {
    const found = names.map((name) => prompts[name]).find((one) => typeof one === "string")
    return found as string | undefined
  }
  const longest = [
    json(folder, "sentence_bert_config.json")?.max_seq_length,
    known.tokens,
    json(folder, "tokenizer_config.json")?.model_max_length,
    config.max_position_embeddings
  ].filter((one): one is number => Number.isInteger(one) && (one as number) > 2)
  return {
    ...unnamed,
    weight: weightOf(`${String(config._name_or_path)} ${folder}`),
    ...known,
    pooling,
    query: prompt("query") ?? known.query ?? "",
    document: prompt("document", "passage") ?? known.document ?? "",
    tokens: Math.min(8_192, ...longest)
  }
}

const poolingOf = (config: Json | undefined): Recipe["pooling"] | undefined => {
  if (config?.pooling_mode_cls_token === true) return "first"
  if (config?.pooling_mode_lasttoken === true) return "last"
  return config?.pooling_mode_mean_tokens === true ? "mean" : undefined
}

type Json = Readonly<Record<string, unknown>>

const json = (folder: string, name: string): Json | undefined => {
  try {
    return Object(JSON.parse(readFileSync(join(folder, name), "utf8"))) as Json
  } catch {
    return undefined
  }
}

const shortOf = (...parts: ReadonlyArray<string | Uint8Array>): string => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(`${part.length} `).update(part)
  return hash.digest("hex").slice(0, 10)
}

/** The size of a file and 64 pieces of it: whatever trains a model moves all of its weights. A gigabyte is not read for a name. */
const sampleOf = (file: string): Uint8Array => {
  const pieces = 64
  const piece = Buffer.alloc(4_096)
  const opened = openSync(file, "r")
  try {
    const { size } = fstatSync(opened)
    const hash = createHash("sha256").update(String(size))
    for (let at = 0; at < pieces; at++) {
      const from = Math.floor((Math.max(0, size - piece.length) * at) / (pieces - 1))
      hash.update(piece.subarray(0, readSync(opened, piece, 0, piece.length, from)))
    }
    return hash.digest()
  } finally {
    closeSync(opened)
  }
}
