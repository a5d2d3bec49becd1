import * as Effect from "effect/Effect"
import { levels } from "../events/Trust.js"
import { defaultFolder } from "../layers/config.js"
import { currentAgentName } from "../layers/hosts/projectAgent.js"
import { oneOfParser, option, parseNonEmpty } from "./options.js"

/** The options that every command takes, before or after its name. */
export const globalOptions = () => [
  option("--data <dir>", "use this data folder", parseNonEmpty).default(
    Effect.runSync(defaultFolder),
    "$DAYBOOK_DATA or ~/.local/share/daybook"
  ),
  option("--agent <name>", "use this agent's memory; '.' means the current project's agent", agentNamed).default(
    "default"
  ),
  option("--trust <level>", `read and write at this trust level: ${levels.join(", ")}`, oneOfParser(levels)).default(
    "full"
  ),
  option("--actor <name>", "set the writer's name that the history shows").default("cli"),
  option("--json", "print one JSON document").default(false),
  option("-q, --quiet", "print answers and errors only").default(false)
]

const agentNamed = (name: string): string => (name === "." ? Effect.runSync(currentAgentName(process.cwd())) : name)
