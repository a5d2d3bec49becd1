/** The types of the handle, of its inputs and of its answers. */
export type { CommandError } from "../../src/actor/Actor.js"
export type { AgentInfo, AgentOptions, AsOfInput, DaybookService, Digests } from "../../src/DaybookService.js"
export type {
  ListQuery,
  Memory,
  MemoryReader,
  PageQuery,
  PeopleQuery,
  ReadError,
  RememberError,
  TimelineQuery,
  WholeMemory
} from "../../src/Memory.js"
export type { Profile } from "../../src/maintenance/profile.js"
export type { InstantInput, MemoryType } from "../../src/model/input.js"
export type { Forgotten } from "../../src/remember/forget.js"
export type { Remembered, RememberOptions, WriteOptions } from "../../src/remember/remember.js"
export type { Restored } from "../../src/remember/restore.js"
export type { Updated } from "../../src/remember/update.js"
export type { Explained, Explanation } from "../../src/search/explain.js"
export type { LifeScore } from "../../src/search/score.js"
export type { AgentStats } from "../../src/stats.js"
