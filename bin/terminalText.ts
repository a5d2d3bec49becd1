import { randomInt } from "node:crypto"
import picocolors from "picocolors"

export interface Terminal {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  readonly open: () => boolean
  /** Replaces the terminal's status line; absent if stderr is not a terminal. */
  readonly status?: ((line: string) => void) | undefined
  /** Width of stdout in characters; absent if it is not a terminal. */
  readonly columns?: number | undefined
  readonly colour: boolean
  /**
   * Ends the process this many milliseconds after its start. `onEnd` receives the age of the process in milliseconds
   * when the process ends, for whatever reason. Absent if the terminal does not belong to a real process.
   */
  readonly endProcessAt?: (millis: number, onEnd?: (age: number) => void) => void
}

/** True if colours may be printed. FORCE_COLOR decides first, then NO_COLOR, then whether stdout supports colours. */
export const usesColour = (
  { FORCE_COLOR, NO_COLOR, TERM }: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean
): boolean => {
  if (FORCE_COLOR) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false"
  return isTerminal && !NO_COLOR && TERM !== "dumb"
}

/** The colours that answers use. */
export type Colours = Pick<
  ReturnType<typeof picocolors.createColors>,
  "bold" | "cyan" | "dim" | "green" | "red" | "yellow"
>

/**
 * Extra random parameters in this process's own colour codes. A stored text cannot know them, so it cannot fake a
 * colour. Tables recognise codes whose parameters have at most four digits.
 */
const mark = Array.from({ length: 4 }, () => randomInt(1_000, 10_000)).join(";")
const markedCode = new RegExp(`\u001b\\[(\\d+);${mark}m`, "g")

/** Makes the colour functions. `sanitizedTerminal` prints no other colour codes. */
export const coloursOf = (enabled: boolean): Colours => {
  const { bold, cyan, dim, green, red, yellow } = picocolors.createColors(enabled)
  const marked = (colour: (text: string) => string) => (text: string | number | null | undefined) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with ESC.
    colour(replaceControls(String(text), (code) => code)).replace(/\u001b\[(\d+)m/g, `\u001b[$1;${mark}m`)
  return {
    bold: marked(bold),
    cyan: marked(cyan),
    dim: marked(dim),
    green: marked(green),
    red: marked(red),
    yellow: marked(yellow)
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/
const allControls = new RegExp(controls, "g")

/**
 * Wraps a terminal so that it prints no control characters, whatever a caller or a memory contains. Line feeds and this
 * process's own colours are kept. Other control characters become U+FFFD. All output goes through this function.
 */
export const sanitizedTerminal = (terminal: Terminal): Terminal => {
  const { status } = terminal
  return {
    ...terminal,
    stdout: (text) => terminal.stdout(printable(text)),
    stderr: (text) => terminal.stderr(printable(text)),
    status: status && ((line) => status(printable(line)))
  }
}

const printable = (text: string): string => replaceControls(text, (_, parameter) => `\u001b[${parameter}m`)

/** Replaces all control characters except line feeds and this process's own colour codes, which `codeText` prints. */
const replaceControls = (text: string, codeText: (code: string, parameter: string) => string): string => {
  if (!controls.test(text)) return text
  let replaced = ""
  let end = 0
  for (const { 0: code, 1: parameter, index } of text.matchAll(markedCode)) {
    replaced += text.slice(end, index).replace(allControls, "\ufffd") + codeText(code, parameter!)
    end = index + code.length
  }
  return replaced + text.slice(end).replace(allControls, "\ufffd")
}
