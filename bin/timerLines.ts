/** The lines that run a backup at fixed times. */
export interface TimerLines {
  /** A line for `crontab -e`. */
  readonly cron: string
  /** Two unit files of systemd. */
  readonly systemd: string
}

interface Timer {
  /** Minutes, hours or days: `15m`, `1h`, `1d`. */
  readonly every: string
  readonly keep: number
  readonly folder: string
  readonly to: string
  /** The command and its first arguments, with full paths: cron and systemd do not use the caller's folder and PATH. */
  readonly command: ReadonlyArray<string>
}

/** Returns the lines that run a backup at fixed times; undefined for an interval that cron cannot express. */
export const timerLines = ({ command, every, folder, keep, to }: Timer): TimerLines | undefined => {
  const times = timesOf(every)
  if (times === undefined) return undefined
  const words = [...command, "--data", folder, "backup", to, "--keep", String(keep)]
  return {
    // In a crontab, a percent sign ends the command.
    cron: `${times.cron} ${words.map(quoted).join(" ").replaceAll("%", "\\%")}`,
    systemd: [
      "# /etc/systemd/system/daybook-backup.service",
      "[Unit]",
      "Description=Backup of a Daybook log",
      "[Service]",
      "Type=oneshot",
      `ExecStart=${words.map(quotedForSystemd).join(" ")}`,
      "",
      "# /etc/systemd/system/daybook-backup.timer",
      "[Timer]",
      `OnCalendar=${times.calendar}`,
      "Persistent=true",
      "[Install]",
      "WantedBy=timers.target"
    ].join("\n")
  }
}

const timesOf = (every: string): { readonly cron: string; readonly calendar: string } | undefined => {
  const [, digits, unit] = /^(\d{1,3})([mhd])$/.exec(every) ?? []
  const number = Number(digits)
  if (unit === "m" && number > 0 && 60 % number === 0 && number < 60)
    return { cron: `*/${number} * * * *`, calendar: `*:0/${number}` }
  if ((unit === "h" && number === 1) || every === "60m") return { cron: "0 * * * *", calendar: "hourly" }
  if (unit === "h" && number > 0 && 24 % number === 0 && number < 24)
    return { cron: `0 */${number} * * *`, calendar: `0/${number}:00` }
  if ((unit === "d" && number === 1) || every === "24h") return { cron: "0 0 * * *", calendar: "daily" }
  return undefined
}

/** Quotes a word for a systemd unit file. systemd replaces `%` and `$` even inside quotes. */
const quotedForSystemd = (word: string): string =>
  plain.test(word)
    ? word.replaceAll("%", "%%")
    : `"${word.replace(/["\\]/g, "\\$&").replaceAll("%", "%%").replaceAll("$", "$$$$")}"`

const plain = /^[\w@%+=:,./-]+$/

/** Quotes a path as one word of a shell. */
const quoted = (path: string): string => (plain.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)
