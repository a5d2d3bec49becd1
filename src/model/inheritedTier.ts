import type { Memory } from "../../events/Memory.js"

/**
 * The tier of a memory that replaces others: core, if one of the replaced memories was core. If maintenance promoted
 * all of those core memories, the result has `coreFrom`, so that maintenance may also demote the new memory.
 */
export const inheritedTier = (
  { tier }: Pick<Memory, "tier">,
  retired: ReadonlyArray<Pick<Memory, "tier" | "coreFrom">>
): Pick<Partial<Memory>, "tier" | "coreFrom"> => {
  const core = retired.filter((memory) => memory.tier === "core")
  if (tier === "core" || core.length === 0) return {}
  return core.some(({ coreFrom }) => coreFrom === undefined) ? { tier: "core" } : { tier: "core", coreFrom: tier }
}
