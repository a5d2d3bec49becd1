/** Kinds of personal data: they identify a person. */
export type PiiKind = "email" | "phone" | "address" | "card" | "national-id" | "iban"

/** Kinds of credentials. */
export type CredentialKind = "api-key" | "token" | "private-key" | "password"
