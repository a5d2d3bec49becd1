/** The types of a memory handle, its inputs and its results. */

export type { ViewComparison } from "../../projections/view/compareView.js"
export type { CommandError } from "../../src/actor/Actor.js"
export type {
  AgentInfo,
  AgentOptions,
  AsOfInput,
  DaybookService,
  Digests,
  VerifyOptions
} from "../../src/DaybookService.js"
export type { Memory, MemoryReader } from "../../src/Memory.js"
export type { Archived, Restored } from "../../src/maintenance/Archive.js"
export type { Profile } from "../../src/maintenance/ProfileReader.js"
export type { InstantInput, MemoryType } from "../../src/model/input.js"
export type * from "../../src/notes/ToolWriter.js"
export type * from "../../src/remember/MemoryWrites.js"
export type * from "../../src/search/MemoryReads.js"
export type { AgentStats } from "../../src/stats.js"
