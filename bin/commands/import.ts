import * as Effect from "effect/Effect"
import type { Store } from "../../events/Trust.js"
import { refused } from "../exit.js"
import { count, oneLine } from "../format.js"
import { one, storeOf } from "../options.js"
import { awaitVectors } from "../vectors.js"
import type { Command } from "./Command.js"

export const importPaths: Command<{ readonly store?: Store }, readonly [paths: ReadonlyArray<string>]> = {
  usage: "import <path...>",
  creates: true,
  summary: "read markdown files and folders; what was imported before is not imported again",
  options: [one("--store <store>", "the store of what names none in its front matter", storeOf)],
  examples: ["import MEMORY.md", "import notes/ journal/2026-03-01.md --store shared"],
  run: (call, { store }, [paths]) =>
    Effect.gen(function* () {
      const { memory, out } = call
      const done = yield* Effect.flatMap(memory, (one) =>
        one.importMarkdown(paths, {
          ...(store === undefined ? {} : { store }),
          onProgress: ({ done, total }) => out.progress(done, total)
        })
      )
      yield* awaitVectors(call)
      yield* out.show(done, () => {
        const { added, duplicates, files, items, unchanged } = done
        const news = added === 0 && duplicates === 0 ? "nothing new" : `${added} added, ${duplicates} mentioned again`
        const summary = `${count(files, "file")}, ${count(items, "item")}: ${news}, ${unchanged} unchanged`
        return done.run === undefined ? summary : `${summary}\nto take it back: daybook undo --run ${done.run}`
      })
      for (const { file, line, problem } of done.refused) out.note(oneLine(`${file}:${line}: ${problem}`))
      const bad = done.refused.length
      if (bad > 0) return yield* refused(`${count(bad, "item")} refused, the first in ${done.refused[0]!.file}`)
    })
}
