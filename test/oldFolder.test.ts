import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Default from "../layers/Default.js"
import { Daybook } from "../src/Daybook.js"
import { rankerVersion } from "../src/search/ranker.js"

/**
 * A data folder that an earlier build wrote, on Node 20 with better-sqlite3 12: the log and its anchor, and what that
 * build answered. Its views were deleted, so everything that is read here is rebuilt from the log.
 *
 * A change of a projection's version changes its digest. Such a change belongs into its own commit, which writes the new
 * figures into expected.json. Its recalls were made by ranker 3, and say so.
 */
const fixture = join(import.meta.dirname, "fixtures", "folders", "node20")
const expected = JSON.parse(readFileSync(join(fixture, "expected.json"), "utf8"))
const folder = mkdtempSync(join(tmpdir(), "daybook-old-"))

beforeAll(() => {
  writeFileSync(join(folder, "log.db"), gunzipSync(readFileSync(join(fixture, "log.db.gz"))))
  copyFileSync(join(fixture, "anchor.log"), join(folder, "anchor.log"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("a data folder of an earlier build", () => {
  it.live(
    "verifies, builds views with the same digests, repeats its recalls exactly, and reports that the ranker is newer",
    () =>
      Effect.gen(function* () {
        const daybook = yield* Daybook
        const { events, ok } = yield* daybook.verify()
        expect({ events, ok }).toEqual(expected.verify)
        const { digest, projections, stateDigest } = yield* daybook.digests("coop")
        expect(projections).toEqual(expected.projections)
        expect({ digest, stateDigest }).toEqual({ digest: expected.digest, stateDigest: expected.stateDigest })
        const memory = yield* daybook.agent("coop", { trust: "full", record: false })
        for (const { hits, kind, number } of expected.recalls) {
          const { differences, recall, same } = yield* memory.recalls.rerun(number)
          expect({ number, kind: recall.kind, hits: recall.hits, same, differences }).toEqual({
            number,
            kind,
            hits,
            same: true,
            differences: [{ what: "ranker", was: "3", is: String(rankerVersion) }]
          })
        }
      }).pipe(Effect.provide(Default.layer({ folder })))
  )
})
