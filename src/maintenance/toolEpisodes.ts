import { limits } from "../model/limits.js"
import {
  changedFiles,
  commandOf,
  errorLine,
  hasFailed,
  isEphemeral,
  parseToolRun,
  subjectOf,
  type ToolRun
} from "../notes/toolRuns.js"
import type { Row } from "./stageRow.js"

/** The summary of several tool runs. */
export interface ToolSummary {
  readonly type: "solution" | "debug" | "technical"
  readonly title: string
  readonly facts: ReadonlyArray<string>
  /** The files that were changed. */
  readonly files: ReadonlyArray<string>
  readonly reason: string
  /** The runs, oldest first. */
  readonly sources: ReadonlyArray<Row>
}

interface Run extends ToolRun {
  readonly row: Row
  readonly failed: boolean
  /** Runs with the same key repeat the same call. */
  readonly key: string
  /** The call's readable name: its command, or the tool and its subject. */
  readonly name: string
  readonly files: ReadonlyArray<string>
}

/** Maximum runs in one summary. */
const maxSources = 50

/**
 * Summarizes the runs of one session. A failed call that succeeds later becomes an error with its solution: the changes
 * and runs between the failure and the success. A failed call without a later success becomes an open error. The
 * remaining runs become a list of completed work. Each run belongs to one summary at most.
 */
export const summarizeToolRuns = (rows: ReadonlyArray<Row>): ReadonlyArray<ToolSummary> => {
  const runs = rows.toSorted((a, b) => timeOf(a) - timeOf(b) || a.memory.born - b.memory.born).map(toRun)
  const used = new Set<Run>()
  const summaries: Array<ToolSummary> = []
  const take = (summary: Omit<ToolSummary, "sources">, taken: ReadonlyArray<Run>) => {
    for (const run of taken) used.add(run)
    summaries.push({ ...summary, sources: taken.map(({ row }) => row) })
  }
  for (const [index, run] of runs.entries()) {
    if (!run.failed || used.has(run)) continue
    const fixed = runs.findIndex((later, at) => at > index && later.key === run.key && !later.failed)
    const end = fixed < 0 ? runs.length : fixed
    const attempts = runs.slice(index, end).filter((other) => other.key === run.key && !used.has(other))
    if (fixed < 0) {
      take(openError(attempts), attempts.slice(0, maxSources))
      continue
    }
    const between = runs.slice(index + 1, fixed).filter((other) => other.key !== run.key && isRelevant(other))
    const sources = [...attempts, ...between.filter((other) => !used.has(other)), runs[fixed]!]
      .filter((other) => !used.has(other))
      .toSorted((a, b) => runs.indexOf(a) - runs.indexOf(b))
    take(solution(attempts, between), sources.slice(0, maxSources))
  }
  const rest = runs.filter((run) => !used.has(run) && (run.files.length > 0 || !isEphemeral(run)))
  for (let start = 0; start < rest.length; start += maxSources) {
    const part = rest.slice(start, start + maxSources)
    take(workDone(part), part)
  }
  return summaries
}

const timeOf = ({ memory: { createdAt, occurredAt } }: Row): number => occurredAt ?? createdAt

const toRun = (row: Row): Run => {
  const run = parseToolRun(row.memory)
  const subject = subjectOf(run.input).trim()
  const command = commandOf(run)
  const name = command ?? (subject === "" ? run.tool : `${run.tool} ${subject.split("\n", 1)[0]!.slice(0, 120)}`)
  return {
    ...run,
    row,
    failed: hasFailed(run),
    key: command ?? JSON.stringify([run.tool, subject]),
    name,
    files: [...new Set([...changedFiles(run), ...row.memory.files])]
  }
}

/**
 * Returns true if a run between a failure and the later success may have helped: it succeeded and changed something.
 */
const isRelevant = (run: Run): boolean => !run.failed && (run.files.length > 0 || !isEphemeral(run))

const namesOf = (runs: ReadonlyArray<Run>): ReadonlyArray<string> => [...new Set(runs.map(({ name }) => name))]

const filesOf = (runs: ReadonlyArray<Run>): ReadonlyArray<string> => [...new Set(runs.flatMap(({ files }) => files))]

/** The error messages of failed runs, without repeats. A run without a message is listed with its exit code. */
const errorsOf = (runs: ReadonlyArray<Run>): ReadonlyArray<string> => [
  ...new Set(runs.map((run) => errorLine(run) ?? `exit code ${run.exit ?? "unknown"}`))
]

const solution = (attempts: ReadonlyArray<Run>, between: ReadonlyArray<Run>): Omit<ToolSummary, "sources"> => {
  const { name } = attempts[0]!
  const errors = errorsOf(attempts)
  const files = filesOf(between)
  const commands = namesOf(between.filter((run) => commandOf(run) !== undefined && run.files.length === 0))
  const means = [
    ...(files.length === 0 ? [] : [`changing ${listOf(files)}`]),
    ...(commands.length === 0 ? [] : [`running ${listOf(commands.map(quoted))}`])
  ]
  const how = means.length === 0 ? "succeeded when it was run again" : `solved by ${means.join(" and ")}`
  return {
    type: "solution",
    title: titleOf(`${quoted(name)} failed with "${errors[0]}", ${how}`),
    facts: factsOf([
      ...errors.map((error) => `error: ${error}`),
      `command: ${name}`,
      ...files.map((file) => `changed: ${file}`),
      ...commands.map((command) => `ran: ${command}`)
    ]),
    files,
    reason: `a call that failed ${times(attempts.length)} succeeded later`
  }
}

const openError = (attempts: ReadonlyArray<Run>): Omit<ToolSummary, "sources"> => {
  const { name } = attempts[0]!
  const errors = errorsOf(attempts)
  return {
    type: "debug",
    title: titleOf(`${quoted(name)} fails with "${errors.at(-1)}"`),
    facts: factsOf([...errors.map((error) => `error: ${error}`), `command: ${name}`]),
    files: filesOf(attempts),
    reason: `a call failed ${times(attempts.length)}, and did not succeed later`
  }
}

const workDone = (runs: ReadonlyArray<Run>): Omit<ToolSummary, "sources"> => {
  const files = filesOf(runs)
  const commands = namesOf(runs.filter((run) => commandOf(run) !== undefined && run.files.length === 0))
  const others = namesOf(runs.filter((run) => commandOf(run) === undefined && run.files.length === 0))
  const calls = [...commands, ...others].map(quoted)
  const parts = [
    ...(files.length === 0 ? [] : [`changed ${listOf(files)}`]),
    ...(calls.length === 0 ? [] : [`ran ${listOf(calls)}`])
  ].join("; ")
  return {
    type: "technical",
    title: titleOf(`${parts.slice(0, 1).toUpperCase()}${parts.slice(1)}`),
    facts: factsOf([
      ...files.map((file) => `changed: ${file}`),
      ...commands.map((command) => `command: ${command}`),
      ...others.map((call) => `call: ${call}`)
    ]),
    files,
    reason: `${runs.length} runs of tools without errors`
  }
}

/** Maximum names in a title. The facts list all names. */
const maxNamed = 3

const listOf = (names: ReadonlyArray<string>): string => {
  const shown = names.slice(0, maxNamed).join(", ")
  return names.length > maxNamed ? `${shown} and ${names.length - maxNamed} more` : shown
}

const quoted = (name: string): string => `\`${name.slice(0, 120)}\``

const times = (count: number): string => (count === 1 ? "once" : `${count} times`)

const titleOf = (title: string): string => title.slice(0, limits.title).replace(/[\ud800-\udbff]$/u, "")

const factsOf = (facts: ReadonlyArray<string>): ReadonlyArray<string> =>
  facts.map((fact) => fact.slice(0, limits.fact).replace(/[\ud800-\udbff]$/u, ""))
