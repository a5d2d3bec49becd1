/** The policy contains every setting of the engine. */
export {
  decode,
  defaults,
  type ModelSettings,
  Policy,
  PolicySchema as Schema,
  type PolicyValues as Values
} from "../../src/ports/Policy.js"
export { defaultFolder, readPolicy as read } from "../config.js"
