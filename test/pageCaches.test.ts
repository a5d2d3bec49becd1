import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import { type CachedView, makePageCaches, maxWarmViews } from "../projections/view/pageCaches.js"

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
  it("of the view that was used least recently are freed beyond the maximum", () => {
    const caches = makePageCaches()
    const [first, ...others] = Array.from({ length: maxWarmViews }, openView)
    for (const { view } of [first!, ...others]) caches.touch(view)
    caches.touch(first!.view)
    caches.touch(first!.view)
    caches.touch(openView().view)
    expect([first!, ...others].map(({ ran }) => ran.join())).toEqual([
      "",
      "reader,writer",
      ...others.slice(1).map(() => "")
    ])
    // It is used again, and another one becomes the oldest.
    caches.touch(others[0]!.view)
    expect(others[1]!.ran).toEqual(["reader", "writer"])
    expect(others[0]!.ran).toEqual(["reader", "writer"])
  })

  it("of a transaction, and of closed connections, are left alone", () => {
    const caches = makePageCaches()
    const [writing, closed, forgotten, ...others] = Array.from({ length: 2 * maxWarmViews }, openView)
    writing!.view.writing = true
    for (const { view } of [writing!, closed!, forgotten!]) caches.touch(view)
    closed!.view.reader.close()
    closed!.view.writer!.close()
    caches.forget(forgotten!.view)
    for (const { view } of others) caches.touch(view)
    expect([writing!, closed!, forgotten!].map(({ ran }) => ran)).toEqual([["reader"], [], []])
  })
})
