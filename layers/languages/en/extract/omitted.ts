import type { Mention } from "./people.js"
import { type Reading, readPiece } from "./reading.js"

/**
 * Predicates that only people can have, in the third person without a subject: "lives in Ghent", "is 9", "can't eat
 * eggs".
 */
const personal =
  /^(?:(?:also|still|now|just|only|and) )*(?:lives|works (?:as|at|in|for|from|with)|studies|stays (?:with|at|over)|plays|teaches|drives|loves|likes|hates|prefers|speaks|turns \p{N}|comes from|goes to|collects|wears|retired|(?:can't|cannot|doesn't|won't) (?:eat|have|drink|stand|like|do|drive|speak|swim)|is (?:an?|allergic|vegan|vegetarian|my|our|from|in|at|\p{N}|afraid|scared|pregnant|retired|married|left-handed|very|quite|good)|(?:has|was born|got) (?:an?|two|three|four|no|in))(?!\p{L})/iu
const done = /^(?:moved|quit|joined|married|graduated|died|retired|passed)(?!\p{L})/iu

/**
 * Adds the person who was mentioned last to a statement without a subject: "Milo's my stepson. Stays with us" means
 * that Milo stays. The subject cannot be "I", because a verb in the third person never leaves out "I".
 */
export const addOmittedPerson = (
  reading: Reading,
  mentions: ReadonlyArray<Mention>,
  { at, before }: { readonly at: number; readonly before: Reading | undefined }
): Reading => {
  const isAboutOther =
    before !== undefined && (before.subject === "pronoun" || before.subject === "own" || before.subject === "named")
  if (!personal.test(reading.text) && !(isAboutOther && done.test(reading.text))) return reading
  const person = mentions.at(-1)
  if (person === undefined || reading.act === "asks" || reading.piece.heading !== undefined) return reading
  const predicate = reading.text.replace(/^and /iu, "")
  const text = `${person.label} ${predicate.charAt(0).toLowerCase()}${predicate.slice(1)}`
  return { ...readPiece({ ...reading.piece, text, continues: false }, at), isCorrection: reading.isCorrection }
}
