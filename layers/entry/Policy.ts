/** The policy: every setting of the engine, with its default. */
export {
  decode,
  defaults,
  type ModelSettings,
  Policy,
  PolicySchema as Schema,
  type PolicyValues as Values
} from "../../src/ports/Policy.js"
export { defaultFolder, readPolicy as read } from "../config.js"
