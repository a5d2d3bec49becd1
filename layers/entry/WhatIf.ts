/** The types of `daybook.whatIf`. */
export type * from "../../src/whatIf/WhatIf.js"
