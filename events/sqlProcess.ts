import type { ChildProcess } from "node:child_process"
import { createRequire } from "node:module"
import * as Effect from "effect/Effect"
import { StorageError } from "./errors.js"
import { type Db, sql } from "./statement.js"

/** SQL to run. A statement has no time limit. */
export interface SqlWork {
  readonly statements: ReadonlyArray<string>
  /** Runs after the statements; the answer contains its rows. */
  readonly query?: string
  /** Path of an extension of SQLite that the statements need. */
  readonly extension?: string | null
}

/** A copy of the whole database to a file. Only a child process does this work. */
interface CopyWork {
  readonly copyTo: string
}

/**
 * The rows of the query, or the place of a failure. `failedAt` is the index of the failed statement; if the query
 * failed, it is the number of statements.
 */
export type SqlAnswer =
  | { readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>> }
  | { readonly failedAt: number; readonly code: string }

/**
 * From this size in bytes on, starting a child process (about 60 ms on one core) is better than blocking this process.
 */
export const minChildBytes = 4 << 20

/** True if a database is large enough for a child process. */
export const isLarge = (db: Db): boolean =>
  sql(db, "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size").get().bytes >=
  minChildBytes

/** Runs SQL on an open database: in a child process if the database is large, otherwise in this process. */
export const runSql = (db: Db, work: SqlWork): Effect.Effect<SqlAnswer, StorageError> =>
  Effect.suspend(() =>
    isLarge(db)
      ? Effect.map(runInChild(db.name, work), (answer) => answer ?? runInThisProcess(db, work))
      : Effect.succeed(runInThisProcess(db, work))
  )

/**
 * Copies an open database to a file. A large database is copied in a child process, because SQLite syncs the whole copy
 * in one call. Fails with the original cause. After a failure or an interruption, the caller removes the file.
 */
export const copyDatabase = (db: Db, target: string): Effect.Effect<void, unknown> => {
  const copyHere: Effect.Effect<void, unknown> = Effect.asVoid(Effect.tryPromise(() => db.backup(target)))
  const copyInChild = Effect.flatMap(
    // Callers open files in an uninterruptible region. An interruption may still kill the child, because the caller
    // then removes the file.
    Effect.interruptible(runInChild(db.name, { copyTo: target })),
    (answer): Effect.Effect<void, unknown> => {
      // Another process has removed the file, which is still open here.
      if (answer === undefined || ("code" in answer && answer.code === "SQLITE_CANTOPEN")) return copyHere
      return "code" in answer ? Effect.fail(answer) : Effect.void
    }
  )
  return Effect.flatMap(
    Effect.try(() => isLarge(db)),
    (large) => (large ? copyInChild : copyHere)
  )
}

/**
 * Runs SQL in a child process. better-sqlite3 runs a statement in one call that nothing can interrupt, and this process
 * could do nothing else in the meantime. An interruption kills the child; the caller must then discard the child's
 * output. A worker thread is not an option: the process aborts when a thread ends while the thread loads
 * better-sqlite3.
 *
 * The answer is undefined if the child cannot be started or cannot open the file. Then do the work in this process.
 */
export const runInChild = (
  file: string,
  work: SqlWork | CopyWork
): Effect.Effect<SqlAnswer | undefined, StorageError> =>
  Effect.async<SqlAnswer | undefined, StorageError>((resume) => {
    const child = start()
    if (child === undefined) return resume(Effect.succeed(undefined))
    const kill = () => void child.kill("SIGKILL")
    process.once("exit", kill)
    let output = ""
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      output += text
    })
    child.stdin!.on("error", () => {})
    child.on("error", () => resume(Effect.succeed(undefined)))
    child.on("close", (_, signal) => {
      process.off("exit", kill)
      if (signal !== null) resume(new StorageError({ kind: "failed", where: "child process", code: signal }))
      else resume(Effect.succeed(output === "" ? undefined : (JSON.parse(output) as SqlAnswer)))
    })
    child.stdin!.end(JSON.stringify({ file, work, driver: createRequire(import.meta.url).resolve("better-sqlite3") }))
    return Effect.async<void>((killed) => {
      child.on("close", () => killed(Effect.void))
      kill()
    })
  })

const start = (): ChildProcess | undefined => {
  try {
    // Loaded on demand, because most processes start no child.
    const { spawn } = createRequire(import.meta.url)("node:child_process") as typeof import("node:child_process")
    // Options of this process, such as a hook that loads TypeScript, must not reach the child.
    const { NODE_OPTIONS: _, ...env } = process.env
    return spawn(process.execPath, ["-e", `(${program.toString()})(require, ${runInThisProcess.toString()})`], {
      env,
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true
    })
  } catch {
    return undefined
  }
}

/** Runs SQL in this process. Like `program`, it must not refer to anything outside itself. */
export const runInThisProcess = (db: Db, { query, statements }: SqlWork): SqlAnswer => {
  let failedAt = 0
  try {
    for (const statement of statements) {
      db.exec(statement)
      failedAt++
    }
    return { rows: query === undefined ? [] : (db.prepare(query).all() as Array<Record<string, unknown>>) }
  } catch (cause) {
    return { failedAt, code: cause instanceof Error && "code" in cause ? String(cause.code) : "unknown" }
  }
}

/**
 * The child's program. It is passed as source text, so that it works the same in a checkout, in the package and in the
 * bundled command. Signals of the terminal reach the child too, but only its parent may end the child.
 */
const program = (require: NodeJS.Require, run: typeof runInThisProcess) => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {})
  let input = ""
  process.stdin.setEncoding("utf8")
  process.stdin.on("data", (text) => {
    input += text
  })
  process.stdin.on("end", () => {
    const { driver, file, work } = JSON.parse(input) as { driver: string; file: string; work: SqlWork | CopyWork }
    const Database = require(driver) as typeof import("better-sqlite3")
    const db = new Database(file, { fileMustExist: true, timeout: 20 })
    const finish = (answer: SqlAnswer) => {
      db.close()
      process.stdout.write(JSON.stringify(answer))
    }
    if ("copyTo" in work) {
      db.backup(work.copyTo).then(
        () => finish({ rows: [] }),
        ({ code = "unknown" }) => finish({ failedAt: 0, code })
      )
      return
    }
    if (work.extension) db.loadExtension(work.extension)
    finish(run(db, work))
  })
}
