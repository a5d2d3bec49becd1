import { randomBytes } from "../../events/randomBytes.js"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** Returns ten random base32 characters (50 bits): short enough to type. They do not reveal how many ids exist. */
export const randomId = (): string => {
  let id = ""
  for (const byte of randomBytes(10)) id += alphabet[byte & 31]
  return id
}
