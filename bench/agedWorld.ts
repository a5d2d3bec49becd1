import type { Payload } from "../events/catalogue.js"
import type { Memory, Tier } from "../events/Memory.js"
import { makeMemories } from "./data.js"
import { temporaryFolder } from "./harness.js"
import { seed } from "./seed.js"

const day = 86_400_000

/** Age of the oldest memory, in days. */
const days = 120

/**
 * Creates a folder with one agent whose memories are up to 120 days old. A third is in tier long, half in mid, the rest
 * in daily. One memory in ten shares its title with two others, and one in a hundred has expired. Some were recalled.
 */
export const agedWorld = async (size: number, folder = temporaryFolder()) => {
  const now = Date.now()
  const memories = makeMemories(size).map((made, at, all) => {
    // Memories 3, 13 and 23 of every thirty share title, type and store.
    const same = at % 10 === 3 ? all[Math.floor(at / 30) * 30 + 3]! : made
    const { store, title, type } = same
    return { ...made, title, type, store }
  })
  const lived = (image: Memory, at: number): Memory => {
    // Memories with the same title have the same tier, because a summary never merges memories of several tiers.
    const tier = tiers[(at % 10 === 3 ? Math.floor(at / 30) : at) % tiers.length]!
    return {
      ...image,
      tier,
      source: { kind: tier === "long" ? "agent" : "auto" },
      mentions: at % 7 === 0 ? 4 : 1,
      importance: (at % 5) / 10,
      ...(at % 100 === 50 ? { expiresAt: image.createdAt + day } : {})
    }
  }
  const recalled = (images: ReadonlyArray<Memory>, askedAt: number): Payload<"RECALL"> => {
    const first = 100 * recalls++ + 1
    return {
      first,
      recalls: Array.from({ length: 100 }, (_, at) => ({
        kind: "memories",
        level: "full",
        text: "what was it",
        filters: { limit: 5 },
        mode: "enhanced",
        gated: false,
        reranker: null,
        askedAt,
        position: images.at(-1)!.born,
        vector: null,
        hits: [1, 2, 3, 4, 5].map((place) => ({ id: images[(at * 7 * place) % images.length]!.id, score: 1 }))
      })),
      ranker: 1,
      embedder: { model: "hash-256-v1", dimensions: 256, weight: 1, floor: 0 },
      policy: {},
      dropped: 0
    }
  }
  let recalls = 0
  const step = (days * day) / size
  await seed(folder, new Map([["agent", memories]]), {
    timeOf: (from) => Math.round(now - (size - from) * step),
    lived,
    recalled
  })
  return { folder, agent: "agent", memories }
}

const tiers: ReadonlyArray<Tier> = ["long", "mid", "mid", "daily", "long", "mid"]
