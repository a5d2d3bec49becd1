import { existsSync, readFileSync, statSync } from "node:fs"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { parseLedger } from "../../events/erasure/ledger.js"
import { storageError } from "../../events/errors.js"
import { InvalidInput } from "../model/errors.js"
import { decodeKey } from "../model/input.js"
import type { ErasureOperations } from "./Erasure.js"
import { cleanOrWarn, type Eraser } from "./eraser.js"

/** Implements `Daybook.eraseByLedger`. */
export const eraseByLedger = (eraser: Eraser, file: string): ReturnType<ErasureOperations["eraseByLedger"]> =>
  Effect.gen(function* () {
    const refuse = (problem: string) => new InvalidInput({ field: "ledger", problem })
    yield* decodeKey("ledger", file)
    const isFile = yield* Effect.try({
      try: () => existsSync(file) && statSync(file).isFile(),
      catch: storageError("ledger")
    })
    if (!isFile) return yield* refuse("does not exist or is not a file")
    const text = yield* Effect.try({ try: () => readFileSync(file, "utf8"), catch: storageError("ledger") })
    const { lines, problem } = parseLedger(text)
    if (problem !== null) return yield* refuse(`is damaged (${problem}): use an undamaged copy of it`)
    if (lines.length === 0) return yield* refuse("contains no erasures: check that the file is an erasures.log")
    const erased = yield* eraser.log.eraseAgain(lines, Math.floor(yield* Clock.currentTimeMillis))
    if (erased === "anotherLog") return yield* refuse("belongs to another log: use a ledger of this log")
    return { ...erased, cleaning: erased.erasures === 0 ? ("none" as const) : yield* cleanOrWarn(eraser) }
  }).pipe(Effect.withSpan("Daybook.eraseByLedger"))
