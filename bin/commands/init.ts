import { resolve } from "node:path"
import { quoteForShell } from "../format.js"
import { installation } from "../installation.js"
import type { Call, Command } from "./Command.js"

/** The version of the package; the build defines it. */
declare const DAYBOOK_VERSION: string

export const init: Command = {
  usage: "init",
  summary: "print the configuration lines that connect agent hosts to Daybook",
  details: ["It asks nothing and writes nothing. If you pass --data or --agent, the lines contain them."],
  examples: ["init", "--agent work init"],
  run: (call) => {
    const { out } = call
    const hosts = hostsOf(call)
    return out.show({ folder: resolve(call.folder), hosts }, () =>
      hosts
        .map(({ host, lines, where }) =>
          [`${out.colours.bold(host)}: ${where}`, ...lines.map((line) => `  ${line}`)].join("\n")
        )
        .join("\n\n")
    )
  }
}

/** The configuration lines for one host, and where to put or run them. */
interface HostLines {
  readonly host: string
  readonly where: string
  readonly lines: ReadonlyArray<string>
}

const hostsOf = ({ agent, agentWasPassed, dataWasPassed, folder }: Call): ReadonlyArray<HostLines> => {
  const data = dataWasPassed ? ["--data", resolve(folder)] : []
  const named = agentWasPassed ? ["--agent", agent] : []
  // A desktop program does not have the PATH of a shell.
  const server = { command: installation.node, args: [installation.program, ...data, ...named, "mcp"] }
  const json = (value: object) => JSON.stringify(value, null, 2).split("\n")
  const line = (...words: ReadonlyArray<string>) => words.map(quoteForShell).join(" ")
  // A plugin takes no arguments: its hooks read these variables.
  const variables = [
    ...(dataWasPassed ? [`DAYBOOK_DATA=${quoteForShell(resolve(folder))}`] : []),
    ...(agentWasPassed ? [`DAYBOOK_AGENT=${quoteForShell(agent)}`] : [])
  ]
  const mcpServers = json({ mcpServers: { daybook: server } })
  return [
    {
      host: "Claude Code",
      where: "run these; its hooks call the `daybook` of the PATH (npm install -g)",
      lines: [
        line("claude", "plugin", "marketplace", "add", installation.plugin),
        "claude plugin install daybook@daybook",
        ...(variables.length === 0 ? [] : [`export ${variables.join(" ")}   # in the shell that starts claude`])
      ]
    },
    { host: "Claude Desktop", where: "Settings, Developer, Edit Config", lines: mcpServers },
    { host: "Cursor", where: "~/.cursor/mcp.json", lines: mcpServers },
    {
      host: "VS Code",
      where: ".vscode/mcp.json",
      lines: json({ servers: { daybook: { type: "stdio", ...server } } })
    },
    {
      host: "Codex",
      where: "run this",
      lines: [line("codex", "mcp", "add", "daybook", "--", server.command, ...server.args)]
    },
    {
      host: "AI SDK",
      where: "in a program; the tarball is from `npm pack` in a checkout; docs/hosts.md has more",
      lines: [
        `npm install effect@3 ./daybook-${DAYBOOK_VERSION}.tgz ai`,
        'import { memoryMiddleware, openMemory } from "daybook/hosts/ai-sdk"'
      ]
    },
    {
      host: "curl",
      where: "run the first in one terminal, the others in another",
      lines: [
        line("daybook", ...data, "serve"),
        `TOKEN=$(${line("daybook", ...data, "--agent", agent, "--trust", "full", "token", "add")})`,
        `curl -H "Authorization: Bearer $TOKEN" "http://127.0.0.1:8787/memories?agent=${encodeURIComponent(agent)}"`
      ]
    }
  ]
}
