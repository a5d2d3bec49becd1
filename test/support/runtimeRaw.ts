import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import type { Dice } from "./runtimeProtocol.js"

type Db = Database.Database

interface Held {
  readonly db: Db
  readonly objects: Array<unknown>
}

/** At most this many connections are referenced at once: each has files open. */
const heldMost = 30

/**
 * Uses better-sqlite3 as carelessly as a program can: connections, statements
 * and iterators stay open, and are dropped without being closed.
 */
export const rawWork = (folder: string, dice: Dice) => {
  let held: Array<Held> = []

  const file = () => {
    const own = join(folder, `raw-${dice.below(3)}.db`)
    const views = join(folder, "views")
    const some = existsSync(views)
      ? readdirSync(views, { recursive: true }).map((name) => join(views, String(name)))
      : []
    return dice.pick([":memory:", ":memory:", own, own, join(folder, "log.db"), ...some.filter(isDatabase).slice(0, 2)])
  }

  /** Opens a connection with statements and iterators that nobody closes. */
  const open = (): Held => {
    const name = file()
    const isOwn = name === ":memory:" || name.includes("raw-")
    const db = new Database(name, { readonly: !isOwn, fileMustExist: !isOwn, timeout: 20 })
    const objects: Array<unknown> = []
    const one = { db, objects }
    ignoringBusy(() => {
      if (isOwn) fill(db, dice)
      const table = isOwn ? "numbers" : "sqlite_master"
      for (let count = dice.below(6); count >= 0; count--) {
        const statement = db.prepare(`SELECT *, ${count} FROM ${table}`)
        objects.push(statement)
        if (dice.chance(0.3)) statement.all()
        if (dice.chance(0.5)) {
          const iterator = dice.pick([statement, statement.raw()]).iterate()
          iterator.next()
          objects.push(iterator)
        }
      }
    })
    return one
  }

  const close = ({ db }: Held) => {
    try {
      db.close()
    } catch (cause) {
      // A connection with an open iterator refuses to be closed; it is dropped as it is.
      if (!(cause instanceof TypeError)) throw cause
    }
  }

  /** Starts a copy in the background that is never waited for. */
  const copy = () => {
    const db = new Database(":memory:")
    fill(db, dice)
    db.backup(join(folder, `copy-${process.pid}-${dice.below(3)}.db`), {
      progress: () => (dice.chance(0.2) ? 0 : 1)
    }).catch(() => undefined)
    if (dice.chance(0.3)) ignoringBusy(() => close({ db, objects: [] }))
  }

  return {
    step: () => {
      const choice = dice.below(10)
      if (choice < 6) {
        for (let count = dice.below(8); count >= 0; count--) {
          const one = open()
          if (dice.chance(0.5)) held.push(one)
        }
      } else if (choice < 7) copy()
      else if (choice < 9) for (const one of held.splice(0, 3)) close(one)
      else held = held.filter(() => dice.chance(0.3))
      while (held.length > heldMost) held.splice(dice.below(held.length), 1)
    },
    /** Leaves some connections open for the end of the process. */
    hold: () => {
      for (let count = 0; count < 5; count++) held.push(open())
    },
    drop: () => {
      held = []
    },
    /** Calls back in the middle of a query: from a loop over its rows, or from a function that SQLite calls. */
    duringQuery: (callback: () => void) => {
      const db = new Database(":memory:")
      fill(db, dice)
      held.push({ db, objects: [] })
      if (dice.chance(0.5)) {
        for (const _ of db.prepare("SELECT * FROM numbers").iterate()) callback()
      } else {
        db.function("call_back", () => {
          callback()
          return 1
        })
        db.prepare("SELECT call_back() FROM numbers").all()
      }
    }
  }
}

const isDatabase = (name: string) => name.endsWith(".db")

const fill = (db: Db, dice: Dice) => {
  db.exec("CREATE TABLE IF NOT EXISTS numbers (number INTEGER, text TEXT)")
  const insert = db.prepare("INSERT INTO numbers SELECT ?, ? WHERE (SELECT count(*) FROM numbers) < 500")
  db.transaction(() => {
    for (let number = 0; number < 20; number++) insert.run(number, "text ".repeat(dice.below(20)))
  })()
  if (dice.chance(0.3)) {
    db.function("twice", twice)
    db.aggregate("total", { start: 0, step: total })
    db.prepare("SELECT twice(number), total(number) FROM numbers GROUP BY number").all()
  }
}

// better-sqlite3 keeps functions of SQL alive. One that can reach its connection would keep that open for ever.
const twice = (value: unknown) => Number(value) * 2
const total = (sum: number, value: unknown) => sum + Number(value)

/**
 * Two children share the files, and a view may be replaced while it is opened. A child that was killed while it copied a
 * view leaves a journal, which a read-only connection may not roll back.
 */
const ignoringBusy = (work: () => void) => {
  try {
    work()
  } catch (cause) {
    const code = (cause as { readonly code?: string }).code ?? ""
    if (!/^SQLITE_(BUSY|LOCKED|CANTOPEN|READONLY_ROLLBACK)/.test(code)) throw cause
  }
}
