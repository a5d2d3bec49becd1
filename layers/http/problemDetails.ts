/** The members that all problem details have (RFC 9457). `title` is the name of the error, for programs. */
export interface ProblemMembers {
  readonly type: string
  readonly title: string
  readonly status: number
  /** Says what is wrong, and what to do. */
  readonly detail: string
}

export const problemType = "application/problem+json"

export const problemMembers = (status: number, title: string, detail: string): ProblemMembers => ({
  type: `urn:daybook:${title}`,
  title,
  status,
  detail
})
