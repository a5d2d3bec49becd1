import { lazy } from "./lazy.js"
/** The decision whether a message to an agent needs a memory search, and the reason. */
export interface GateResult {
  readonly recall: boolean
  readonly reason: "memory word" | "question" | "statement" | "empty" | "acknowledgement" | "code" | "short"
}

/**
 * The gate for automatic recalls: decides whether a message needs memory. Short messages, code, and messages that only
 * acknowledge something need none. Questions, and messages about memory or the past, need memory. The gate knows
 * English and Chinese words. For other languages it uses question marks and length.
 */
export const gateMessage = (message: string): GateResult => {
  const text = message.slice(0, maxLength).normalize("NFKC").trim()
  if (text === "") return { recall: false, reason: "empty" }
  const prose = text.replace(codeBlocks, " ").trim()
  if (prose === "" || isCode(prose)) return { recall: false, reason: "code" }
  if (memoryWords.test(prose)) return { recall: true, reason: "memory word" }
  if (acknowledges(prose)) return { recall: false, reason: "acknowledgement" }
  if (question.test(prose)) return { recall: true, reason: "question" }
  // A Chinese character counts as one word.
  const words = (prose.match(/[\p{L}\p{N}'’_-]+/gu) ?? []).flatMap((word) => word.match(han()) ?? [word]).length
  return words < minWords ? { recall: false, reason: "short" } : { recall: true, reason: "statement" }
}

/** Maximum characters of a message that the gate reads. */
const maxLength = 2_000

/** Minimum words of a message that is worth a search. */
const minWords = 4

const codeBlocks = /```[\s\S]*?(?:```|$)|`[^`]*`/gu
const han = lazy(() => /\p{Script=Han}/gu)

const memoryWords = new RegExp(
  [
    String.raw`\b(?:remember|recall|remind(?:ed)? me|memor(?:y|ies)|forgot(?:ten)?|last time|previous(?:ly)?|earlier|(?:days?|weeks?|months?|years?) ago|yesterday|(?:have|had|did|do|as|like|what) (?:we|i|you) (?:said?|say|told?|tell|discuss(?:ed)?|decided?|agreed?|mention(?:ed)?|talk(?:ed)?)|we (?:decided|agreed|discussed|talked)|told (?:you|me)|my (?:favou?rite|preference|preferences|name|usual))\b`,
    "记得|還記得|記得|记住|記住|忘了|回忆|回憶|上次|上回|之前|以前|曾经|曾經|昨天|前天|刚才|剛才|提到过|提到過|说过|說過|讨论过|討論過|告诉过|我的(?:名字|偏好|喜好)"
  ].join("|"),
  "iu"
)

/**
 * Whether a message only acknowledges something. The check goes word by word, so that a long "hahaha" does not cause
 * backtracking.
 */
const acknowledges = (text: string): boolean => {
  for (let index = 0; index < text.length; ) {
    separators().lastIndex = index
    index += separators().exec(text)?.[0].length ?? 0
    if (index === text.length) return true
    acknowledgement.lastIndex = index
    const match = acknowledgement.exec(text)
    if (match === null) return false
    index += match[0].length
  }
  return true
}

const separators = lazy(() => /[\s\p{P}\p{S}]+/uy)
/** Longer alternatives come first; Latin words must end at a word boundary. */
const acknowledgement = new RegExp(
  `(?:${[
    "thank you (?:so|very) much|thanks? a lot|thank you|thanks?|thx|ty|cheers|got it|i see|understood|makes sense",
    "sounds good|will do|no problem|never mind|good (?:morning|evening|night|bye)|see you|go (?:on|ahead)",
    "ok(?:ay|ey)?|k{1,3}|yes|yep|yeah|yup|nope|no|sure|fine|good|great|nice|cool|perfect|awesome|right|correct",
    "exactly|agreed|done|indeed|hi|hello|hey|bye|lol|haha(?:ha)*|hm+|uh|oh|wow|please|continue|next|stop"
  ].join("|")})(?![\\p{L}\\p{N}])|(?:${[
    "好的?|好吧|好啊|行|可以|嗯|哦|噢|啊|没错|沒錯|对的?|對的?|不是?|不用|是的?|谢谢你?|謝謝你?|多谢|收到|明白了?|知道了?",
    "了解|懂了|没问题|沒問題|你好|您好|再见|再見|晚安|早安?|哈|呵|继续|繼續|辛苦了"
  ].join("|")})`,
  "iuy"
)

const question = new RegExp(
  [
    "[?？؟]",
    String.raw`^(?:and |so |but |then |well,? |hey,? )?(?:what|when|where|which|who|whom|whose|why|how|is|are|was|were|do|does|did|can|could|should|would|will|has|have|had|am|may|shall)(?:'s|’s|n't|n’t)?\b`,
    String.raw`\b(?:tell me|find|look up|search for|show me|list|explain)\b`,
    "什么|什麼|怎么|怎麼|怎样|怎樣|为什么|為什麼|为何|哪|谁|誰|几(?:个|點|点|时|號|号)|幾|多少|多久|是不是|有没有|有沒有|能不能|可不可以|[吗嗎呢么][\\s。！]*$"
  ].join("|"),
  "iu"
)

/** Whether most lines look like code: they end like statements or blocks, or begin like shell commands. */
const isCode = (text: string): boolean => {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const code = lines.filter(isCodeLine).length
  return code > lines.length / 2
}

/** Whether a line ends like a statement or a block, or begins like a shell command. */
export const isCodeLine = (line: string): boolean => codeLine.test(line)

const codeLine =
  /[{};]\s*$|^\s*(?:\$ |>>> |#!|\/\/|import .+ from |from \S+ import |(?:export )?(?:const|let|var|function|class|def|fn|pub|return|async) .*[=({:]|<\/?[a-z][^>]*>\s*$|(?:git|npm|npx|pnpm|yarn|docker|kubectl|curl|sudo|cd|ls|cat|grep|pip|python3?|node|cargo|make) (?:-{1,2}\w|[\w./@-]+(?: |$)).*(?:-{1,2}\w|\/|\.)|SELECT .+ FROM )/u
