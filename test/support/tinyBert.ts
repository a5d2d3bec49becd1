import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Attribute, modelFile, node, tensor } from "./onnx.js"

/** The size of an encoder. */
export interface Size {
  readonly layers: number
  readonly hidden: number
  readonly heads: number
  readonly between: number
  readonly positions: number
  readonly words: ReadonlyArray<string>
}

/** The same numbers for the same seed, between −1 and 1 (mulberry32). */
const random = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1
}

/**
 * BERT as `@huggingface/optimum` exports it: `input_ids`, `attention_mask` and
 * `token_type_ids` in, `last_hidden_state` out; with random weights.
 */
const bert = ({ between, heads, hidden, layers, positions, words }: Size, seed: number): Uint8Array => {
  const next = random(seed)
  const nodes: Array<Uint8Array> = []
  const weights: Array<Uint8Array> = []
  const made = (name: string, shape: ReadonlyArray<number>, value: () => number) => {
    const values = new Float32Array(shape.reduce((a, b) => a * b, 1)).map(value)
    weights.push(tensor(name, shape, values))
    return name
  }
  const around = (scale: number) => () => scale * next()
  const integers = (name: string, shape: ReadonlyArray<number>, values: ReadonlyArray<number>) => {
    weights.push(tensor(name, shape, BigInt64Array.from(values.map(BigInt))))
    return name
  }
  let steps = 0
  const op = (
    operator: string,
    inputs: ReadonlyArray<string>,
    attributes: Readonly<Record<string, Attribute>> = {}
  ) => {
    const output = `${operator}_${++steps}`
    nodes.push(node(operator, inputs, output, attributes))
    return output
  }
  const linear = (name: string, from: number, to: number, input: string) => {
    const weight = made(`${name}.weight`, [from, to], around(Math.sqrt(3 / from)))
    return op("Add", [op("MatMul", [input, weight]), made(`${name}.bias`, [to], around(0.02))])
  }
  const normal = (name: string, input: string) =>
    op(
      "LayerNormalization",
      [input, made(`${name}.scale`, [hidden], () => 1), made(`${name}.shift`, [hidden], () => 0)],
      {
        axis: -1,
        epsilon: { float: 1e-12 }
      }
    )

  const [zero, one] = [integers("zero", [], [0]), integers("one", [], [1])]
  const length = op("Gather", [op("Shape", ["input_ids"]), one], { axis: 0 })
  const places = op("Range", [zero, length, one])
  const wordTable = made("words", [words.length, hidden], around(1))
  const placeTable = made("places", [positions, hidden], around(0.1))
  const kindTable = made("kinds", [2, hidden], around(0.1))
  const word = op("Gather", [wordTable, "input_ids"])
  const kind = op("Gather", [kindTable, "token_type_ids"])
  let state = normal("embedded", op("Add", [op("Add", [word, kind]), op("Gather", [placeTable, places])]))

  // What is no word of the text is looked at by nobody.
  const there = op("Cast", ["attention_mask"], { to: 1 })
  const hiddenBy = op("Mul", [op("Sub", [made("all", [1], () => 1), there]), made("never", [1], () => -10_000)])
  const mask = op("Unsqueeze", [hiddenBy, integers("maskAxes", [2], [1, 2])])
  const split = integers("split", [4], [0, 0, heads, hidden / heads])
  const merge = integers("merge", [3], [0, 0, hidden])
  const scale = made("scale", [1], () => 1 / Math.sqrt(hidden / heads))
  const half = made("half", [1], () => 0.5)
  const root = made("root", [1], () => Math.SQRT2)
  for (let layer = 0; layer < layers; layer++) {
    const side = (name: string, perm: ReadonlyArray<number>) =>
      op("Transpose", [op("Reshape", [linear(`${layer}.${name}`, hidden, hidden, state), split])], { perm })
    const [query, key, value] = [side("query", [0, 2, 1, 3]), side("key", [0, 2, 3, 1]), side("value", [0, 2, 1, 3])]
    const scores = op("Add", [op("Mul", [op("MatMul", [query, key]), scale]), mask])
    const seen = op("MatMul", [op("Softmax", [scores], { axis: -1 }), value])
    const attended = op("Reshape", [op("Transpose", [seen], { perm: [0, 2, 1, 3] }), merge])
    state = normal(`${layer}.attention`, op("Add", [state, linear(`${layer}.out`, hidden, hidden, attended)]))
    const wide = linear(`${layer}.wide`, hidden, between, state)
    const gelu = op("Mul", [
      op("Mul", [wide, half]),
      op("Add", [op("Erf", [op("Div", [wide, root])]), made(`${layer}.one`, [1], () => 1)])
    ])
    state = normal(`${layer}.done`, op("Add", [state, linear(`${layer}.narrow`, between, hidden, gelu)]))
  }
  nodes.push(node("Identity", [state], "last_hidden_state"))
  const input = (name: string) => ({ name, integers: true, shape: ["batch", "length"] })
  return modelFile({
    nodes,
    weights,
    inputs: ["input_ids", "attention_mask", "token_type_ids"].map(input),
    outputs: [{ name: "last_hidden_state", integers: false, shape: ["batch", "length", hidden] }]
  })
}

const special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]

/** Words that a small vocabulary knows whole; of any other it knows the letters. */
const known = "when do we deploy deploys happen on tuesdays the ferry tea green harbour crane query passage".split(" ")

const alphabet = [..."abcdefghijklmnopqrstuvwxyz0123456789:?.,'-"]

export const tiny: Size = {
  layers: 2,
  hidden: 32,
  heads: 4,
  between: 64,
  positions: 64,
  words: [...special, ...alphabet, ...alphabet.map((letter) => `##${letter}`), ...known]
}

/** A tokenizer of words and their pieces, as BERT's is kept in `tokenizer.json`. */
const tokenizer = (words: ReadonlyArray<string>) => ({
  version: "1.0",
  truncation: null,
  padding: null,
  added_tokens: special.map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true
  })),
  normalizer: {
    type: "BertNormalizer",
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true
  },
  pre_tokenizer: { type: "BertPreTokenizer" },
  post_processor: {
    type: "TemplateProcessing",
    single: [
      { SpecialToken: { id: "[CLS]", type_id: 0 } },
      { Sequence: { id: "A", type_id: 0 } },
      { SpecialToken: { id: "[SEP]", type_id: 0 } }
    ],
    pair: [
      { SpecialToken: { id: "[CLS]", type_id: 0 } },
      { Sequence: { id: "A", type_id: 0 } },
      { SpecialToken: { id: "[SEP]", type_id: 0 } },
      { Sequence: { id: "B", type_id: 1 } },
      { SpecialToken: { id: "[SEP]", type_id: 1 } }
    ],
    special_tokens: {
      "[CLS]": { id: "[CLS]", ids: [2], tokens: ["[CLS]"] },
      "[SEP]": { id: "[SEP]", ids: [3], tokens: ["[SEP]"] }
    }
  },
  decoder: { type: "WordPiece", prefix: "##", cleanup: true },
  model: {
    type: "WordPiece",
    unk_token: "[UNK]",
    continuing_subword_prefix: "##",
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(words.map((word, id) => [word, id]))
  }
})

/** A folder as a hub keeps an encoder: the network, its settings, its tokenizer. `files` are written on top, as JSON. */
export const writeBert = (
  folder: string,
  files: Readonly<Record<string, unknown>> = {},
  { seed = 1, size = tiny }: { readonly seed?: number; readonly size?: Size } = {}
): string => {
  mkdirSync(join(folder, "onnx"), { recursive: true })
  writeFileSync(join(folder, "onnx", "model.onnx"), bert(size, seed))
  const all: Readonly<Record<string, unknown>> = {
    "config.json": {
      model_type: "bert",
      architectures: ["BertModel"],
      hidden_size: size.hidden,
      num_hidden_layers: size.layers,
      num_attention_heads: size.heads,
      intermediate_size: size.between,
      max_position_embeddings: size.positions,
      vocab_size: size.words.length,
      type_vocab_size: 2
    },
    "tokenizer.json": tokenizer(size.words),
    "tokenizer_config.json": {
      tokenizer_class: "BertTokenizer",
      do_lower_case: true,
      model_max_length: size.positions,
      unk_token: "[UNK]",
      cls_token: "[CLS]",
      sep_token: "[SEP]",
      pad_token: "[PAD]",
      mask_token: "[MASK]"
    },
    ...files
  }
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(join(folder, name, ".."), { recursive: true })
    writeFileSync(join(folder, name), JSON.stringify(content))
  }
  return folder
}
