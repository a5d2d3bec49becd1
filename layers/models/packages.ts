/** The optional packages, with compatible releases. */
const releases: Readonly<Record<string, string>> = {
  "@effect/ai": "0.37",
  "@effect/ai-openai": "0.41",
  "@effect/ai-anthropic": "0.27",
  "@effect/opentelemetry": "0.64"
}

/** The problem text for a package that is not installed; undefined for any other error. */
export const missingPackage = (error: unknown): string | undefined => {
  const { code, message = "" } = (error ?? {}) as { readonly code?: string; readonly message?: string }
  const name = code === "ERR_MODULE_NOT_FOUND" ? /package '([^']+)'/.exec(message)?.[1] : undefined
  if (name === undefined) return undefined
  const release = releases[name]
  return `the package ${name} is not installed: npm install ${name}${release === undefined ? "" : `@${release}`}`
}
