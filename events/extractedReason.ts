const note =
  /; extracted by (?<rule>[^,:;]+)(?:, stated by (?<statedBy>user|assistant|tool|other))?(?:: (?<words>[^;]*))?(?=;|$)/u

/**
 * Converts a payload from schema 5 to schema 6. In schema 5, the decision's reason ends with the extraction rule; in
 * schema 6, the rule has its own field. The words about the turns stay in the reason, because they do not say which
 * turn they describe.
 */
export const moveRuleOutOfReason = (payload: unknown): unknown => {
  const decision = (payload as { readonly decision?: { readonly reason?: unknown } }).decision
  if (typeof decision?.reason !== "string") return payload
  const match = note.exec(decision.reason)
  if (match === null) return payload
  const { rule, statedBy, words } = match.groups!
  const reason = decision.reason.replace(match[0], words === undefined ? "" : `; ${words}`)
  const extracted = { rule, ...(statedBy === undefined ? {} : { statedBy }), sources: [] }
  return { ...(payload as object), decision: { ...decision, reason, extracted } }
}
