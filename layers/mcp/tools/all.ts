import * as Either from "effect/Either"
import type { InvalidInput } from "../../../src/model/errors.js"
import { failWithInvalidInput } from "../../../src/model/filters.js"
import type { Tool } from "../Tool.js"
import { memoryHistory, memoryWhy } from "./explain.js"
import { memoryGet, memorySearch, memoryTimeline } from "./find.js"
import { noteDelete, noteSave, noteSearch, noteUpdate } from "./notes.js"
import { memoryContext, memoryPeople, memorySessions } from "./overview.js"
import { scratchpadClear, scratchpadRead, scratchpadWrite } from "./scratchpads.js"
import { memoryForget, memoryUpdate, memoryWrite } from "./write.js"

const core: ReadonlyArray<Tool> = [memorySearch, memoryTimeline, memoryGet, memoryWrite]

const all: ReadonlyArray<Tool> = [
  ...core,
  memoryUpdate,
  memoryForget,
  memoryHistory,
  memoryWhy,
  memoryPeople,
  memorySessions,
  memoryContext,
  noteSave,
  noteSearch,
  noteUpdate,
  noteDelete,
  scratchpadRead,
  scratchpadWrite,
  scratchpadClear
]

/** The sets of tools that a server can offer. `core`: search, timeline, get and write. */
export const toolSets = { core, all } as const
export type ToolSet = keyof typeof toolSets

/** Checks the name of a set. A program without types may pass anything. */
export const checkToolSet = (set: ToolSet): Either.Either<ToolSet, InvalidInput> =>
  Object.hasOwn(toolSets, set)
    ? Either.right(set)
    : failWithInvalidInput("tools", `must be one of ${Object.keys(toolSets).join(", ")}`)
