import * as Layer from "effect/Layer"
import { Settler, type SettlerService } from "../src/ports/Settler.js"
import { settle } from "./languages/en/settling/attributes.js"
import { repeatsIn } from "./languages/en/settling/repeats.js"

/** Settles English memories by rules: no network; the same rows have the same answer. */
export const rules: SettlerService = { name: "rules-en-v1", settle, repeats: repeatsIn }

export const layer: Layer.Layer<Settler> = Layer.succeed(Settler, rules)
