import type { View } from "./View.js"

/** Maximum open views that keep their page caches, which are up to 2 MB for each connection. */
export const maxWarm = 16

/**
 * Frees the page caches of open views that are not among the last `maxWarm` used. The next use of such a view reads its
 * pages again, mostly from the cache of the operating system.
 */
export interface PageCaches {
  /** Notes that a view is used, and frees the caches of the one that was used least recently. */
  readonly used: (view: CachedView) => void
  /** Forgets a view that is closed. */
  readonly forget: (view: CachedView) => void
}

export type CachedView = Pick<View, "reader" | "writer" | "writing">

export const makePageCaches = (): PageCaches => {
  /** Least recently used first. */
  const warm = new Set<CachedView>()
  let newest: CachedView | undefined
  return {
    used: (view) => {
      if (view === newest) return
      newest = view
      warm.delete(view)
      warm.add(view)
      if (warm.size <= maxWarm) return
      const [oldest] = warm
      warm.delete(oldest!)
      freeCaches(oldest!)
    },
    forget: (view) => {
      warm.delete(view)
      if (newest === view) newest = undefined
    }
  }
}

/** A connection within a transaction keeps its pages. */
const freeCaches = ({ reader, writer, writing }: CachedView): void => {
  if (reader.open) reader.exec("PRAGMA shrink_memory")
  if (!writing && writer?.open === true) writer.exec("PRAGMA shrink_memory")
}
