import * as z from "zod"
import { stores } from "../../../events/Trust.js"

/** Input and output fields of several tools. */
export const text = z.string()
export const texts = z.array(text)
export const number = z.int()
export const store = z.enum(stores as [(typeof stores)[number], ...Array<(typeof stores)[number]>])
/** Rows of an answer. Their fields are not in the list of tools, because it costs tokens in every conversation. */
export const rows = z.array(z.looseObject({}))
