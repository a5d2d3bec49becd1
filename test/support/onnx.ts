/** Writes models in ONNX's own format (onnx.proto, IR version 8, operators of version 17): as much of it as a small encoder needs. */

type Bytes = ReadonlyArray<Uint8Array>

const varint = (value: number | bigint): Uint8Array => {
  const bytes: Array<number> = []
  // Negative numbers are written in 64 bits.
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Uint8Array.from([...bytes, Number(rest)])
}

const joined = (parts: Bytes): Uint8Array => Buffer.concat(parts)
const integer = (field: number, value: number): Uint8Array => joined([varint(field << 3), varint(value)])
const bytes = (field: number, value: Uint8Array): Uint8Array =>
  joined([varint((field << 3) | 2), varint(value.length), value])
const text = (field: number, value: string): Uint8Array => bytes(field, Buffer.from(value))
const message = (field: number, parts: Bytes): Uint8Array => bytes(field, joined(parts))

/** A named tensor of floats, or of 64-bit integers. */
export const tensor = (
  name: string,
  dimensions: ReadonlyArray<number>,
  values: Float32Array | BigInt64Array
): Uint8Array =>
  joined([
    ...dimensions.map((size) => integer(1, size)),
    integer(2, values instanceof Float32Array ? 1 : 7),
    text(8, name),
    bytes(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
  ])

export type Attribute = number | ReadonlyArray<number> | { readonly float: number }

const attribute = (name: string, value: Attribute): Uint8Array => {
  if (typeof value === "number") return joined([text(1, name), integer(3, value), integer(20, 2)])
  if ("float" in value) {
    const float = Buffer.alloc(4)
    float.writeFloatLE(value.float)
    return joined([text(1, name), varint((2 << 3) | 5), float, integer(20, 1)])
  }
  return joined([text(1, name), ...value.map((one) => integer(8, one)), integer(20, 7)])
}

/** One operation: what it takes, what it gives. */
export const node = (
  operator: string,
  inputs: ReadonlyArray<string>,
  output: string,
  attributes: Readonly<Record<string, Attribute>> = {}
): Uint8Array =>
  joined([
    ...inputs.map((name) => text(1, name)),
    text(2, output),
    text(4, operator),
    ...Object.entries(attributes).map(([name, value]) => bytes(5, attribute(name, value)))
  ])

/** An input or output: its name, whether it holds integers, its sizes (a name for what is not known). */
export interface Port {
  readonly name: string
  readonly integers: boolean
  readonly shape: ReadonlyArray<number | string>
}

const port = ({ integers, name, shape }: Port): Uint8Array => {
  const sizes = shape.map((size) => message(1, [typeof size === "number" ? integer(1, size) : text(2, size)]))
  return joined([text(1, name), message(2, [message(1, [integer(1, integers ? 7 : 1), message(2, sizes)])])])
}

/** A whole model file. */
export const modelFile = (graph: {
  readonly nodes: Bytes
  readonly weights: Bytes
  readonly inputs: ReadonlyArray<Port>
  readonly outputs: ReadonlyArray<Port>
}): Uint8Array =>
  joined([
    integer(1, 8),
    message(7, [
      ...graph.nodes.map((one) => bytes(1, one)),
      text(2, "encoder"),
      ...graph.weights.map((one) => bytes(5, one)),
      ...graph.inputs.map((one) => bytes(11, port(one))),
      ...graph.outputs.map((one) => bytes(12, port(one)))
    ]),
    message(8, [text(1, ""), integer(2, 17)])
  ])
