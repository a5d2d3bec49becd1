import * as z from "zod"
import { stores } from "../../../events/Trust.js"

/** Fields that several tools take or answer. */
export const text = z.string()
export const texts = z.array(text)
export const number = z.int()
export const store = z.enum(stores as [(typeof stores)[number], ...Array<(typeof stores)[number]>])
/** Rows of an answer. Their fields are left out of the list of tools, which every conversation pays for. */
export const rows = z.array(z.looseObject({}))
