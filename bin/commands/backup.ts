import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { readLedgerCopyPath } from "../../layers/config.js"
import type { Restored } from "../../src/backup/Backup.js"
import { toIso } from "../../text/when/dates.js"
import { usageError } from "../exit.js"
import { countText } from "../format.js"
import { installation } from "../installation.js"
import { flag, option, wholeNumberParser } from "../options.js"
import type { Output } from "../output.js"
import { fieldsTable } from "../table.js"
import { timerLines } from "../timerLines.js"
import type { Command } from "./Command.js"

const loadBackup = Effect.promise(() => import("../../src/backup/Backup.js"))
const loadExport = Effect.promise(() => import("../../src/backup/exportLog.js"))

interface BackupOptions {
  readonly replace?: boolean
  readonly keep?: number
  readonly every?: string
}

export const backup: Command<BackupOptions, readonly [to: string]> = {
  usage: "backup <file>",
  summary: "copy the log into one verified file, even while it is in use",
  operator: true,
  toleratesPolicy: true,
  options: [
    flag("--replace", "replace an existing file"),
    option("--keep <n>", "keep only the n newest backups of this log in a folder", wholeNumberParser(1)),
    option("--every <time>", "print cron and systemd lines for this interval; make no backup")
  ],
  details: [
    "If <file> is a folder, the backup's name contains the time: daybook-1f0c2a9b-20260301T093000Z.backup.",
    "Views are not copied: they are rebuilt from the log."
  ],
  examples: ["backup daybook.backup", "backup /backups --keep 24", "backup /backups --every 1h --keep 24"],
  afterInterruption: "no backup was made; run the same command again",
  run: ({ checkFolder, out }, { every, keep, replace }, [to]) =>
    Effect.gen(function* () {
      if (to === "-") return yield* noStandardOutput("backup")
      const folder = yield* checkFolder
      if (every !== undefined) {
        const timer = timerLines({
          ...{ every, keep: keep ?? 24, folder: resolve(folder), to: resolve(to) },
          command: [installation.node, installation.program]
        })
        if (timer === undefined)
          return yield* usageError("--every must be minutes, hours or days such as 15m, 1h or 1d")
        return yield* out.show(timer, () => `${timer.cron}\n\n${timer.systemd}`)
      }
      const { create } = yield* loadBackup
      const made = yield* create({
        folder,
        ledger: yield* readLedgerCopyPath(folder),
        to,
        replace,
        keep,
        onProgress: out.progress
      })
      yield* out.show(made, () =>
        fieldsTable(out, [
          ["file", made.file],
          ["events", made.events],
          ["agents", made.agents],
          ["bytes", made.bytes],
          ["anchor", made.anchor ?? "none"],
          ...(made.removed.length === 0 ? [] : [["removed", made.removed.join(", ")] as const])
        ])
      )
    })
}

export const restore: Command<{ readonly replace?: boolean; readonly expect?: string }, readonly [file: string]> = {
  usage: "restore <file>",
  summary: "restore the data folder from a backup",
  operator: true,
  creates: true,
  options: [
    flag("--replace", "replace the folder's log; keep the old folder next to it"),
    option("--expect <line>", "fail unless the backup contains this anchor line")
  ],
  details: ["First stop all processes that use the data folder.", "The policy of the folder is kept."],
  examples: ["restore daybook.backup", "restore daybook.backup --replace"],
  afterInterruption: "the data folder was not changed; run the same command again",
  run: ({ checkFolder, out }, { expect, replace }, [file]) =>
    Effect.gen(function* () {
      const folder = yield* checkFolder
      const { restore } = yield* loadBackup
      const restored = yield* restore({ file, folder, ledger: yield* readLedgerCopyPath(folder), replace, expect })
      yield* out.show(restored, () => fieldsTable(out, restoredFields(restored)))
      warnWithoutLedger(out, restored)
    })
}

export const exportLog: Command<{ readonly replace?: boolean }, readonly [to: string]> = {
  usage: "export <file>",
  summary: "write the log as JSON lines, compressed if the name ends with .gz",
  operator: true,
  options: [flag("--replace", "replace an existing file")],
  examples: ["export log.jsonl", "export log.jsonl.gz"],
  afterInterruption: "no file was written; run the same command again",
  run: ({ checkFolder, out }, { replace }, [to]) =>
    Effect.gen(function* () {
      if (to === "-") return yield* noStandardOutput("export")
      const folder = yield* checkFolder
      const { exportLog } = yield* loadExport
      const exported = yield* exportLog({
        folder,
        ledger: yield* readLedgerCopyPath(folder),
        to,
        replace,
        onProgress: out.progress
      })
      yield* out.show(exported, () =>
        fieldsTable(out, [
          ["file", exported.file],
          ["events", exported.events],
          ["agents", exported.agents],
          ["anchor", exported.anchor ?? "none"]
        ])
      )
    })
}

export const importLog: Command<{ readonly expect?: string }, readonly [file: string]> = {
  usage: "import-log <file>",
  summary: "restore the data folder from an export",
  operator: true,
  creates: true,
  options: [option("--expect <line>", "fail unless the export contains this anchor line")],
  details: ["The folder must have no log. --expect takes the anchor that 'export' or 'verify' printed."],
  examples: ["import-log log.jsonl.gz"],
  afterInterruption: "the data folder was not changed; run the same command again",
  run: ({ checkFolder, out }, { expect }, [file]) =>
    Effect.gen(function* () {
      const folder = yield* checkFolder
      const { importLog } = yield* loadExport
      const restored = yield* importLog({ file, folder, ledger: yield* readLedgerCopyPath(folder), expect })
      yield* out.show(restored, () => fieldsTable(out, restoredFields(restored)))
      warnWithoutLedger(out, restored)
    })
}

/** A copy gets its name only after it was verified as a file, so that nobody reads an unverified one. */
const noStandardOutput = (command: string) =>
  usageError(`'${command}' cannot write to standard output: pass the path of a file; ./- is a file named "-"`)

const restoredFields = ({ agents, createdAt, erasedAgain, erasedUntil, events, folder, lost, replaced }: Restored) => [
  ["folder", folder] as const,
  ["copy of", toIso(createdAt)] as const,
  ["events", events] as const,
  ["agents", agents] as const,
  ...(erasedAgain === 0 ? [] : [["erased again", countText(erasedAgain, "erasure")] as const]),
  ...(erasedUntil === undefined ? [] : [["last erasure", toIso(erasedUntil)] as const]),
  ...(replaced === undefined ? [] : [["old folder", replaced] as const]),
  ...lost.map(({ after, agent, to }) => ["not in the copy", `${countText(to - after, "event")} of ${agent}`] as const)
]

/** Warns that a copy restored without the ledger of later erasures contains the erased text again. */
const warnWithoutLedger = (out: Output, { createdAt, hasLedger }: Restored): void => {
  if (hasLedger) return
  out.warn(
    `daybook: warning: the folder had no erasures.log, so content erased after ${toIso(createdAt)} is back. To erase this content again, put the newest erasures.log into the folder before you write or erase anything there: the next start then erases the content`
  )
}
