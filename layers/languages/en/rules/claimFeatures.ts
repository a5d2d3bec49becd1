import type { Bag } from "./bag.js"
import type { Claim } from "./claim.js"
import { type Features, flag } from "./clauseFeatures.js"
import type { Hint } from "./englishHints.js"

/** A text's claim and its words. */
interface ClaimWithWords {
  readonly claim: Claim
  readonly bag: Bag
}

const heldHints = [
  "over",
  "asked",
  "lasting",
  "unfinished",
  "fills",
  "hedged",
  "bounded"
] as const satisfies ReadonlyArray<Hint>
const heldFigures = heldHints.map((hint) => [hint, `had ${hint}`] as const)

/** Features of the claims of a memory (`a`) and of a statement (`b`). */
export const claimFeatures = (a: ClaimWithWords, b: ClaimWithWords): Features => {
  const f: Features = {
    ...scopeFeatures(a.claim, b.claim),
    ...partFeatures(a, b),
    "once a": flag(a.claim.occasion === "single"),
    "once b": flag(b.claim.occasion === "single"),
    "habit b": flag(b.claim.occasion === "habit"),
    "habit then once": flag(a.claim.occasion === "habit" && b.claim.occasion === "single"),
    "fills open": flag(a.claim.has("unfinished")) * (1 + flag(b.claim.has("fills"))),
    "confirms plainly": flag(
      b.claim.has("confirms") && !b.claim.has("corrects") && !b.claim.has("lasting") && !b.claim.has("strikes")
    ),
    unreal:
      2 * flag(b.claim.has("undecided")) +
      flag(b.claim.has("hedged")) +
      flag(b.claim.has("planned")) +
      flag(b.claim.has("ironic"))
  }
  for (const [hint, name] of heldFigures) f[name] = flag(a.claim.has(hint))
  return f
}

/**
 * Features of the scopes, by kind: both texts have a scope and the two differ, both have the same scope, or only one
 * has a scope.
 */
const scopeFeatures = ({ scopes: a }: Claim, { scopes: b }: Claim): Features => {
  let [differs, same, fresh] = [0, 0, 0]
  for (const [kind, words] of b) {
    const others = a.get(kind)
    if (others === undefined) fresh++
    else if ([...words].some((word) => others.has(word))) same++
    else differs++
  }
  return {
    "scope differs": Math.min(differs, 2),
    "scope same": Math.min(same, 2),
    "scope new": Math.min(fresh, 2),
    "scope gone": Math.min(a.size - differs - same, 2)
  }
}

/**
 * Features of the parts: which facts and list items of the memory the statement mentions, and which parts of the
 * statement the memory contains.
 */
const partFeatures = ({ bag: bagA, claim: a }: ClaimWithWords, { bag: bagB, claim: b }: ClaimWithWords): Features => {
  const [subject = new Set<string>(), ...facts] = a.parts
  let [touched, whole] = [0, 0]
  for (const part of facts) {
    const own = [...part].filter((word) => !subject.has(word))
    const shared = own.filter((word) => bagB.words.has(word)).length
    if (shared > 0) touched++
    if (own.length > 0 && shared === own.length) whole++
  }
  const knownOf = (part: ReadonlySet<string>) => [...part].filter((word) => bagA.words.has(word)).length / part.size
  const known = b.parts.map(knownOf)
  const ifHinted = (hint: Hint) => (b.has(hint) ? Math.min(facts.length, 6) : -1)
  return {
    "parts a": Math.min(a.parts.length, 8),
    "parts b": Math.min(b.parts.length, 8),
    "parts short": Math.min(a.parts.filter(({ size }) => size <= 3).length, 6),
    "parts touched": Math.min(touched, 4),
    "parts whole": Math.min(whole, 4),
    "parts untouched": Math.min(facts.length - touched, 6),
    "parts share": facts.length === 0 ? -1 : touched / facts.length,
    "said parts known": Math.min(known.filter((share) => share === 1).length, 4),
    "said parts new": Math.min(known.filter((share) => share === 0).length, 4),
    "lead known": Math.max(0, ...known.slice(0, 2)),
    "rest of many": ifHinted("rest"),
    "strikes of list": ifHinted("strikes"),
    "enlists of list": ifHinted("enlists")
  }
}
