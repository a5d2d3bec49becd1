import * as Layer from "effect/Layer"
import { Settler, type SettlerService } from "../src/ports/Settler.js"
import { repeatsIn } from "./languages/en/settling/repeats.js"
import { settle } from "./languages/en/settling/settle.js"

/** Settles English memories by rules. Deterministic, no network. */
export const rules: SettlerService = { name: "rules-en-v4", settle, repeats: repeatsIn }

export const layer: Layer.Layer<Settler> = Layer.succeed(Settler, rules)
