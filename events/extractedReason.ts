const note =
  /; extracted by (?<rule>[^,:;]+)(?:, stated by (?<statedBy>user|assistant|tool|other))?(?:: (?<words>[^;]*))?(?=;|$)/u

/**
 * Converts a payload of schema 5, whose decision names the rule of capture at the end of its reason, to schema 6, which
 * has a field for it. The words about the turns stay in the reason, because they do not tell which turn they are about.
 */
export const withExtracted = (payload: unknown): unknown => {
  const decision = (payload as { readonly decision?: { readonly reason?: unknown } }).decision
  if (typeof decision?.reason !== "string") return payload
  const match = note.exec(decision.reason)
  if (match === null) return payload
  const { rule, statedBy, words } = match.groups!
  const reason = decision.reason.replace(match[0], words === undefined ? "" : `; ${words}`)
  const extracted = { rule, ...(statedBy === undefined ? {} : { statedBy }), sources: [] }
  return { ...(payload as object), decision: { ...decision, reason, extracted } }
}
