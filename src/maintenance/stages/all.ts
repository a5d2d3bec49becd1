import type { Stage } from "../Stage.js"
import { archive, cleanup } from "./archive.js"
import { compress } from "./compress.js"
import { daily } from "./daily.js"
import { gc } from "./gc.js"
import { retention } from "./retention.js"
import { sessions } from "./sessions.js"
import { settle } from "./settle.js"
import { tools } from "./tools.js"
import { weekly } from "./weekly.js"

/** All stages in run order: first retire contradicted memories, then promote useful ones, then remove others. */
export const stages: ReadonlyArray<Stage> = [
  settle,
  tools,
  daily,
  weekly,
  compress,
  gc,
  retention,
  archive,
  cleanup,
  sessions
]
