import { parseArgs } from "node:util"
import { ruleExtractor } from "../layers/RuleExtractor.js"
import { type CaptureScore, scoreSessions } from "./capture/score.js"
import { Label, readLines, Session } from "./capture/sessions.js"

const usage = `npm run bench:capture -- --data TURNS --labels LABELS [--wrong] [--json]

  --data    read conversations from this file, one per line; may be repeated
  --labels  read what to capture from their turns from this file; may be repeated
  --wrong   list the wrongly captured and the missed statements
  --json    print one JSON document instead of tables`

const fail = (message: string): never => {
  console.error(message)
  process.exit(2)
}

const main = () => {
  const { values } = parseArgs({
    options: {
      data: { type: "string", multiple: true, default: [] },
      labels: { type: "string", multiple: true, default: [] },
      wrong: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help) return console.log(usage)
  if (values.data.length === 0) fail(`Missing --data.\n\n${usage}`)
  if (values.labels.length === 0) fail(`Missing --labels.\n\n${usage}`)
  let score: CaptureScore
  try {
    const sessions = values.data.flatMap((file) => readLines(file, Session))
    const labels = values.labels.flatMap((file) => readLines(file, Label))
    score = scoreSessions(sessions, labels, ruleExtractor)
  } catch (error) {
    return fail((error as Error).message)
  }
  console.log(values.json ? JSON.stringify(score, null, 2) : summaryOf(score))
  if (values.wrong && !values.json) console.log(wrongOf(score))
}

const share = (part: number, whole: number): string => (whole === 0 ? "–" : (part / whole).toFixed(3))

const summaryOf = ({ credentials, judged, kept, milliseconds, missed }: CaptureScore): string => {
  const count = (start: string) => judged.filter(({ verdict }) => verdict.startsWith(start)).length
  const faults = [...new Set(judged.map(({ verdict }) => verdict))]
    .filter((verdict) => verdict.startsWith("never"))
    .sort()
  return [
    `captured ${judged.length}: ${count("keep")} to keep, ${count("allowed")} allowed, ${count("unlabelled")} of no use`,
    `precision ${share(count("keep") + count("allowed"), judged.length)}`,
    `recall    ${share(kept, kept + missed.length)} (${kept} of ${kept + missed.length})`,
    ...faults.map((fault) => `${fault}: ${count(fault)}`),
    `credentials in clear: ${credentials}`,
    `${milliseconds.toFixed(3)} ms a turn`
  ].join("\n")
}

const wrongOf = ({ judged, missed }: CaptureScore): string =>
  [
    ...judged
      .filter(({ verdict }) => verdict !== "keep" && verdict !== "allowed")
      .map(({ fact: { rule, title }, turn, verdict }) => `${turn} ${verdict}: ${title} (${rule})`),
    ...missed.map(({ item: { gist, words }, turn }) => `${turn} missed: ${gist} ${JSON.stringify(words)}`)
  ].join("\n")

main()
