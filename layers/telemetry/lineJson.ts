import { isSafeAttribute } from "./attributes.js"

/** Matches text that needs no escapes in JSON. */
const plain = /^[\w .:/()-]*$/

/** A text as JSON. Most texts of a trace need no escapes, and this check is cheaper than `JSON.stringify`. */
export const quoteJson = (text: string): string => (plain.test(text) ? `"${text}"` : JSON.stringify(text))

/** The attributes that may leave the process, as the last field of a line. Empty if there are none. */
export const attributesJson = (attributes: Iterable<readonly [string, unknown]>): string => {
  let json = ""
  for (const [key, value] of attributes) {
    if (!isSafeAttribute(key, value)) continue
    json += `${json === "" ? "" : ","}"${key}":${typeof value === "string" ? quoteJson(value) : value}`
  }
  return json === "" ? "" : `,"attributes":{${json}}`
}
