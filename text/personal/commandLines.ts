import { isPlaceholder } from "./placeholders.js"

// Passwords in command lines. The same flag is a port for one program and a password for another, so each program has
// its own flags.

const user = "[\"']?[^\\s:%\"'/]{1,64}"
const flagsByProgram: ReadonlyArray<readonly [program: string, flag: string]> = [
  ["mysql\\w*|mariadb[\\w-]*|7z[ar]?", "-p"],
  ["sshpass", "-p\\s*"],
  [
    "mongo(?:sh|dump|restore|export|import)?|rdesktop|(?:docker|podman|nerdctl|az|oc|cf|helm\\s+registry)\\s+login",
    "-p\\s+"
  ],
  ["zip|unzip|sqlcmd|bcp", "-P\\s*"],
  ["redis-cli", "-a\\s*"],
  ["ldap(?:search|modify|add|delete|passwd|whoami)", "-w\\s*"],
  ["ssh-keygen", "-[NP]\\s*"],
  ["openssl\\s+enc", "-k\\s+"],
  ["curl|wget|https?|xh", `(?:-\\w{0,6}[ua]|--(?:proxy-)?user|--auth)(?:\\s+|=)${user}:`],
  ["smbclient", `-U\\s*${user}%`],
  ["[xw]freerdp", "/p:"],
  ["sudo", "-S\\s*<<<\\s*"],
  ["htpasswd", "-\\w*b\\w*\\s+\\S+\\s+\\S+\\s+"],
  ["net\\s+user", "\\w+\\s+(?=\\S+\\s+/add\\b)"]
]
const value = "(?:'([^'\\n]{4,128})'|\"([^\"\\n]{4,128})\"|([^\\s'\"|;&<>]{4,128}))"

const programs = new RegExp(
  `(?<![\\w.-])(?:${flagsByProgram.map(([program]) => `(${program})`).join("|")})(?=\\s+(?:\\S|$))`,
  "g"
)
const flags = flagsByProgram.map(([, flag]) => new RegExp(`\\s${flag}${value}`))
const pipedToChpasswd = /\becho\s+["']?[\w.-]{1,64}:([^\s"'$]{4,128})["']?\s*\|\s*(?:sudo\s+)?chpasswd\b/

/** Matches a flag with a value. Most texts have none, and the patterns above are slow. */
const mayHaveFlag = / -[a-zA-Z-]| \/(?:p:|add\b)/

/** Maximum characters of a command line that are read. */
const maxLine = 256
const endOfCommand = /\s(?:\||&&)\s|;\s|\n/

/** Whether a text has a command line with a password: "mysql -phunter2", "sshpass -p …", "curl -u ada:…". */
export const hasCommandPassword = (text: string): boolean =>
  (mayHaveFlag.test(text) && hasPasswordFlag(text)) || (text.includes("chpasswd") && pipedToChpasswd.test(text))

const hasPasswordFlag = (text: string): boolean => {
  for (const match of text.matchAll(programs)) {
    const line = text.slice(match.index + match[0].length, match.index + match[0].length + maxLine)
    const command = line.slice(0, endOfCommand.exec(line)?.index ?? line.length)
    const flag = flags[match.slice(1).findIndex((program) => program !== undefined)]!
    const [, single, double, plain] = flag.exec(command) ?? []
    const password = single ?? double ?? plain
    if (password !== undefined && !/^(?:\d{1,5}|-.*)$/.test(password) && !isPlaceholder(password)) return true
  }
  return false
}
