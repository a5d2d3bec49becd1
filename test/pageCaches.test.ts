import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import { type CachedView, makePageCaches, maxWarm } from "../projections/view/pageCaches.js"

const freeing = "PRAGMA shrink_memory"

/** An open view whose connections note the pragmas that they run. */
const openView = () => {
  const ran: Array<string> = []
  const open = (name: string) =>
    new Database(":memory:", { verbose: (text) => void (text === freeing && ran.push(name)) })
  const view: CachedView & { writing: boolean } = { reader: open("reader"), writer: open("writer"), writing: false }
  return { view, ran }
}

describe("page caches", () => {
  it("of the view that was used least recently are freed when too many are open", () => {
    const caches = makePageCaches()
    const [first, ...others] = Array.from({ length: maxWarm }, openView)
    for (const { view } of [first!, ...others]) caches.used(view)
    caches.used(first!.view)
    caches.used(first!.view)
    caches.used(openView().view)
    expect([first!, ...others].map(({ ran }) => ran.join())).toEqual([
      "",
      "reader,writer",
      ...others.slice(1).map(() => "")
    ])
    // It is used again, and another one becomes the oldest.
    caches.used(others[0]!.view)
    expect(others[1]!.ran).toEqual(["reader", "writer"])
    expect(others[0]!.ran).toEqual(["reader", "writer"])
  })

  it("of a transaction, and of closed connections, are left alone", () => {
    const caches = makePageCaches()
    const [writing, closed, forgotten, ...others] = Array.from({ length: 2 * maxWarm }, openView)
    writing!.view.writing = true
    for (const { view } of [writing!, closed!, forgotten!]) caches.used(view)
    closed!.view.reader.close()
    closed!.view.writer!.close()
    caches.forget(forgotten!.view)
    for (const { view } of others) caches.used(view)
    expect([writing!, closed!, forgotten!].map(({ ran }) => ran)).toEqual([["reader"], [], []])
  })
})
