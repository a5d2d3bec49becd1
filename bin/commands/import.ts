import * as Effect from "effect/Effect"
import type { Store } from "../../events/Trust.js"
import { checkPaths } from "../../src/import/checkPath.js"
import { PathRefused } from "../../src/model/errors.js"
import { refusalError } from "../exit.js"
import { countText, oneLine } from "../format.js"
import { option, parseStore } from "../options.js"
import { awaitVectors } from "../vectors.js"
import type { Command } from "./Command.js"

export const importPaths: Command<{ readonly store?: Store }, readonly [paths: ReadonlyArray<string>]> = {
  usage: "import <path...>",
  creates: true,
  summary: "import markdown files and folders; skip items imported before",
  options: [option("--store <store>", "set the store of items whose front matter names no store", parseStore)],
  examples: ["import MEMORY.md", "import notes/ journal/2026-03-01.md --store shared"],
  afterInterruption: "imported items stay; run the same command again to import the rest",
  run: (call, { store }, [paths]) =>
    Effect.gen(function* () {
      const { memory, out } = call
      // The paths are checked first, because opening the data folder creates it.
      yield* Effect.try({
        try: () => checkPaths(paths),
        catch: (error) => (error instanceof PathRefused ? error : refusalError("a path cannot be read"))
      })
      const imported = yield* Effect.flatMap(memory, (opened) =>
        opened.importMarkdown(paths, {
          ...(store === undefined ? {} : { store }),
          onProgress: ({ done: imported, total }) => out.progress(imported, total)
        })
      )
      yield* awaitVectors(call)
      yield* out.show(imported, () => {
        const { added, duplicates, files, items, unchanged } = imported
        const importedText =
          added === 0 && duplicates === 0 ? "nothing new" : `${added} added, ${duplicates} mentioned again`
        const summary = `${countText(files, "file")}, ${countText(items, "item")}: ${importedText}, ${unchanged} unchanged`
        return imported.run === undefined
          ? summary
          : `${summary}\nTo undo this import: daybook undo --run ${imported.run}`
      })
      for (const { file, line, problem } of [...imported.cut, ...imported.refused])
        out.note(oneLine(`${file}:${line}: ${problem}`))
      const refusals = imported.refused.length
      if (refusals > 0) {
        return yield* refusalError(
          `${countText(refusals, "file or item", "files or items")} refused; the first is in ${oneLine(imported.refused[0]!.file)}`
        )
      }
    })
}
