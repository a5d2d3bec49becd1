import * as Either from "effect/Either"
import { agentFolderName } from "../../projections/view/generations.js"
import { InvalidInput } from "./errors.js"
import { limits } from "./limits.js"

/**
 * Checks an agent's name: 1 to 64 visible characters. The name identifies the event stream and, escaped, the agent's
 * folder. Returns the name in Unicode's composed form (NFC), so that every way to type a name selects the same agent.
 */
export const checkAgentName = (name: string): Either.Either<string, InvalidInput> => {
  const invalid = (problem: string) => Either.left(new InvalidInput({ field: "agent", problem }))
  if (!/^[^\p{C}\p{Z}]{1,64}$/u.test(name))
    return invalid(`must have 1 to ${limits.agent} visible characters and no spaces`)
  return agentFolderName(name).length > limits.folderName
    ? invalid("is too long for the name of a folder: use fewer characters, or a-z, 0-9, - and _ only")
    : Either.right(name.normalize("NFC"))
}
