import { createHash } from "node:crypto"
import { crc32 } from "node:zlib"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { runStatements } from "./runStatements.js"

/** A reference to the last anchor line that is on disk. Line 0 means that no anchor of the second format exists yet. */
export const statements = [`CREATE TABLE anchor_reference (line INTEGER NOT NULL, hash BLOB NOT NULL)`]

const pageSize = 1_000

/** Replaces the `checksum` of each cached vector with a SHA-256 of the whole row. Damaged rows keep their old value. */
const sealVectors = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (let after = 0; ; ) {
    const rows = yield* sql<Row>`SELECT rowid AS row, model, dimensions, digest, vector, checksum FROM embeddings
      WHERE rowid > ${after} ORDER BY rowid LIMIT ${pageSize}`
    const sealed = rows
      .filter(({ checksum, vector }) => crc32(vector) === checksum)
      .map(({ digest, dimensions, model, row, vector }) => [
        row,
        createHash("sha256")
          .update(`${model.length}:${model}${dimensions}:`)
          .update(digest)
          .update(vector)
          .digest("hex")
      ])
    yield* sql`UPDATE embeddings SET checksum = unhex(sealed.value ->> 1)
      FROM json_each(${JSON.stringify(sealed)}) AS sealed WHERE embeddings.rowid = sealed.value ->> 0`
    if (rows.length < pageSize) return
    after = rows.at(-1)!.row
  }
})

interface Row {
  readonly row: number
  readonly model: string
  readonly dimensions: number
  readonly digest: Uint8Array
  readonly vector: Uint8Array
  readonly checksum: number
}

export default Effect.zipRight(
  runStatements([...statements, "INSERT INTO anchor_reference (line, hash) VALUES (0, zeroblob(32))"]),
  sealVectors
)
