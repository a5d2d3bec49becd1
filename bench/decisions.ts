import { readFileSync } from "node:fs"
import { basename } from "node:path"
import { parseArgs } from "node:util"
import * as Either from "effect/Either"
import { defaults } from "../src/ports/Policy.js"
import { answerStories } from "./decisions/answer.js"
import { render, renderWrong } from "./decisions/render.js"
import { scoreAnswers } from "./decisions/scores.js"
import { decodeStories, type Story } from "./decisions/stories.js"

const reconcilers = ["rules", "none"] as const

const usage = `npm run bench:decisions -- --data FILE [--reconciler NAME] [--wrong] [--json]

  --data        read stories from this file; may be repeated
  --reconciler  test this reconciler: ${reconcilers.join(", ")}
  --wrong       list the wrongly answered stories
  --json        print one JSON document instead of tables`

const fail = (message: string): never => {
  console.error(message)
  process.exit(2)
}

const storiesOf = (file: string): ReadonlyArray<Story> => {
  let document: unknown
  try {
    document = documentOf(file)
  } catch (error) {
    return fail(`${file}: ${error instanceof SyntaxError ? "is not valid JSON" : (error as Error).message}`)
  }
  return Either.getOrElse(
    Either.map(decodeStories(document), ({ stories }) => stories),
    ({ problems }) => fail(problems.map((problem) => `${file}: ${problem}`).join("\n"))
  )
}

/** A file of JSON lines has one story per line. Any other file is one JSON document with all stories. */
const documentOf = (file: string): unknown => {
  const text = readFileSync(file, "utf8")
  if (!file.endsWith(".jsonl")) return JSON.parse(text)
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  return { name: basename(file, ".jsonl"), stories: lines.map((line) => JSON.parse(line)) }
}

const main = async () => {
  const { values } = parseArgs({
    options: {
      data: { type: "string", multiple: true, default: [] },
      reconciler: { type: "string", default: "rules" },
      wrong: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help) return console.log(usage)
  const reconciler =
    reconcilers.find((name) => name === values.reconciler) ??
    fail(`Unknown reconciler "${values.reconciler}".\n\n${usage}`)
  if (values.data.length === 0) fail(`Missing --data.\n\n${usage}`)
  const stories = values.data.flatMap(storiesOf)
  const result = scoreAnswers(
    stories,
    await answerStories(stories, { ...defaults, reconcile: { ...defaults.reconcile, reconciler } })
  )
  if (values.json) {
    const wrong = result.wrong.map(({ answer, story }) => ({
      id: story.id,
      kind: story.kind,
      accept: story.accept,
      answer
    }))
    return console.log(JSON.stringify({ reconciler, ...result, wrong }, null, 2))
  }
  console.log(`${reconciler}: ${render(result)}`)
  if (values.wrong && result.wrong.length > 0) console.log(`\n${renderWrong(result.wrong)}`)
}

await main()
