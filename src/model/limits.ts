/** All limits on input. Lengths are in UTF-16 units, as JavaScript counts. */
export const limits = {
  agent: 64,
  /** Bytes of a folder's name in usual file systems. An agent's name is escaped there: "漢" takes 9. */
  folderName: 255,
  title: 500,
  narrative: 65_536,
  facts: 200,
  fact: 2_000,
  /** Further tags are dropped; longer ones are cut. */
  tags: 16,
  tag: 64,
  people: 64,
  person: 200,
  files: 100,
  /** Sources of one memory. */
  sources: 100,
  file: 1_024,
  type: 64,
  /** Session, channel, sender, project, topic, the name and place of a source, actor, command id. */
  key: 256,
  /** Bytes of a query's text in UTF-8, and its terms; further terms are left out. */
  queryBytes: 1_024,
  queryTerms: 32,
  /**
   * Words in all phrases of a query, alternatives included. A search compares each word with every position in a text.
   */
  queryWords: 256,
  /** Values of one filter. */
  filterValues: 32,
  /** Rows of one answer, ids of one `get`, rows on each side of a timeline. */
  page: 1_000,
  ids: 200,
  around: 500,
  /** Memories in one call of `rememberAll`. */
  batch: 1_000,
  /** Levels of objects and lists in a line of JSON; an observation needs 4. */
  jsonDepth: 32,
  /** Length of a turn's text, and of the arguments or the result of a tool call; tool calls of one turn. */
  turn: 1 << 20,
  toolCalls: 100,
  /** Length of an indexed file's text; on the command line, also its bytes. */
  indexedFile: 1 << 20,
  /** Files of one `daybook add-file`, and folder levels below the named one. */
  addedFiles: 10_000,
  folders: 32,
  /**
   * Active and paused schedules of one agent; length of a schedule's goal; size of a run's summary, output and counts.
   */
  schedules: 1_000,
  goal: 10_000,
  runSummary: 500,
  runOutput: 100_000,
  runCounts: 32,
  /** Bytes of one imported file. */
  importFile: 4 << 20
} as const
