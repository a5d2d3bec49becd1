import { mkdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Anchor from "../../events/Anchor.js"
import { readInstallationId } from "../../events/copies/backupFile.js"
import { startRestoredEpoch } from "../../events/copies/epoch.js"
import { type LogLocation, readLedgerText, writeLedger } from "../../events/copies/snapshot.js"
import { type LedgerLine, ledgerName, parseLedger, recordsOf } from "../../events/erasure/ledger.js"
import type { StorageError } from "../../events/errors.js"
import { BackupRefused } from "../model/errors.js"
import { applyLedger } from "./applyLedger.js"
import { attempt, hasLog, installFolder, realFolder, withStaging } from "./copyFiles.js"
import type { VerifiedCopy } from "./verifyCopy.js"

/** A restored data folder. Times are milliseconds since the epoch. */
export interface Restored {
  readonly folder: string
  /** When the copy was made. */
  readonly createdAt: number
  readonly events: number
  readonly agents: number
  /** Where the replaced data folder is now. */
  readonly replaced?: string
  /** The events, by agent, that are in the replaced log but not in the copy: versions `after + 1` to `to`. */
  readonly lost: ReadonlyArray<{ readonly agent: string; readonly after: number; readonly to: number }>
  /** Number of erasures that were made after the copy and are now applied to it again. */
  readonly erasedAgain: number
  /** The time of the last erasure in the ledger. Text that was erased later is back. Absent without a ledger. */
  readonly erasedUntil?: number
  /**
   * True if the folder had a log or a ledger of erasures, or if the copy of the ledger was found. If false, text that
   * was erased after the copy was made is back.
   */
  readonly hasLedger: boolean
}

interface Place extends LogLocation {
  readonly replace: boolean
  readonly from: "backup" | "export"
  /** False if nothing confirmed the copy. */
  readonly vouched?: boolean
}

/** Builds a data folder beside the final one, starts a new epoch of its log, and puts it into place. */
export const install = <E>(
  { folder, from, ledger, replace, vouched }: Place,
  build: (staging: string) => Effect.Effect<VerifiedCopy & { readonly createdAt: number }, E>
): Effect.Effect<Restored, E | BackupRefused | StorageError> =>
  Effect.gen(function* () {
    const isTaken = yield* attempt(folder, () => hasLog(folder))
    if (isTaken && !replace)
      return yield* new BackupRefused({
        file: folder,
        problem:
          from === "backup"
            ? "already contains a log: choose another folder, or pass --replace to replace the log"
            : "already contains a log: choose another folder"
      })
    const target = yield* attempt(folder, () => realFolder(folder))
    const old = anchorOf(target)
    return yield* withStaging(
      dirname(target),
      Effect.fnUntraced(function* (parent) {
        // Build in a subfolder. The staging folder is removed at the end, but the data folder must stay.
        const staging = join(parent, "data")
        yield* attempt(staging, () => mkdirSync(staging, { mode: 0o700 }))
        const { createdAt, heads, verification } = yield* build(staging)
        const { hasLedger, ...erased } = yield* takeLedger({ folder: target, ledger }, staging, isTaken)
        yield* applyLedger(staging)
        const versions = new Map(heads.map(({ stream, version }) => [stream, version]))
        const lost = [...(old?.heads ?? [])].flatMap(([agent, { version }]) => {
          const after = versions.get(agent) ?? 0
          return version > after ? [{ agent, after, to: version }] : []
        })
        yield* startRestoredEpoch(staging, {
          ...{ from, at: yield* Clock.currentTimeMillis, createdAt },
          ...(vouched === undefined ? {} : { vouched }),
          ...(old === undefined ? {} : { replaced: { line: old.line, hash: old.hash } }),
          ...(lost.length === 0 ? {} : { lost: lost.map(({ after, agent, to }) => [agent, after, to] as const) })
        })
        const replaced = yield* installFolder(staging, target)
        const { events, streams } = verification
        return {
          ...{ folder, createdAt, events, agents: streams, lost, ...erased, hasLedger: isTaken || hasLedger },
          ...(replaced === undefined ? {} : { replaced })
        }
      })
    )
  })

/**
 * Takes over the ledger of erasures of the replaced folder, or the ledger's copy, if it continues the ledger in the
 * backup. It contains the erasures made after the backup. The ledger of another installation is ignored if its log is
 * in the folder too, because it stays with that log. If only such a ledger is in the folder, the restore is refused,
 * because the ledger would be lost. A foreign copy of the ledger outside of the folder is ignored.
 */
const takeLedger = Effect.fnUntraced(function* (
  { folder, ledger }: LogLocation,
  staging: string,
  hasOwnLog: boolean
): Effect.fn.Return<Pick<Restored, "erasedAgain" | "erasedUntil" | "hasLedger">, BackupRefused | StorageError> {
  const text = yield* attempt(ledgerName, () => readLedgerText(folder, ledger))
  const [own, copied] = [parseLedger(text), parseLedger(yield* attempt(ledgerName, () => readLedgerText(staging)))]
  const refuse = (problem: string) => new BackupRefused({ file: join(folder, ledgerName), problem })
  if (own.problem !== null)
    return yield* refuse(
      `is damaged (${own.problem}), so erased text could return: replace it with an undamaged copy, or move it away`
    )
  const installation = yield* attempt("log.db", () => readInstallationId(join(staging, "log.db")))
  const [first] = parseLedger(yield* attempt(ledgerName, () => readLedgerText(folder))).lines
  if (first !== undefined && first.log !== installation && !hasOwnLog)
    return yield* refuse(
      "is the ledger of erasures of another log: move it away, and put the ledger of this log in its place"
    )
  if (own.lines[0]?.log !== installation) return { erasedAgain: 0, hasLedger: false, ...untilOf(copied.lines) }
  if (!continues(own.lines, copied.lines))
    return yield* refuse(
      "does not continue the ledger of erasures in the copy: move this file away, restore the copy, then run 'daybook erase --ledger FILE' with the moved file"
    )
  const lastOf = (lines: ReadonlyArray<LedgerLine>) => lines.at(-1)?.line ?? 0
  if (lastOf(own.lines) > lastOf(copied.lines)) yield* attempt(ledgerName, () => writeLedger(staging, text))
  const newer = own.lines.filter(({ line }) => line > lastOf(copied.lines))
  const all = newer.length > 0 ? own.lines : copied.lines
  return { erasedAgain: recordsOf(newer).length, hasLedger: true, ...untilOf(all) }
})

const untilOf = (lines: ReadonlyArray<LedgerLine>): Pick<Restored, "erasedUntil"> => {
  const last = recordsOf(lines).at(-1)
  return last === undefined ? {} : { erasedUntil: last.at }
}

/**
 * Returns true if no line differs between two ledgers. A ledger that was restarted after a loss does not have its first
 * lines.
 */
const continues = (own: ReadonlyArray<LedgerLine>, copied: ReadonlyArray<LedgerLine>): boolean => {
  const hashes = new Map(copied.map(({ hash, line }) => [line, hash]))
  const isSame = (line: number, hash: string | undefined) => hash === undefined || (hashes.get(line) ?? hash) === hash
  return own.every(({ hash, line }) => isSame(line, hash)) && isSame(own[0]!.line - 1, own[0]!.after)
}

/** The state of a folder's anchor; undefined if the anchor is missing or cannot be read. */
const anchorOf = (folder: string) => {
  try {
    const anchor = Anchor.make(join(folder, "anchor.log"))
    const read = anchor.read({ repair: false })
    anchor.close()
    return read.kind === "state" ? read.state : undefined
  } catch {
    return undefined
  }
}

export const anchorText = (folder: string): string => readFileSync(join(folder, "anchor.log"), "utf8")
