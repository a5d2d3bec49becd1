/** All limits on input. Lengths are in UTF-16 units, as JavaScript counts. */
export const limits = {
  agent: 64,
  /** Maximum bytes of a folder's name in common file systems. An agent's name is escaped there: "漢" takes 9 bytes. */
  folderName: 255,
  title: 500,
  narrative: 65_536,
  facts: 200,
  fact: 2_000,
  /** Maximum number of tags, and maximum characters of a tag. Further tags are dropped; longer tags are cut. */
  tags: 16,
  tag: 64,
  people: 64,
  person: 200,
  /** Maximum facts on the card of a person. Maximum characters of a fact's name and of its value. */
  cardFacts: 64,
  cardFactName: 64,
  cardFact: 500,
  files: 100,
  /** Maximum sources of one memory. */
  sources: 100,
  file: 1_024,
  type: 64,
  /**
   * Maximum length of a session, channel, sender, project, topic, actor or command id, and of a source's name or
   * place.
   */
  key: 256,
  /** Maximum UTF-8 bytes of a query's text, and maximum terms and fields. Further ones are left out. */
  queryBytes: 1_024,
  queryTerms: 32,
  /**
   * Maximum words in all phrases of a query, alternatives included. A search compares each word with every position in
   * a text.
   */
  queryWords: 256,
  /** Maximum rows of each index that a search fuses. */
  topK: 4_095,
  /** Maximum values of one filter. */
  filterValues: 32,
  /** Maximum rows in one answer, maximum ids in one `get`, and maximum rows on each side of a timeline. */
  page: 1_000,
  ids: 200,
  around: 500,
  /** Maximum memories in one call of `rememberAll`. */
  batch: 1_000,
  /** Maximum nesting of objects and lists in a line of JSON; an observation needs 4. */
  jsonDepth: 32,
  /**
   * Maximum characters of a turn's text, and of the arguments and the result of a tool call. Maximum tool calls of a
   * turn.
   */
  turn: 1 << 20,
  toolCalls: 100,
  /** Maximum items of a scratchpad, and characters of an item. */
  scratchpadItems: 32,
  scratchpadItem: 240,
  /**
   * Maximum characters of an indexed file's text. On the command line, the file may also have no more bytes than this.
   */
  indexedFile: 1 << 20,
  /** Maximum files of one `daybook add-file`, and maximum folder levels below the named folder. */
  addedFiles: 10_000,
  folders: 32,
  /**
   * Maximum active and paused schedules of one agent. Maximum characters of a goal, and of a run's summary and output.
   * Maximum counts that a run may report.
   */
  schedules: 1_000,
  goal: 10_000,
  runSummary: 500,
  runOutput: 100_000,
  runCounts: 32,
  /** Maximum bytes of one imported file. */
  importFile: 4 << 20,
  /**
   * Maximum paragraphs, bullets, table rows and other blocks of one imported file: enough for 4 MiB of 200 characters
   * each.
   */
  importBlocks: 20_000
} as const
