import { type CompletionEntry, type Completions, commandNames, flagsOf, flagsWithValue, takesValue } from "./entries.js"

/**
 * The script for bash. If it has no proposal, bash completes file names. Bash treats `=` as a separate word.
 */
export const bashScript = (completions: Completions): string => `_daybook() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command="" arguments=0 skip="" word
  if [ "$current" = "=" ]; then current=""
  elif [ "$previous" = "=" ]; then previous=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ "$word" = "=" ]; then skip=1; continue; fi
    if [ -n "$skip" ]; then skip=""; continue; fi
    case $word in
      ${flagsWithValue(completions).join("|")}) skip=1 ;;
      -*) ;;
      *) if [ -z "$command" ]; then command=$word; else arguments=$((arguments + 1)); fi ;;
    esac
  done
  local words="" flags="${flagsOf(completions.globals).join(" ")}"
  case $command in
    "") words="${commandNames(completions).join(" ")}" ;;
    help) words="${commandNames(completions).join(" ")}" ;;
${completions.entries.map(entryCase).join("\n")}
  esac
  if [ "$arguments" -gt 0 ]; then words=""; fi
  case $current in -*) words=$flags ;; esac
  case "$command $previous" in
${valueCases(completions).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _daybook daybook
`

const entryCase = ({ names, options, words }: CompletionEntry): string =>
  `    ${names.join("|")}) words="${words.join(" ")}"; flags="$flags ${flagsOf(options).join(" ")}" ;;`

/** The proposed values for each option that takes a value: first the commands' options, then the global ones. */
const valueCases = ({ entries, globals }: Completions): ReadonlyArray<string> => [
  ...entries.flatMap(({ names, options }) =>
    options
      .filter(takesValue)
      .map(
        ({ flag, values }) =>
          `    ${names.map((name) => `"${name} ${flag}"`).join("|")}) words="${values!.join(" ")}" ;;`
      )
  ),
  ...globals.filter(takesValue).map(({ flag, values }) => `    *" ${flag}") words="${values!.join(" ")}" ;;`)
]
