/**
 * Whether a text is ASCII without anything that has other forms (`formsOf`).
 * Most text is, and has to be told apart at the cost of reading it once: a
 * table of what a character may follow, one look a character. What it refuses
 * may have no other form all the same ("2023, 5 of"); what it lets pass has none.
 */
export const isEveryday = (text: string): boolean => {
  let state = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 127) return false
    state = next[(state << 4) | kinds[unit]!]!
    if (state === refused) return false
  }
  return true
}

const kindNames = ["other", "lower", "upper", "digit", "joiner", "sign", "hash", "plus"] as const
type Kind = (typeof kindNames)[number]

/** A number by its digits; `apart` and `joined` stand behind one, where another may make a telephone number of it. */
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

const kindOf = (character: string): Kind =>
  /[a-z]/.test(character)
    ? "lower"
    : /[A-Z]/.test(character)
      ? "upper"
      : /\d/.test(character)
        ? "digit"
        : /[-_.@]/.test(character)
          ? "joiner"
          : /[ (),'/:]/.test(character)
            ? "sign"
            : character === "#"
              ? "hash"
              : character === "+"
                ? "plus"
                : "other"

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

const kinds = Uint8Array.from({ length: 128 }, (_, unit) => kindNames.indexOf(kindOf(String.fromCharCode(unit))))
const next = new Uint8Array(states.length << 4)
for (const [at, state] of states.entries()) {
  for (const [kind, name] of kindNames.entries()) next[(at << 4) | kind] = states.indexOf(step(state, name))
}
