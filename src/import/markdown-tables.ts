/**
 * Returns true if a line is the header of a table: the next line is a delimiter line with the same number of columns.
 */
export const isTableHead = (line: string, below: string | undefined): boolean => {
  const rule = below?.trim() ?? ""
  return (
    line.includes("|") &&
    rule.includes("|") &&
    /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$/.test(rule) &&
    splitCells(line).length === splitCells(rule).length
  )
}

/** Splits a line of a table into its cells. */
export const splitCells = (line: string): ReadonlyArray<string> => {
  const cells = line
    .trim()
    .replace(/^\|/, "")
    .split(/(?<!\\)\|/)
  if (cells.length > 1 && cells.at(-1)?.trim() === "") cells.pop()
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"))
}
