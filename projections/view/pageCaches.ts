import type { Db } from "../Projection.js"

/** Maximum open views that keep their page caches, which are up to 2 MB for each connection. */
export const maxWarmViews = 4

/**
 * Frees the page caches of open views that are not among the last `maxWarmViews` used. The next use of such a view reads its
 * pages again, mostly from the cache of the operating system.
 */
export interface PageCaches {
  /** Marks a view as used. With more than `maxWarmViews`, frees the caches of the one that was used least recently. */
  readonly touch: (view: CachedView) => void
  /** Forgets a view that is closed. */
  readonly forget: (view: CachedView) => void
}

/** The connections of an open view. `writing`: the writer is within a transaction. */
export interface CachedView {
  readonly reader: Db
  readonly writer: Db | null
  readonly writing: boolean
}

export const makePageCaches = (): PageCaches => {
  /** Least recently used first. */
  const warm = new Set<CachedView>()
  let newest: CachedView | undefined
  return {
    touch: (view) => {
      if (view === newest) return
      newest = view
      warm.delete(view)
      warm.add(view)
      if (warm.size <= maxWarmViews) return
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

/** A connection within a transaction keeps its pages. A failure concerns no caller, because another view is in use. */
const freeCaches = ({ reader, writer, writing }: CachedView): void => {
  try {
    if (reader.open) reader.exec("PRAGMA shrink_memory")
    if (!writing && writer?.open === true) writer.exec("PRAGMA shrink_memory")
  } catch {}
}
