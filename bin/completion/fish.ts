import type { OptionShape } from "../options.js"
import { type CompletionEntry, type Completions, commandNames, flagsWithValue } from "./entries.js"

/** The script for fish. Its functions read the command and the number of its arguments from the line. */
export const fishScript = (completions: Completions): string =>
  [
    `function __daybook_words
  set -l tokens (commandline -opc)
  set -l skip 0
  for token in $tokens[2..-1]
    if test $skip = 1
      set skip 0
      continue
    end
    switch $token
      case ${flagsWithValue(completions).join(" ")}
        set skip 1
      case '-*'
      case '*'
        echo $token
    end
  end
end
function __daybook_at
  test (count (__daybook_words)) = $argv[1]
end
function __daybook_is
  set -l words (__daybook_words)
  contains -- "$words[1]" $argv
end`,
    ...completions.entries.flatMap(linesOf),
    "complete -c daybook -f -n '__daybook_at 0' -a help -d 'show the help of a command'",
    `complete -c daybook -f -n '__daybook_is help; and __daybook_at 1' -a ${quoted(commandNames(completions).join(" "))}`,
    ...completions.globals.map((option) => `complete -c daybook ${optionText(option)}`),
    ""
  ].join("\n")

const linesOf = ({ names, options, summary, words }: CompletionEntry): ReadonlyArray<string> => {
  const isCommand = `__daybook_is ${names.join(" ")}`
  return [
    ...names.map((name) => `complete -c daybook -f -n '__daybook_at 0' -a ${name} -d ${quoted(summary)}`),
    ...(words.length === 0
      ? []
      : [`complete -c daybook -f -n '${isCommand}; and __daybook_at 1' -a ${quoted(words.join(" "))}`]),
    ...options.map((option) => `complete -c daybook -n '${isCommand}' ${optionText(option)}`)
  ]
}

const optionText = ({ description, flag, values }: OptionShape): string =>
  [
    `-l ${flag.slice(2)}`,
    values === undefined ? "" : values.length === 0 ? "-r" : `-x -a ${quoted(values.join(" "))}`,
    `-d ${quoted(description)}`
  ]
    .filter(Boolean)
    .join(" ")

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
