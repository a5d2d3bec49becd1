import { type CompletionEntry, type Completions, commandNames, flagsOf, flagsWithValue, takesValue } from "./entries.js"

/** The script for zsh. If it has no proposal, zsh completes file names. */
export const zshScript = (completions: Completions): string => `#compdef daybook
_daybook() {
  local command="" skip="" word previous=\${words[CURRENT-1]}
  local -i arguments=0
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $skip ]]; then skip=""; continue; fi
    case $word in
      ${flagsWithValue(completions).join("|")}) skip=1 ;;
      -*) ;;
      *) if [[ -z $command ]]; then command=$word; else arguments+=1; fi ;;
    esac
  done
  local -a names flags
  flags=(${flagsOf(completions.globals).join(" ")})
  case $command in
    ""|help) names=(${commandNames(completions).join(" ")}) ;;
${completions.entries.map(entryCase).join("\n")}
  esac
  (( arguments > 0 )) && names=()
  if compset -P '--*='; then previous=\${IPREFIX%=}; fi
  case "$command $previous" in
${valueCases(completions).join("\n")}
  esac
  if [[ $PREFIX == -* ]]; then compadd -- $flags
  elif (( \${#names} )); then compadd -- $names
  else _files; fi
}
compdef _daybook daybook
`

const entryCase = ({ names, options, words }: CompletionEntry): string =>
  `    ${names.join("|")}) names=(${words.join(" ")}); flags+=(${flagsOf(options).join(" ")}) ;;`

/** The proposed values for each option that takes a value: first the commands' options, then the global ones. */
const valueCases = ({ entries, globals }: Completions): ReadonlyArray<string> => [
  ...entries.flatMap(({ names, options }) =>
    options
      .filter(takesValue)
      .map(
        ({ flag, values }) =>
          `    ${names.map((name) => `"${name} ${flag}"`).join("|")}) names=(${values!.join(" ")}) ;;`
      )
  ),
  ...globals.filter(takesValue).map(({ flag, values }) => `    *" ${flag}") names=(${values!.join(" ")}) ;;`)
]
