import { createHash } from "node:crypto"
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { encoderWeightOf } from "../encoderWeight.js"
import { readSetting } from "../settings.js"
import { defaultEncoderSettings, type EncoderSettings, familyOf } from "./families.js"

/** The server of a hub's models, and the cache of downloaded models. */
export interface Hub {
  readonly revision: string
  /** The folder of downloaded models. */
  readonly cacheFolder: string
  /** The hub's URL. `$HF_ENDPOINT` can set a mirror. */
  readonly host: string
}

/** A loadable encoder: its location, its settings, and its name in the log. */
export interface LocalModel {
  /**
   * `local/PLACE#FINGERPRINT`. The fingerprint covers weights, prefixes and pooling. If any of these changes, the name
   * changes too, so it counts as another model.
   */
  readonly model: string
  /** The folder, or the model's id on the hub. */
  readonly path: string
  /** The hub from which the model is downloaded; null for a model in a local folder. */
  readonly hub: Hub | null
  /** The number format of the weights (`fp32`, `q8`), as `@huggingface/transformers` names it. */
  readonly kind: string
  readonly recipe: EncoderSettings
  /** The dimensions of the model's own vectors, and of the vectors to return. */
  readonly native: number
  readonly dimensions: number
}

/** The reason, in one line, why a name does not lead to a usable model. */
export class ModelProblem {
  constructor(
    readonly problem: string,
    /** `name`: the name is invalid on every machine. `files`: the files on this machine are missing or unsuitable. */
    readonly kind: "name" | "files" = "files"
  ) {}
}

/** The hub is `$HF_ENDPOINT` or Hugging Face. The cache is `$DAYBOOK_MODELS` or `~/.cache/daybook/models`. */
export const readHubSettings: Effect.Effect<Omit<Hub, "revision">> = Effect.zipWith(
  readSetting("HF_ENDPOINT"),
  readSetting("DAYBOOK_MODELS"),
  (host, folder) => ({
    host: `${(host ?? "https://huggingface.co").replace(/\/+$/, "")}/`,
    cacheFolder: folder ?? join(homedir(), ".cache", "daybook", "models")
  })
)

/** The prefix of every local model's name. */
export const localModelPrefix = "local/"

/** Locates a model on disk; sends no request. */
export const locateModel = (
  name: string,
  dimensions: number | undefined,
  hub: Omit<Hub, "revision">
): LocalModel | ModelProblem => {
  const [, path = "", expectedFingerprint] = /^(.*?)(?:#([0-9a-z]+))?$/s.exec(name.replace(/^local\//, ""))!
  const isFolder = isAbsolute(path) || /^(?:\.{1,2}|~)(?:[/\\]|$)/.test(path)
  const located = isFolder ? folderOf(path) : hubOf(path, hub)
  if (located instanceof ModelProblem) return located
  const { native, recipe } = located
  const length = dimensions ?? native
  if (length !== native && !(recipe.shorterDimensions ?? []).includes(length)) {
    const sizes = [native, ...(recipe.shorterDimensions ?? [])].join(", ")
    return new ModelProblem(`vectors of this model can only have these dimensions: ${sizes}`, "name")
  }
  const fingerprint = shortOf(
    JSON.stringify([recipe.pooling, recipe.query, recipe.document, recipe.maxTokens]),
    located.files
  )
  const model = `${localModelPrefix}${located.name}#${fingerprint}`
  if (expectedFingerprint !== undefined && expectedFingerprint !== fingerprint) {
    return new ModelProblem(`the files of the model changed: they now contain ${model}`)
  }
  return { ...located, model, dimensions: length }
}

type LocatedModel = Omit<LocalModel, "model" | "dimensions"> & { readonly name: string; readonly files: string }

const hubOf = (id: string, { host, cacheFolder }: Omit<Hub, "revision">): LocatedModel | ModelProblem => {
  const [, path, revision = "main"] = /^([\w.-]+\/[\w.-]+)(?:@([\w.-]+))?$/.exec(id) ?? []
  if (path === undefined) {
    return new ModelProblem(
      "is neither a folder (/…, ./…, ~/…) nor a hub's model (ORGANISATION/MODEL or …@REVISION)",
      "name"
    )
  }
  const family = familyOf(path)
  if (family === undefined) {
    return new ModelProblem(
      "belongs to no known family (MiniLM, bge, gte, e5, arctic): use a folder with 1_Pooling/config.json",
      "name"
    )
  }
  const { dimensions, ...recipe } = family
  const hub = { revision, cacheFolder, host }
  return { name: id, path, hub, kind: "fp32", recipe, native: dimensions, files: "" }
}

/** The number formats of weights, the most exact first, with the suffix of their files. */
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

const folderOf = (path: string): LocatedModel | ModelProblem => {
  const folder = resolve(path.replace(/^~(?=$|[/\\])/, homedir()))
  const config = json(folder, "config.json")
  if (config === undefined) return new ModelProblem(`config.json is missing in ${folder}: download the complete model`)
  const missing = ["tokenizer.json", "tokenizer_config.json"].find((name) => !existsSync(join(folder, name)))
  if (missing !== undefined) return new ModelProblem(`${missing} is missing in ${folder}: download the complete model`)
  const [kind, suffix] = kinds.find(([, suffix]) => existsSync(join(folder, "onnx", `model${suffix}.onnx`))) ?? []
  if (kind === undefined)
    return new ModelProblem(`onnx/model.onnx is missing in ${folder}: download the complete model`)
  const native = [config.hidden_size, config.dim, config.d_model].find((value) => Number.isInteger(value))
  if (typeof native !== "number" || native < 1 || native > 8_192) {
    return new ModelProblem(`config.json in ${folder} must have a \`hidden_size\` from 1 to 8192`)
  }
  const recipe = recipeOf(folder, config)
  if (recipe instanceof ModelProblem) return recipe
  const files = shortOf(
    kind,
    readFileSync(join(folder, "config.json")),
    readFileSync(join(folder, "tokenizer.json")),
    sampleOf(join(folder, "onnx", `model${suffix}.onnx`))
  )
  return { name: folder, path: folder, hub: null, kind, recipe, native, files }
}

/**
 * The settings from the model's own files, in the format of sentence-transformers. If the files contain no settings,
 * the settings of the model's family. Unknown settings are a problem; they are never guessed.
 */
const recipeOf = (folder: string, config: Json): EncoderSettings | ModelProblem => {
  const familyByName = typeof config._name_or_path === "string" ? familyOf(config._name_or_path) : undefined
  const { dimensions: _, ...family } = familyByName ?? familyOf(folder) ?? { dimensions: 0 }
  const familyRecipe: Partial<EncoderSettings> = family
  // A layer after the pooling is not supported. Without that layer, the vectors would be wrong.
  const modules = json(folder, "modules.json")
  const dense = Object.values(modules ?? {}).some((module) => /\.Dense$/.test(String(Object(module).type)))
  if (dense || existsSync(join(folder, "2_Dense"))) {
    return new ModelProblem(`${folder} has a Dense layer after its pooling, which is not supported: use another model`)
  }
  const pooling = poolingOf(json(folder, join("1_Pooling", "config.json"))) ?? familyRecipe.pooling
  if (pooling === undefined) {
    return new ModelProblem(
      `the pooling of ${folder} is unknown: add 1_Pooling/config.json, or name the folder after a known family`
    )
  }
  const prompts = Object(json(folder, "config_sentence_transformers.json")?.prompts) as Json
  const prompt = (...names: ReadonlyArray<string>) => {
    const text = names.map((name) => prompts[name]).find((value) => typeof value === "string")
    return text as string | undefined
  }
  const lengthLimits = [
    json(folder, "sentence_bert_config.json")?.max_seq_length,
    familyRecipe.maxTokens,
    json(folder, "tokenizer_config.json")?.model_max_length,
    config.max_position_embeddings
  ].filter((value): value is number => Number.isInteger(value) && (value as number) > 2)
  return {
    ...defaultEncoderSettings,
    weight: encoderWeightOf(`${String(config._name_or_path)} ${folder}`),
    ...familyRecipe,
    pooling,
    query: prompt("query") ?? familyRecipe.query ?? "",
    document: prompt("document", "passage") ?? familyRecipe.document ?? "",
    maxTokens: Math.min(8_192, ...lengthLimits)
  }
}

const poolingOf = (config: Json | undefined): EncoderSettings["pooling"] | undefined => {
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

/**
 * A digest of a file's size and 64 pieces of it. Training changes all weights, so these pieces detect a change without
 * reading a gigabyte.
 */
const sampleOf = (file: string): Uint8Array => {
  const sampleCount = 64
  const block = Buffer.alloc(4_096)
  const opened = openSync(file, "r")
  try {
    const { size } = fstatSync(opened)
    const hash = createHash("sha256").update(String(size))
    for (let index = 0; index < sampleCount; index++) {
      const from = Math.floor((Math.max(0, size - block.length) * index) / (sampleCount - 1))
      hash.update(block.subarray(0, readSync(opened, block, 0, block.length, from)))
    }
    return hash.digest()
  } finally {
    closeSync(opened)
  }
}
