/** Global options that take a value. */
const valueOptions = new Set(["--data", "--agent", "--trust", "--actor"])

/**
 * Returns the name of the command in a command line, and the word after it. Runs before the program is loaded, so it
 * cannot parse all options.
 */
export const findCommandWords = (argv: ReadonlyArray<string>): readonly [name?: string, next?: string | undefined] => {
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index]!
    if (!word.startsWith("-")) return [word, argv[index + 1]]
    if (valueOptions.has(word)) index++
  }
  return []
}
