import * as Effect from "effect/Effect"
import { storageError } from "../../events/errors.js"
import { makeFolder } from "../../events/folder.js"
import type { Token } from "../../layers/access/tokens.js"
import { usageError } from "../exit.js"
import { timestampText } from "../format.js"
import { option, parseNonEmpty } from "../options.js"
import { table } from "../table.js"
import type { Call, Command } from "./Command.js"

interface TokenCall {
  readonly name?: string
}

const actions = ["add", "list", "revoke"]

export const token: Command<TokenCall, readonly [action: string | undefined, id: string | undefined]> = {
  usage: "token [action] [id]",
  words: actions,
  summary: "add, list or revoke access tokens of the HTTP server",
  creates: "add",
  options: [option("--name <text>", "set a name for the program that uses the new token", parseNonEmpty)],
  details: [
    `Actions: ${actions.join(", ")}`,
    "'token add' needs --trust and --agent (a name, or a pattern such as 'team-*').",
    "It prints the token once, alone on stdout; the data folder keeps only its digest."
  ],
  examples: ["token add --agent coop --trust inner --name editor", "token list", "token revoke 8k2v0q5w1x"],
  run: (call, { name }, [action = "list", id]) => {
    if (!actions.includes(action)) return usageError(`action: must be one of ${actions.join(", ")}`)
    if ((id !== undefined) !== (action === "revoke"))
      return usageError(action === "revoke" ? "'token revoke' needs an id" : `'token ${action}' takes no argument`)
    if (name !== undefined && action !== "add") return usageError(`'token ${action}' takes no --name`)
    return action === "add" ? add(call, name) : action === "revoke" ? revoke(call, id!) : list(call)
  }
}

const add = (call: Call, name: string | undefined) =>
  Effect.gen(function* () {
    const { agent, agentWasPassed, out, trust, trustWasPassed } = call
    if (!agentWasPassed || !trustWasPassed) return yield* usageError("'token add' needs --agent and --trust")
    const folder = yield* call.checkFolder
    yield* Effect.try({ try: () => makeFolder(folder), catch: storageError(folder) })
    const { text, token } = yield* (yield* tokenFile(folder)).add({ agents: agent, trust, name })
    // Only the token is printed on stdout, so that a shell can store it: TOKEN=$(daybook token add …).
    yield* out.show({ ...shown(token), token: text }, () => text)
    const agents = agent === "*" ? "every agent" : agent.includes("*") ? `agents ${agent}` : `agent ${agent}`
    out.note(
      [
        `It gives access to ${agents} at trust level ${trust}, until you run 'daybook token revoke ${token.id}'.`,
        "It is not shown again. To try it, store it in TOKEN and run this while 'daybook serve' runs on its default port:",
        `curl -H "Authorization: Bearer $TOKEN" 'http://127.0.0.1:8787/memories?agent=${encodeURIComponent(exampleAgent(agent))}'`
      ].join("\n")
    )
  })

/** A name that the pattern permits. */
const exampleAgent = (agents: string): string => agents.replaceAll("*", agents.length === 1 ? "default" : "1")

const list = ({ checkFolder, out }: Call) =>
  Effect.gen(function* () {
    const tokens = yield* (yield* tokenFile(yield* checkFolder)).list
    yield* out.show(tokens.map(shown), () =>
      table<Token>(out, tokens, [
        { name: "id", cell: ({ id }) => id, colour: "cyan" },
        { name: "agents", cell: ({ agents }) => agents },
        { name: "trust", cell: ({ trust }) => trust },
        { name: "created", cell: ({ createdAt }) => timestampText(createdAt) },
        { name: "name", cell: ({ name }) => name ?? "", elastic: true }
      ])
    )
  })

const revoke = ({ checkFolder, out }: Call, id: string) =>
  Effect.gen(function* () {
    const revoked = yield* (yield* tokenFile(yield* checkFolder)).revoke(id)
    yield* out.show({ outcome: "revoked", id: revoked.id }, () => `revoked ${revoked.id}`)
  })

/** Loaded on demand, because other commands need no tokens. */
const tokenFile = (folder: string) =>
  Effect.map(
    Effect.promise(() => import("../../layers/access/TokenFile.js")),
    ({ open }) => open(folder)
  )

/** A token without its digest. */
const shown = ({ digest: _, ...token }: Token) => token
