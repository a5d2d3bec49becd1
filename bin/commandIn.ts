/** Global options that take a value. */
const valueOptions = new Set(["--data", "--agent", "--trust", "--actor"])

/**
 * The name of a command line's command, and the next word. Used before the program is loaded, so it does not parse all
 * options.
 */
export const commandIn = (argv: ReadonlyArray<string>): readonly [name?: string, next?: string | undefined] => {
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index]!
    if (!word.startsWith("-")) return [word, argv[index + 1]]
    if (valueOptions.has(word)) index++
  }
  return []
}
