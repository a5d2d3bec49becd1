import * as Layer from "effect/Layer"
import { Settler, type SettlerService } from "../src/ports/Settler.js"
import { createRepeatTest } from "./languages/en/settling/repeats.js"
import { settle } from "./languages/en/settling/settle.js"

/** Settles English memories by rules. Deterministic, no network. */
export const ruleSettler: SettlerService = { name: "rules-en-v4", settle, repeats: createRepeatTest }

export const layer: Layer.Layer<Settler> = Layer.succeed(Settler, ruleSettler)
