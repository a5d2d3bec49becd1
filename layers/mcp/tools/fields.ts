import * as z from "zod"
import { stores } from "../../../events/Trust.js"

/** Input and output fields of several tools. */
export const textSchema = z.string()
export const textListSchema = z.array(textSchema)
export const integerSchema = z.int()
export const storeSchema = z.enum(stores as [(typeof stores)[number], ...Array<(typeof stores)[number]>])
/** Rows of an answer. Their fields are not in the list of tools, because it costs tokens in every conversation. */
export const rowsSchema = z.array(z.looseObject({}))
