/** Settlers find memories that a newer memory has made untrue. */
export { type Evidence, type Settlement, Settler, type SettlerService } from "../../src/ports/Settler.js"
export { layer as layerRules } from "../RuleSettler.js"
