import { readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { AnchorState, FirstLine } from "../anchorLines.js"

// Removes the names of deleted streams from the anchor and its old copies.

/**
 * The state of an anchor without these streams, and the fields of the next first line that would otherwise name them.
 */
export const removeStreamsFromAnchor = (
  state: AnchorState,
  streams: ReadonlyArray<string>
): readonly [AnchorState, Partial<FirstLine>] => {
  const isOther = ([stream]: readonly [string, ...ReadonlyArray<unknown>]) => !streams.includes(stream)
  const restored = state.restored.map(({ lost, ...restore }) => {
    const others = lost?.filter(isOther) ?? []
    return others.length === 0 ? restore : { ...restore, lost: others }
  })
  return [
    { ...state, heads: new Map([...state.heads].filter(isOther)), marks: new Map([...state.marks].filter(isOther)) },
    {
      ...(restored.length === 0 ? {} : { restored }),
      ...(state.slice === undefined || isOther(state.slice) ? {} : { slice: ["", 0] })
    }
  ]
}

/** Removes the copies of old anchors that name a deleted stream. */
export const removeCopiesNaming = (folder: string, streams: ReadonlyArray<string>): void => {
  for (const name of readdirSync(folder).filter((name) => name.startsWith("anchor.log."))) {
    const text = readFileSync(join(folder, name), "utf8")
    if (
      streams.some(
        (stream) => text.includes(JSON.stringify(stream)) || text.includes(` ${encodeURIComponent(stream)} `)
      )
    )
      rmSync(join(folder, name), { force: true })
  }
}
