import type { Stage } from "../Stage.js"
import { archive, cleanup } from "./archive.js"
import { compress } from "./compress.js"
import { daily } from "./daily.js"
import { gc } from "./gc.js"
import { retention } from "./retention.js"
import { weekly } from "./weekly.js"

/** Every stage, in the order in which they run: what is worth keeping is found before anything goes. */
export const stages: ReadonlyArray<Stage> = [daily, weekly, compress, gc, retention, archive, cleanup]
