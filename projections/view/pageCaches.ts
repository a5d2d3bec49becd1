import type { Db } from "../Projection.js"

/** Maximum open views that keep their page caches. A page cache takes up to 2 MB for each connection. */
export const maxWarmViews = 4

/**
 * Frees the page caches of open views, except of the last `maxWarmViews` views used. The next use of such a view reads
 * its pages again, mostly from the cache of the operating system.
 */
export interface PageCaches {
  /**
   * Marks a view as used. If more than `maxWarmViews` views have caches, frees those of the least recently used view.
   */
  readonly touch: (view: CachedView) => void
  /** Stops tracking a view that is closed. */
  readonly forget: (view: CachedView) => void
}

/** The connections of an open view. `writing` is true while the writer is in a transaction. */
export interface CachedView {
  readonly reader: Db
  readonly writer: Db | null
  readonly writing: boolean
}

export const makePageCaches = (): PageCaches => {
  /** The views that keep their caches, least recently used first. */
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

/** A connection in a transaction keeps its pages. A failure is ignored, because the caller is using another view. */
const freeCaches = ({ reader, writer, writing }: CachedView): void => {
  try {
    if (reader.open) reader.exec("PRAGMA shrink_memory")
    if (!writing && writer?.open === true) writer.exec("PRAGMA shrink_memory")
  } catch {}
}
