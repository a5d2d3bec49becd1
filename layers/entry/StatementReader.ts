/** Statement readers find the words, names and numbers of a statement, so that summaries can be checked. */
export { type Statement, StatementReader, type StatementReaderService } from "../../src/ports/StatementReader.js"
export { layer as layerRules } from "../RuleStatementReader.js"
