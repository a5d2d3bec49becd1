import * as Layer from "effect/Layer"
import { StatementReader, type StatementReaderService } from "../src/ports/StatementReader.js"
import { piecesOf, statementOf, statesDecision, statesOpenItem } from "./languages/en/statements.js"

/** Reads statements and ignores English function words. In other languages, every word counts. */
export const ruleStatementReader: StatementReaderService = { piecesOf, statementOf, statesDecision, statesOpenItem }

export const layer: Layer.Layer<StatementReader> = Layer.succeed(StatementReader, ruleStatementReader)
