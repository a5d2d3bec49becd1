/** Scripts with letters that look like Latin letters. */
const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u] as const

/** Why a reader may mistake a name for another one. */
export interface NameConfusion {
  /** Other names that look the same. */
  readonly looksLike?: ReadonlyArray<string>
  /** True if the name mixes letters from several of the `scripts`. */
  readonly mixesScripts?: true
}

/** The confusions of each name: names with the same skeleton (Unicode TR 39), and names that mix scripts. */
export const findLookAlikes = async (names: ReadonlyArray<string>): Promise<ReadonlyMap<string, NameConfusion>> => {
  // Loaded on demand, because loading its table takes 60 ms.
  const { default: skeletonOf } = await import("unhomoglyph")
  const bySkeleton = Map.groupBy(names, (name) => skeletonOf(name.normalize("NFKC")).normalize("NFC"))
  return new Map(
    [...bySkeleton.values()].flatMap((group) =>
      group.map((name): readonly [string, NameConfusion] => [
        name,
        {
          ...(group.length === 1 ? {} : { looksLike: group.filter((other) => other !== name) }),
          ...(scripts.filter((script) => script.test(name)).length > 1 ? { mixesScripts: true } : {})
        }
      ])
    )
  )
}

export const confusionText = ({ looksLike = [], mixesScripts }: NameConfusion): string =>
  [
    ...(looksLike.length === 0 ? [] : [`looks like ${looksLike.join(", ")}`]),
    ...(mixesScripts === true ? ["mixes scripts"] : [])
  ].join("; ")
