import { sha256OfParts } from "./sha256.js"

// The names of an event: the columns next to its payload that may name a person or a session. In chain version 2, the
// hash covers a salted digest of each name. So each name can be erased separately, and the other names still verify.

export const nameColumns = ["actor", "cause", "commandId"] as const
export type NameColumn = (typeof nameColumns)[number]

export interface EventNames {
  readonly actor: string
  readonly cause: string | null
  readonly commandId: string | null
}

/** True if a column has a name. An erased column is empty. */
export const hasName = (names: EventNames, column: NameColumn): boolean =>
  names[column] !== null && names[column] !== ""

/**
 * The salts of an event's names. If no name is erased: 16 bytes, from which the salt of each column is derived. After a
 * name is erased: 99 bytes, 33 for each column. The first of these 33 bytes is 1 if the column is intact, and 0 if it
 * is erased. The column's salt or the digest of the erased name follows.
 */
export type NameSalts = Uint8Array

export const saltBytes = 16
const partBytes = 33
export const erasedSaltBytes = nameColumns.length * partBytes

/** The digest of an event's names, which the hash covers. The digest of a column without a value is all zeros. */
export const namesDigest = (names: EventNames, salts: NameSalts): Uint8Array =>
  sha256OfParts(...nameColumns.map((column, index) => digestAt(salts, index, names[column])))

/** Removes the names in some columns. The other names verify as before. */
export const removeNames = (
  names: EventNames,
  salts: NameSalts,
  columns: ReadonlyArray<NameColumn>
): EventNames & { readonly names: NameSalts } => {
  const erased = (column: NameColumn, index: number) =>
    isErased(salts, index) || (columns.includes(column) && hasName(names, column))
  const parts = nameColumns.map((column, index) =>
    erased(column, index)
      ? Buffer.concat([Uint8Array.of(0), digestAt(salts, index, names[column])])
      : Buffer.concat([Uint8Array.of(1), saltAt(salts, index)])
  )
  const { actor, cause, commandId } = names
  return {
    actor: erased("actor", 0) ? "" : actor,
    cause: erased("cause", 1) ? null : cause,
    commandId: erased("commandId", 2) ? null : commandId,
    names: Buffer.concat(parts)
  }
}

/** True if a name of the event was erased. */
export const hasErasedName = (salts: NameSalts): boolean => nameColumns.some((_, index) => isErased(salts, index))

/** True if each erased column is empty. */
export const areErasedNamesEmpty = ({ actor, cause, commandId }: EventNames, salts: NameSalts): boolean =>
  (!isErased(salts, 0) || actor === "") &&
  (!isErased(salts, 1) || cause === null) &&
  (!isErased(salts, 2) || commandId === null)

const isErased = (salts: NameSalts, index: number): boolean =>
  salts.length === erasedSaltBytes && salts[index * partBytes] === 0

const digestAt = (salts: NameSalts, index: number, name: string | null): Uint8Array => {
  if (isErased(salts, index)) return salts.subarray(index * partBytes + 1, (index + 1) * partBytes)
  return name === null ? noName : sha256OfParts(saltAt(salts, index), name)
}

const saltAt = (salts: NameSalts, index: number): Uint8Array =>
  salts.length === erasedSaltBytes
    ? salts.subarray(index * partBytes + 1, (index + 1) * partBytes)
    : sha256OfParts(salts, columnBytes[index]!)

/** The index of each column as a byte, which makes the salts of the columns differ. */
const columnBytes = nameColumns.map((_, index) => Uint8Array.of(index))

const noName = new Uint8Array(32)
