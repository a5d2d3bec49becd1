import type { Memory } from "../../events/Memory.js"

/** The text of a memory whose tokens are counted: title, narrative and facts, one per line. */
export const memoryText = ({
  facts,
  narrative,
  title
}: { readonly narrative?: string | undefined } & Pick<Memory, "title" | "facts">): string =>
  [title, ...(narrative === undefined || narrative === "" ? [] : [narrative]), ...facts].join("\n")
