import type { Stage } from "../Stage.js"
import { archive, cleanup } from "./archive.js"
import { compress } from "./compress.js"
import { daily } from "./daily.js"
import { gc } from "./gc.js"
import { retention } from "./retention.js"
import { sessions } from "./sessions.js"
import { settle } from "./settle.js"
import { weekly } from "./weekly.js"

/** Every stage, in the order in which they run: what is true no more goes first, what is worth keeping is found before anything else goes. */
export const stages: ReadonlyArray<Stage> = [settle, daily, weekly, compress, gc, retention, archive, cleanup, sessions]
