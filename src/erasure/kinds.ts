/** The kinds of content that an erasure counts. `requests` are recorded requests of memories that stay. */
export const kinds = [
  "memories",
  "turns",
  "files",
  "summaries",
  "scratchpads",
  "queries",
  "schedules",
  "runs",
  "requests"
] as const
export type Kind = (typeof kinds)[number]
