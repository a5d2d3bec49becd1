import type { Memory } from "../../events/Memory.js"

/**
 * The tier of a memory that takes the place of others: core, if one of them was. If maintenance had made all of those
 * core, it may also take the tier back.
 */
export const inheritedTier = (
  { tier }: Pick<Memory, "tier">,
  retired: ReadonlyArray<Pick<Memory, "tier" | "coreFrom">>
): Pick<Partial<Memory>, "tier" | "coreFrom"> => {
  const core = retired.filter((memory) => memory.tier === "core")
  if (tier === "core" || core.length === 0) return {}
  return core.some(({ coreFrom }) => coreFrom === undefined) ? { tier: "core" } : { tier: "core", coreFrom: tier }
}
