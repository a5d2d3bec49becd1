/** Whether a message to an agent is worth a look into its memory, and why. */
export interface Gated {
  readonly recall: boolean
  readonly reason: "memory word" | "question" | "statement" | "empty" | "acknowledgement" | "code" | "short"
}

/**
 * The gate before a recall that nobody asked for: messages that are short, code
 * or mere acknowledgements need no memory; what asks, or speaks of memory and of
 * the past, does. English and Chinese; other languages pass by their question
 * marks and their length.
 */
export const gate = (message: string): Gated => {
  const text = message.slice(0, looked).normalize("NFKC").trim()
  if (text === "") return { recall: false, reason: "empty" }
  const said = text.replace(codeBlocks, " ").trim()
  if (said === "" || isCode(said)) return { recall: false, reason: "code" }
  if (memoryWords.test(said)) return { recall: true, reason: "memory word" }
  if (acknowledges(said)) return { recall: false, reason: "acknowledgement" }
  if (question.test(said)) return { recall: true, reason: "question" }
  // What one character says in Chinese takes about a word elsewhere.
  const words = (said.match(/[\p{L}\p{N}'’_-]+/gu) ?? []).flatMap((word) => word.match(han) ?? [word]).length
  return words < shortMessage ? { recall: false, reason: "short" } : { recall: true, reason: "statement" }
}

/** Characters of a message that are looked at. */
const looked = 2_000

/** Messages of fewer words say too little to look for. */
const shortMessage = 4

const codeBlocks = /```[\s\S]*?(?:```|$)|`[^`]*`/gu
const han = /\p{Script=Han}/gu

const memoryWords = new RegExp(
  [
    String.raw`\b(?:remember|recall|remind(?:ed)? me|memor(?:y|ies)|forgot(?:ten)?|last time|previous(?:ly)?|earlier|(?:days?|weeks?|months?|years?) ago|yesterday|(?:have|had|did|do|as|like|what) (?:we|i|you) (?:said?|say|told?|tell|discuss(?:ed)?|decided?|agreed?|mention(?:ed)?|talk(?:ed)?)|we (?:decided|agreed|discussed|talked)|told (?:you|me)|my (?:favou?rite|preference|preferences|name|usual))\b`,
    "记得|還記得|記得|记住|記住|忘了|回忆|回憶|上次|上回|之前|以前|曾经|曾經|昨天|前天|刚才|剛才|提到过|提到過|说过|說過|讨论过|討論過|告诉过|我的(?:名字|偏好|喜好)"
  ].join("|"),
  "iu"
)

/** Whether a message is made of such words alone. Word by word, so that a long laugh takes no longer to read. */
const acknowledges = (text: string): boolean => {
  for (let at = 0; at < text.length; ) {
    separators.lastIndex = at
    at += separators.exec(text)?.[0].length ?? 0
    if (at === text.length) return true
    acknowledgement.lastIndex = at
    const said = acknowledgement.exec(text)
    if (said === null) return false
    at += said[0].length
  }
  return true
}

const separators = /[\s\p{P}\p{S}]+/uy
/** The longer first; Latin words end where the word ends. */
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

/** Lines that end as statements and blocks of programs do, or begin as a shell's do, and little else. */
const isCode = (text: string): boolean => {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const code = lines.filter((line) => codeLine.test(line)).length
  return code > lines.length / 2
}

const codeLine =
  /[{};]\s*$|^\s*(?:\$ |>>> |#!|\/\/|import .+ from |from \S+ import |(?:export )?(?:const|let|var|function|class|def|fn|pub|return|async) .*[=({:]|<\/?[a-z][^>]*>\s*$|(?:git|npm|npx|pnpm|yarn|docker|kubectl|curl|sudo|cd|ls|cat|grep|pip|python3?|node|cargo|make) (?:-{1,2}\w|[\w./@-]+(?: |$)).*(?:-{1,2}\w|\/|\.)|SELECT .+ FROM )/u
