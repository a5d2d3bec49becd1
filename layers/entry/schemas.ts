/** The schemas of inputs and results. The types with the same names are derived from them. */
export { Store, TrustLevel } from "../../events/Trust.js"
export { Changes, Observation } from "../../src/model/input.js"
export { Filter, Hit, Query } from "../../src/search/search.js"
