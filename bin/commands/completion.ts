import * as Effect from "effect/Effect"
import { bashScript } from "../completion/bash.js"
import { type Completions, completionEntryOf } from "../completion/entries.js"
import { fishScript } from "../completion/fish.js"
import { zshScript } from "../completion/zsh.js"
import { usageError } from "../exit.js"
import { globalOptions } from "../globalOptions.js"
import { optionShapeOf } from "../options.js"
import type { AnyCommand, Command } from "./Command.js"

const shells: Readonly<Record<string, (completions: Completions) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript
}

/** Makes the command that prints completion scripts for these commands. */
export const makeCompletion = (
  commands: () => ReadonlyArray<AnyCommand>
): Command<object, readonly [shell: string]> => ({
  usage: "completion <shell>",
  summary: "print a shell script that completes commands and options",
  words: Object.keys(shells),
  details: [
    "Shells: bash, zsh, fish",
    'In ~/.bashrc: eval "$(daybook completion bash)". In ~/.zshrc, after compinit: eval "$(daybook completion zsh)".',
    "For fish: daybook completion fish > ~/.config/fish/completions/daybook.fish"
  ],
  examples: ["completion bash", "completion zsh", "completion fish"],
  run: ({ out }, _, [shell]) =>
    Effect.suspend(() => {
      if (!Object.hasOwn(shells, shell)) return usageError(`shell: must be one of ${Object.keys(shells).join(", ")}`)
      const help = { flag: "--help", description: "show help", values: undefined }
      const globals = [...globalOptions().map(optionShapeOf), help]
      const script = shells[shell]!({ entries: commands().map(completionEntryOf), globals })
      return out.show({ shell, script }, () => script)
    })
})
