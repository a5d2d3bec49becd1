import * as Effect from "effect/Effect"
import { usageError } from "../exit.js"
import type { AnyCommand, Command } from "./Command.js"

/** Options that every command takes. */
const globalFlags = ["--data", "--agent", "--trust", "--actor", "--json", "--quiet", "--help"]

/** The names of a command and its options. */
interface Entry {
  readonly names: ReadonlyArray<string>
  readonly flags: ReadonlyArray<string>
  readonly words: ReadonlyArray<string>
  readonly summary: string
}

const entryOf = ({ alias, options = [], summary, usage }: AnyCommand): Entry => {
  const [name = "", ...terms] = usage.split(" ")
  return {
    names: alias === undefined ? [name] : [name, alias],
    flags: options.flatMap(({ long }) => long ?? []),
    // `note <save|get>` completes its verbs.
    words: (terms[0]?.includes("|") === true ? terms[0] : "")
      .replace(/[<>[\]]/g, "")
      .split("|")
      .filter(Boolean),
    summary
  }
}

const bash = (entries: ReadonlyArray<Entry>): string => `_daybook() {
  local current=\${COMP_WORDS[COMP_CWORD]} command="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) ;; *) command=$word; break ;; esac
  done
  local words="${allNames(entries)} help" flags="${globalFlags.join(" ")}"
  case $command in
${entries.map(({ flags, names, words }) => `    ${names.join("|")}) words="${words.join(" ")}"; flags="$flags ${flags.join(" ")}" ;;`).join("\n")}
  esac
  case $current in -*) words=$flags ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _daybook daybook
`

const zsh = (entries: ReadonlyArray<Entry>): string => `#compdef daybook
_daybook() {
  local command="" word
  for word in "\${words[@]:1:$((CURRENT-2))}"; do
    case $word in -*) ;; *) command=$word; break ;; esac
  done
  local -a names flags
  flags=(${globalFlags.join(" ")})
  case $command in
${entries.map(({ flags, names, words }) => `    ${names.join("|")}) names=(${words.join(" ")}); flags+=(${flags.join(" ")}) ;;`).join("\n")}
    *) names=(${allNames(entries)} help) ;;
  esac
  case $PREFIX in
    -*) compadd -- $flags ;;
    *) compadd -- $names; _files ;;
  esac
}
compdef _daybook daybook
`

const fish = (entries: ReadonlyArray<Entry>): string =>
  [
    ...entries.flatMap(({ flags, names, summary, words }) => [
      ...names.map((name) => `complete -c daybook -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`),
      ...[...words.map((word) => `-a ${word}`), ...flags.map((flag) => `-l ${flag.slice(2)}`)].map(
        (what) => `complete -c daybook -n "__fish_seen_subcommand_from ${names.join(" ")}" ${what}`
      )
    ]),
    ...globalFlags.map((flag) => `complete -c daybook -l ${flag.slice(2)}`),
    ""
  ].join("\n")

const allNames = (entries: ReadonlyArray<Entry>): string => entries.flatMap(({ names }) => names).join(" ")

const quoted = (text: string): string => `'${text.replaceAll("'", "\\'")}'`

const shells: Readonly<Record<string, (entries: ReadonlyArray<Entry>) => string>> = { bash, zsh, fish }

/** Makes the command that completes these commands. */
export const makeCompletion = (
  commands: () => ReadonlyArray<AnyCommand>
): Command<object, readonly [shell: string]> => ({
  usage: "completion <shell>",
  summary: "print a script that completes commands and options in a shell",
  details: [
    "Shells: bash, zsh, fish",
    'In ~/.bashrc: eval "$(daybook completion bash)". In ~/.zshrc, after compinit: eval "$(daybook completion zsh)".',
    "For fish: daybook completion fish > ~/.config/fish/completions/daybook.fish"
  ],
  examples: ["completion bash", "completion zsh", "completion fish"],
  run: ({ out }, _, [shell]) =>
    Effect.suspend(() => {
      const script = Object.hasOwn(shells, shell) ? shells[shell]!(commands().map(entryOf)) : undefined
      if (script === undefined) return usageError(`shell: must be one of ${Object.keys(shells).join(", ")}`)
      return out.show({ shell, script }, () => script)
    })
})
