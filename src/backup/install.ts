import { mkdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Anchor from "../../events/Anchor.js"
import { installationOf } from "../../events/copies/backupFile.js"
import { startRestoredEpoch } from "../../events/copies/epoch.js"
import { type LogPlace, ledgerText, writeLedger } from "../../events/copies/snapshot.js"
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
  /** The events that the replaced log had and the copy does not, by agent. */
  readonly lost: ReadonlyArray<{ readonly agent: string; readonly after: number; readonly to: number }>
  /** The erasures that were made after the copy and are applied to it again. */
  readonly erasedAgain: number
  /** The time of the last erasure that the ledger names. What was erased later is back. Absent without a ledger. */
  readonly erasedUntil?: number
  /**
   * Whether the folder had a log or a ledger of erasures, or the copy of the ledger was there. Otherwise text that was
   * erased after the copy was made is back.
   */
  readonly hasLedger: boolean
}

interface Place extends LogPlace {
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
            ? "has a log: choose another folder, or replace it (--replace)"
            : "has a log: choose another folder"
      })
    const target = yield* attempt(folder, () => realFolder(folder))
    const old = anchorOf(target)
    return yield* withStaging(
      dirname(target),
      Effect.fnUntraced(function* (parent) {
        // A folder of its own inside: staging folders are removed at the end, and this one stays.
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
 * Takes the ledger of erasures of the folder that the copy replaces, or the copy of it, if it continues the ledger in the
 * backup. It names what was erased after the backup was made. The ledger of another installation has no say. It is kept
 * with the log that it belongs to, and refused without one, because it would be lost.
 */
const takeLedger = Effect.fnUntraced(function* (
  { folder, ledger }: LogPlace,
  staging: string,
  hasOwnLog: boolean
): Effect.fn.Return<Pick<Restored, "erasedAgain" | "erasedUntil" | "hasLedger">, BackupRefused | StorageError> {
  const text = yield* attempt(ledgerName, () => ledgerText(folder, ledger))
  const [own, copied] = [parseLedger(text), parseLedger(yield* attempt(ledgerName, () => ledgerText(staging)))]
  const refuse = (problem: string) => new BackupRefused({ file: join(folder, ledgerName), problem })
  if (own.problem !== null)
    return yield* refuse(
      `is damaged (${own.problem}), so text that was erased since could return: put back a whole copy of it, or move it away`
    )
  const installation = yield* attempt("log.db", () => installationOf(join(staging, "log.db")))
  const [first] = parseLedger(yield* attempt(ledgerName, () => ledgerText(folder))).lines
  if (first !== undefined && first.log !== installation && !hasOwnLog)
    return yield* refuse("is the ledger of erasures of another log: move it away, and put the one of this log there")
  if (own.lines[0]?.log !== installation) return { erasedAgain: 0, hasLedger: false, ...untilOf(copied.lines) }
  if (!continues(own.lines, copied.lines))
    return yield* refuse(
      "does not continue the ledger of erasures in the copy: move it away, restore, then run 'daybook erase --ledger' with it"
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

/** Whether two ledgers have no line that differs. A ledger that was restarted after a loss lacks its first lines. */
const continues = (own: ReadonlyArray<LedgerLine>, copied: ReadonlyArray<LedgerLine>): boolean => {
  const hashes = new Map(copied.map(({ hash, line }) => [line, hash]))
  const isSame = (line: number, hash: string | undefined) => hash === undefined || (hashes.get(line) ?? hash) === hash
  return own.every(({ hash, line }) => isSame(line, hash)) && isSame(own[0]!.line - 1, own[0]!.after)
}

/** The state of a folder's anchor; undefined if there is none that can be read. */
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
