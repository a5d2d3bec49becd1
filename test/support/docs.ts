import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Nodes } from "mdast"
import { fromMarkdown } from "mdast-util-from-markdown"
import { toString as textOf } from "mdast-util-to-string"
import ts from "typescript"
import { root } from "./cli.js"

/** A fenced block. `meta` is the info string after the language. */
export interface Block {
  readonly file: string
  readonly line: number
  readonly language: string
  readonly meta: string
  readonly text: string
}

export interface Page {
  readonly file: string
  readonly blocks: ReadonlyArray<Block>
  readonly links: ReadonlyArray<string>
  /** Anchors of the headings, as GitHub makes them. */
  readonly anchors: ReadonlySet<string>
  readonly inlineCode: ReadonlyArray<string>
}

export const files = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`)
]

export const readPage = (file: string): Page => {
  const blocks: Array<Block> = []
  const links: Array<string> = []
  const inlineCode: Array<string> = []
  const anchors = new Set<string>()
  const visit = (node: Nodes): void => {
    if (node.type === "code") {
      const { lang, meta, position, value } = node
      blocks.push({ file, line: position!.start.line, language: lang ?? "", meta: meta ?? "", text: value })
    } else if (node.type === "link" || node.type === "image") links.push(node.url)
    else if (node.type === "inlineCode") inlineCode.push(node.value)
    else if (node.type === "heading") {
      const slug = textOf(node)
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-")
      anchors.add(slug)
    }
    if ("children" in node) for (const child of node.children) visit(child)
  }
  visit(fromMarkdown(readFileSync(join(root, file), "utf8")))
  return { file, blocks, links, anchors, inlineCode }
}

/** Links of a page that lead to no file or to no heading. */
export const deadLinks = (page: Page, pages: ReadonlyMap<string, Page>): ReadonlyArray<string> =>
  page.links.filter((link) => {
    if (/^https?:/.test(link)) return false
    const [path = "", anchor] = link.split("#")
    const target = path === "" ? page.file : join(dirname(page.file), path)
    if (!existsSync(join(root, target))) return true
    return anchor !== undefined && pages.get(target)?.anchors.has(anchor) !== true
  })

const floors = "bin|layers|src|projections|events|migrations|text|test|bench|scripts|examples|assets|docs|training"
const repositoryPath = new RegExp(`^(${floors})/[\\w./-]+$`)

/** Paths of the repository in inline code that lead to nothing. */
export const deadPaths = ({ inlineCode }: Page): ReadonlyArray<string> =>
  inlineCode.filter((code) => repositoryPath.test(code) && !existsSync(join(root, code)))

const modules: Readonly<Record<string, string>> = {
  daybook: "layers/entry.ts",
  "daybook/events": "events/index.ts",
  "daybook/projections": "projections/index.ts",
  "daybook/models": "layers/models/index.ts",
  "daybook/mcp": "layers/mcp/index.ts",
  "daybook/client": "layers/client/index.ts",
  "daybook/telemetry": "layers/telemetry/index.ts",
  "daybook/hosts/ai-sdk": "layers/hosts/aiSdk/index.ts",
  "daybook/hosts/anthropic-memory": "layers/hosts/anthropicMemory/index.ts",
  "daybook/hosts/effect-ai": "layers/hosts/effectAi/index.ts",
  "daybook/hosts/langgraph": "layers/hosts/langgraph/index.ts",
  "daybook/hosts/openai-agents": "layers/hosts/openaiAgents/index.ts"
}

/** The surroundings of a `ts body` block: the body of a program that holds `daybook` and `memory`. */
const wrapped = (text: string): string => {
  const imports = text.match(/^import .*$/gm) ?? []
  const body = text.replace(/^import .*$/gm, "")
  return `import { Effect as EffectOfBody } from "effect"
import { Daybook as DaybookOfBody } from "daybook"
${imports.join("\n")}
export const body = EffectOfBody.gen(function* () {
const daybook = yield* DaybookOfBody
const memory = yield* daybook.agent("coop", { trust: "full" })
void memory
{
${body}
}
})`
}

/** Type-checks blocks against the sources, in one program; answers a line for each problem. */
export const typeErrors = (blocks: ReadonlyArray<Block>): ReadonlyArray<string> => {
  const texts = new Map(
    blocks.map((block, index) => [
      join(root, "docs", `block-${index}.ts`),
      block.meta.startsWith("body") ? wrapped(block.text) : block.text
    ])
  )
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root)
  const paths = Object.fromEntries(Object.entries(modules).map(([name, path]) => [name, [join(root, path)]]))
  const checked = { ...options, paths }
  const host = ts.createCompilerHost(checked)
  const { fileExists, getSourceFile, readFile } = host
  host.fileExists = (name) => texts.has(name) || fileExists(name)
  host.readFile = (name) => texts.get(name) ?? readFile(name)
  host.getSourceFile = (name, target, ...rest) => {
    const text = texts.get(name)
    return text === undefined ? getSourceFile(name, target, ...rest) : ts.createSourceFile(name, text, target)
  }
  const names = [...texts.keys()]
  const program = ts.createProgram(names, checked, host)
  return names.flatMap((name, index) => {
    const source = program.getSourceFile(name)
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    const { file, line } = blocks[index]!
    return found.map(({ messageText }) => `${file}:${line}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`)
  })
}

/** Runs a whole program against the sources, in this process. Its imports are of the form `import { a, b } from "c"`. */
export const runProgram = async (text: string): Promise<void> => {
  const { outputText } = ts.transpileModule(text, { compilerOptions: { target: ts.ScriptTarget.ES2022 } })
  const code = outputText
    .replace(/^export \{\};?$/gm, "")
    .replace(/^import \{(.*)\} from ("[^"]+");?$/gm, (_, names: string, from: string) => {
      return `const {${names.replaceAll(" as ", ": ")}} = await load(${from})`
    })
  const load = (name: string) =>
    import(/* @vite-ignore */ modules[name] === undefined ? name : join(root, modules[name]))
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: ReadonlyArray<string>
  ) => (arg: unknown) => Promise<void>
  await new AsyncFunction("load", code)(load)
}

/** The words of a command line, with single and double quotes. */
export const wordsOf = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"))

const id = "[0-9a-hjkmnp-tv-z]{10}"
/** Parts of an output that change with each run, and the pattern that takes their place. */
const volatile: ReadonlyArray<readonly [inText: string, pattern: string]> = [
  ["[0-9a-f]{64}", "[0-9a-f]{64}"],
  ["\\b[0-9a-f]{16}\\b", "[0-9a-f]{16}"],
  [`\\b(?=[a-z]*\\d)${id}\\b`, id],
  ["\\d{4}-\\d\\d-\\d\\d", "\\d{4}-\\d\\d-\\d\\d"],
  ["\\d\\d:\\d\\d(?::\\d\\d)?(?:\\.\\d{3})?", "\\d\\d:\\d\\d(?::\\d\\d)?(?:\\.\\d{3})?"],
  ["\\b\\d+\\.\\d{3}\\b", "\\d+\\.\\d{3}"],
  ["\\s+", "\\s+"]
]
const volatileParts = new RegExp(volatile.map(([inText]) => `(${inText})`).join("|"), "g")
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
/** Ids of what was added, in order. */
const addedIds = (text: string) => [...text.matchAll(new RegExp(`^added (${id})\\b`, "gm"))].map(([, added]) => added!)

/** Pairs the ids that a page shows as added with those that were. */
export const pairAdded = (shown: string, printed: string): ReadonlyArray<readonly [string, string]> => {
  const added = addedIds(printed)
  return addedIds(shown)
    .slice(0, added.length)
    .map((shownId, index) => [shownId, added[index]!])
}

/**
 * Compares what a page shows with what was printed. Ids, digests, times and scores may differ. A line `…` stands for any
 * lines, and `…` at the end of a line for its rest. Answers whether the texts agree.
 */
export const compare = (shown: string, printed: string): boolean => {
  let pattern = ""
  for (const line of shown.trimEnd().split("\n")) {
    if (line.trim() === "…") {
      pattern += "(?:.*\\n)*?"
      continue
    }
    let end = 0
    for (const match of line.matchAll(volatileParts)) {
      const kind = match.slice(1).findIndex((group) => group !== undefined)
      pattern += escaped(line.slice(end, match.index)) + volatile[kind]![1]
      end = match.index + match[0].length
    }
    pattern += `${escaped(line.slice(end)).replace(/…$/, ".*")}[ ]*\\n`
  }
  return new RegExp(`^${pattern}$`).test(`${printed.trimEnd()}\n`)
}
