import { Command as Commander, CommanderError } from "commander"
import type { TrustLevel } from "../events/Trust.js"
import { commands } from "./commands/all.js"
import type { AnyCommand } from "./commands/Command.js"
import { exitCodes, type Outcome } from "./exit.js"
import { globalOptions } from "./globalOptions.js"
import { isRepeatable } from "./options.js"
import { nextStepsCommand } from "./whatNext.js"

declare const DAYBOOK_VERSION: string

/** The options that every command takes, before or after its name. */
export interface GlobalOptions {
  readonly data: string
  readonly agent: string
  readonly trust: TrustLevel
  readonly actor: string
  readonly json: boolean
  readonly quiet: boolean
}

/** A valid command line. */
export interface ParsedCommandLine {
  readonly command: AnyCommand
  readonly options: object
  readonly args: ReadonlyArray<unknown>
  readonly globals: GlobalOptions
  readonly dataWasPassed: boolean
  readonly agentWasPassed: boolean
  readonly trustWasPassed: boolean
}

/**
 * Parses a command line. For `--help` and `--version` it prints the text and returns code 0. For an invalid call it
 * returns an error of one line.
 */
export const parse = (argv: ReadonlyArray<string>, write: (text: string) => void): ParsedCommandLine | Outcome => {
  let parsed: ParsedCommandLine | undefined
  let line = ""
  let shown = ""
  const program = new Commander("daybook")
    .description("Long-term memory for AI agents: audit it, read it as of any moment, and replay its decisions.")
    .version(DAYBOOK_VERSION, "-V, --version", "show the version")
    .helpOption("-h, --help", "show help")
    .configureHelp({ showGlobalOptions: true, subcommandTerm: termOf, minWidthToWrap: 20 })
    .configureOutput({
      getOutHelpWidth: helpWidth,
      writeOut: (text) => (shown += text),
      writeErr: (text) => (shown += text),
      outputError: (text) => (line += text)
    })
    .exitOverride()
    .addHelpText("after", examples(firstExamples))
  for (const option of globalOptions()) program.addOption(option)
  for (const command of commands) {
    const subcommand = program.command(command.usage).summary(command.summary).description(`${command.summary}.`)
    for (const option of command.options ?? []) subcommand.addOption(option)
    if (command.alias !== undefined) subcommand.alias(command.alias)
    const { details } = command
    if (details !== undefined) {
      const lines = () => details.map((text) => subcommand.createHelp().boxWrap(text, helpWidth()))
      subcommand.addHelpText("after", () => `\n${lines().join("\n")}`)
    }
    if (command.examples !== undefined) subcommand.addHelpText("after", examples(command.examples))
    const repeated = command.takesOptionsOnce === true ? repeatsOf(program, subcommand) : () => undefined
    subcommand.action(() => {
      const twice = repeated()
      if (twice !== undefined) subcommand.error(`error: ${twice} was passed twice: pass it once`)
      const wasPassed = (name: string) => program.getOptionValueSource(name) === "cli"
      parsed = {
        command,
        options: subcommand.opts(),
        args: subcommand.processedArgs,
        globals: program.opts(),
        dataWasPassed: wasPassed("data"),
        agentWasPassed: wasPassed("agent"),
        trustWasPassed: wasPassed("trust")
      }
    })
  }
  try {
    program.parse(argv, { from: "user" })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const isHelp = error.code === "commander.helpDisplayed" || error.code === "commander.help"
    const unknownCommand = isHelp ? unknownCommandOf(program) : undefined
    // Without `help` and `--help`, commander reports the unknown command and suggests the nearest one.
    if (unknownCommand !== undefined) return parse([unknownCommand], write)
    if (error.exitCode === 0 || (isHelp && program.args.length > 0)) {
      write(shown)
      return { code: exitCodes.ok }
    }
    if (line !== "") return { code: exitCodes.badCall, line: toOneLine(line) }
    return { ...{ command: nextStepsCommand, options: {}, args: [], globals: program.opts() }, ...nothingPassed }
  }
  return parsed!
}

/** Returns a function that, after parsing, names the first option that was passed twice but is not repeatable. */
const repeatsOf = (program: Commander, subcommand: Commander): (() => string | undefined) => {
  const passed: Array<string> = []
  for (const command of [program, subcommand]) {
    for (const option of command.options) {
      if (option.required && !isRepeatable(option))
        command.on(`option:${option.name()}`, () => passed.push(option.long ?? ""))
    }
  }
  return () => passed.find((flag, index) => passed.indexOf(flag) < index)
}

const nothingPassed = { dataWasPassed: false, agentWasPassed: false, trustWasPassed: false }

/** A command's entry in the general help: name and alias. The command's own help shows the arguments. */
const termOf = (command: Commander): string => {
  const alias = command.alias()
  return alias ? `${command.name()} (${alias})` : command.name()
}

/** Maximum characters of a help line: the terminal's width, or 80. */
const helpWidth = (): number => Math.max(40, process.stdout.columns || Number(process.env.COLUMNS) || 80)

/**
 * The unknown command in a call for help, such as `help serach` or `serach --help`. For such a call, commander would
 * show the general help.
 */
const unknownCommandOf = ({ args, commands }: Commander): string | undefined => {
  const name = args[0] === "help" ? args[1] : args[0]
  const known = name === undefined || name.startsWith("-") || name === "help"
  const isKnown = commands.some((command) => command.name() === name || command.aliases().includes(name!))
  return known || isKnown ? undefined : name
}

const firstExamples = [
  'remember "Deploys happen on Tuesdays" --type decision --tag deploys',
  'search "when do we deploy" --limit 5',
  "import notes/",
  "demo"
]

const examples = (lines: ReadonlyArray<string>): string =>
  `\nExamples:\n${lines.map((line) => `  daybook ${line}`).join("\n")}`

/**
 * Rewrites commander's message as one line: removes its prefix and appends its suggestion. For an option with a wrong
 * value, the line contains the option's name and the problem. It never quotes the value, which may be private text.
 */
const toOneLine = (message: string): string =>
  message
    .replace(/^error: /, "")
    .replace(
      /^unknown option '(-[^-'][^']*)'$/m,
      `unknown option '$1'. To pass text that starts with "-", put \`--\` before it.`
    )
    .replace(/^unknown command '[^']*'$(?![\s\S]*\(Did you mean)/im, "$&. Run `daybook --help`.")
    .replace(/^too many arguments for '.*$/im, "$& Put text with spaces in quotes.")
    .replace(/^option '(?:-\w, )?(--[\w-]+)[^']*' argument '[\s\S]*' is invalid\. /, "$1: ")
    .trim()
    .replace(/\s*\n\s*/g, " ")
    .replace(/^[a-z]/, (letter) => letter.toUpperCase())
