import type * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { Reconciler } from "../src/ports/Reconciler.js"
import { english } from "./languages/en/rules/english.js"
import { judgeIn } from "./languages/en/rules/judge.js"
import { lexiconOf } from "./languages/en/rules/lexicon.js"

/** Decides by what two texts share and where they differ, weighed by a small model in the code: no network; the same question has the same answer. */
export const rules: Context.Tag.Service<Reconciler> = {
  name: "rules-v6",
  judge: judgeIn("rules-v6", lexiconOf(english))
}

export const layer: Layer.Layer<Reconciler> = Layer.succeed(Reconciler, rules)
