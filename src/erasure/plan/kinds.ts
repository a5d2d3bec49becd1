/**
 * The kinds of content that an erasure counts. `requests` are recorded requests of memories that stay. `names` are events
 * that lose the name of a person or session as actor, cause or command id.
 */
export const contentKinds = [
  "memories",
  "turns",
  "files",
  "summaries",
  "scratchpads",
  "queries",
  "schedules",
  "runs",
  "requests",
  "names"
] as const
export type ContentKind = (typeof contentKinds)[number]
