import type { Stage } from "../Stage.js"
import { archive, cleanup } from "./archive.js"
import { compress } from "./compress.js"
import { gc } from "./gc.js"
import { retention } from "./retention.js"
import { sessions } from "./sessions.js"

/** Every stage, in the order in which they run. */
export const stages: ReadonlyArray<Stage> = [compress, gc, retention, archive, cleanup, sessions]
