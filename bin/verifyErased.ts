import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { Hit, Proof } from "../src/erasure/proof/prove.js"
import type { Call } from "./commands/Command.js"
import { refusalError, usageError } from "./exit.js"
import { countText } from "./format.js"
import type { Output } from "./output.js"
import { type Column, table } from "./table.js"

/** The options of `erase --verify`. */
export interface VerifyErasedOptions {
  /** Files and folders to search instead of the data folder. */
  readonly in?: ReadonlyArray<string>
  /** True: finds a text only as whole words. */
  readonly wholeWords?: boolean
}

/** Runs `erase --verify`: searches files for texts. Ends with code 1 if it finds one, or cannot search a file. */
export const verifyErased = ({ checkFolder, out }: Call, texts: ReadonlyArray<string>, options: VerifyErasedOptions) =>
  Effect.gen(function* () {
    if (texts.length === 0) return yield* usageError("--verify needs at least one text")
    const path = texts.find((text) => looksLikeFile.test(text) && existsSync(text))
    if (path !== undefined)
      return yield* usageError(
        `${path} is a file: to search in it, pass --in ${path}; the arguments of --verify are texts`
      )
    const { prove } = yield* Effect.promise(() => import("../src/erasure/proof/prove.js"))
    const places = options.in ?? [yield* checkFolder]
    const proof = yield* prove(places, texts, { wholeWords: options.wholeWords })
    yield* out.show(proof, () => proofText(out, proof, texts))
    if (proof.clean) return
    if (proof.hits.length === 0)
      return yield* refusalError(
        `${countText(proof.notSearched.length, "file")} not searched: unpack these files, then run the command again`
      )
    const stay = proof.hits.filter(({ stays }) => stays === true).length
    const staying = stay === 0 ? "" : `, ${stay} of them in columns that an erasure keeps`
    return yield* refusalError(`${countText(proof.hits.length + proof.more, "place")} with these texts${staying}`)
  })

const looksLikeFile = /[\\/]|\.(backup|db|gz|jsonl|log)$/

const proofText = async (out: Output, proof: Proof, texts: ReadonlyArray<string>): Promise<string> => {
  const { bytes, files, freePages, hits, more, notSearched, walBytes } = proof
  const packed = notSearched.map((file) => `not searched, because the file is packed or damaged: ${file}\n`).join("")
  const searched = `${packed}searched ${countText(files, "file")}, ${bytes} bytes; ${freePages} free pages that are not empty, ${walBytes} bytes of write-ahead log`
  const columns: ReadonlyArray<Column<Hit>> = [
    { name: "text", cell: ({ text }) => texts[text]! },
    { name: "file", cell: ({ file }) => file },
    { name: "place", cell: ({ place, stays }) => `${place}${stays === true ? " (stays)" : ""}`, elastic: true }
  ]
  return hits.length === 0
    ? `not found: ${texts.map((text) => JSON.stringify(text)).join(", ")}\n${searched}`
    : `${await table(out, hits, columns)}\n${more === 0 ? "" : `not listed: ${countText(more, "more place")}\n`}${searched}`
}
