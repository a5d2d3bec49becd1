import type * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { Reconciler } from "../src/ports/Reconciler.js"
import { english } from "./languages/en/rules/english.js"
import { judgeIn } from "./languages/en/rules/judge.js"
import { lexiconOf } from "./languages/en/rules/lexicon.js"

/** Decides by the common words and the differences of two English texts, with a small bundled model. No network; deterministic. */
export const rules: Context.Tag.Service<Reconciler> = {
  name: "rules-v6",
  judge: judgeIn("rules-v6", lexiconOf(english))
}

export const layer: Layer.Layer<Reconciler> = Layer.succeed(Reconciler, rules)
