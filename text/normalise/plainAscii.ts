/**
 * Returns true if a text is plain ASCII and certainly has no other written forms (`formsOf`). Returns false for some
 * texts without other forms too ("2023, 5 of"). The check is cheap: one pass and one table lookup per character.
 */
export const isPlainAscii = (text: string): boolean => {
  let state = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit > 127) return false
    state = transitions[(state << 4) | kindOfUnit[unit]!]!
    if (state === refused) return false
  }
  return true
}

const kinds = {
  lower: /[a-z]/,
  upper: /[A-Z]/,
  digit: /\d/,
  joiner: /[-_.@]/,
  sign: /[ (),'/:]/,
  hash: /#/,
  plus: /\+/,
  other: /^/
}
type Kind = keyof typeof kinds
const kindNames = Object.keys(kinds) as ReadonlyArray<Kind>

/**
 * States of the scan. `number1` to `number4` count digits. `apart` and `joined` follow a number, because a second
 * number after them may form a telephone number together with the first.
 */
const states = [
  "start",
  "lower",
  "upper",
  "uppers",
  "number1",
  "number2",
  "number3",
  "number4",
  "apart",
  "joined",
  "joiner",
  "plus",
  "refused"
] as const
type State = (typeof states)[number]
const refused = states.indexOf("refused")

const isNumber = (state: State): boolean => state.startsWith("number")
const isLetter = (state: State): boolean => state === "lower" || state.startsWith("upper")
const isJoined = (state: State): boolean => state === "joiner" || state === "joined"

const step = (state: State, kind: Kind): State => {
  switch (kind) {
    case "lower":
      return isNumber(state) || isJoined(state) || state === "uppers" ? "refused" : "lower"
    case "upper":
      return isNumber(state) || isJoined(state) || state === "lower"
        ? "refused"
        : state.startsWith("upper")
          ? "uppers"
          : "upper"
    case "digit":
      if (isLetter(state) || isJoined(state) || state === "apart" || state === "number4") return "refused"
      return isNumber(state) ? states[states.indexOf(state) + 1]! : "number1"
    case "hash":
      return isLetter(state) ? "refused" : "joiner"
    case "plus":
      return state === "plus" ? "refused" : "plus"
    case "joiner":
      return isNumber(state) || state === "apart" || state === "joined" ? "joined" : "joiner"
    default:
      return kind === "sign" && (isNumber(state) || state === "apart" || state === "joined") ? "apart" : "start"
  }
}

const kindOfUnit = Uint8Array.from({ length: 128 }, (_, unit) =>
  kindNames.findIndex((kind) => kinds[kind].test(String.fromCharCode(unit)))
)
const transitions = new Uint8Array(states.length << 4)
for (const [stateIndex, state] of states.entries()) {
  for (const [kind, name] of kindNames.entries())
    transitions[(stateIndex << 4) | kind] = states.indexOf(step(state, name))
}
