import { spawn } from "node:child_process"
import { bundle } from "./cli.js"

/** Starts `daybook serve` as a process; resolves when it listens. */
export const serving = async (data: string, args: ReadonlyArray<string> = [], env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, [bundle, "--data", data, "serve", "--port", "0", ...args], {
    env: { ...process.env, ...env }
  })
  const output = { stdout: "", stderr: "" }
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text
  })
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output.stdout += text
      const [, found] = /^listening on (\S+)$/m.exec(output.stdout) ?? []
      if (found !== undefined) resolve(found)
    })
    void ended.then(() => reject(new Error(output.stderr)))
  })
  return { child, ended, output, url }
}
