/** What is private by its nature, because it tells who somebody is. */
export type PiiKind = "email" | "phone" | "address" | "card" | "national-id" | "iban"

/** What lets somebody in. */
export type CredentialKind = "api-key" | "token" | "private-key" | "password"
