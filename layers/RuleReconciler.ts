import * as Layer from "effect/Layer"
import { Reconciler, type ReconcilerService } from "../src/ports/Reconciler.js"
import { english } from "./languages/en/rules/english.js"
import { judgeIn } from "./languages/en/rules/judge.js"
import { lexiconOf } from "./languages/en/rules/lexicon.js"

/** Decides by the common words and the differences of two English texts, with a small bundled model. No network; deterministic. */
export const rules: ReconcilerService = {
  name: "rules-v7",
  judge: judgeIn("rules-v7", lexiconOf(english))
}

export const layer: Layer.Layer<Reconciler> = Layer.succeed(Reconciler, rules)
