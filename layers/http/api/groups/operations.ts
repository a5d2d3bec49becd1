import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { readEndpoint, writeEndpoint } from "../endpoints.js"
import { schemaFor } from "../json.js"
import { booleanParameter, numberParameter, pageParameters, textListParameter, textParameter } from "../parameters.js"

const projections = { projections: textListParameter("Projections. Default: all.") }

/** Operations on the log, the views and the embedders. They need trust level full. */
export const operationsGroup = HttpApiGroup.make("operations")
  .add(
    readEndpoint("agents", "/agents", {
      summary: "List the agents that have events",
      answer: "Agents",
      query: pageParameters
    })
  )
  .add(
    readEndpoint("stats", "/stats", {
      summary: "Show the counts of an agent's memory",
      answer: "AgentStats",
      query: {}
    })
  )
  .add(
    readEndpoint("log", "/log", {
      summary: "Read the events of an agent, oldest first",
      answer: "LogPage",
      query: { ...pageParameters, after: numberParameter("Only events after this version.") }
    })
  )
  .add(
    readEndpoint("verify", "/verify", {
      summary: "Check the log: hashes, anchor, schema, timers and cached vectors",
      answer: "Verification",
      query: {
        expect: textParameter("The anchor of an earlier verification."),
        views: booleanParameter("Also compares each view with its log."),
        all: booleanParameter("Checks all agents. Needs a token for all agents.")
      }
    })
  )
  .add(
    writeEndpoint("accept", "POST /accept", {
      summary: "Accept the damage that a verification reported",
      answer: "Done",
      query: {}
    }).setPayload(schemaFor("Damage"))
  )
  .add(
    writeEndpoint("erase", "POST /erasures", {
      summary: "Erase content forever with everything derived from it, or show what would be erased",
      answer: "Erasure",
      query: {
        all: booleanParameter("Erases everything that names a person, in all agents. Needs a token for all agents.")
      }
    }).setPayload(schemaFor("ErasureRequest"))
  )
  .add(
    readEndpoint("erasures", "/erasures", {
      summary: "List the erasures of an agent, oldest first, without the erased content",
      answer: "ErasurePage",
      query: {
        ...pageParameters,
        all: booleanParameter("Lists the erasures of all agents. Needs a token for all agents.")
      }
    })
  )
  .add(
    writeEndpoint("rebuild", "POST /views/rebuild", {
      summary: "Rebuild an agent's view from its log",
      answer: "Done",
      query: projections
    })
  )
  .add(
    readEndpoint("compareView", "/views/compare", {
      summary: "Compare an agent's view with its log",
      answer: "ViewComparison",
      query: projections
    })
  )
  .add(
    readEndpoint("digests", "/views/digests", {
      summary: "Read the digests of an agent's view",
      answer: "Digests",
      query: {}
    })
  )
  .add(
    writeEndpoint("whatIf", "POST /what-if", {
      summary: "Replay past decisions under another policy and show what changes",
      answer: "WhatIf",
      query: {}
    }).setPayload(schemaFor("WhatIfRequest"))
  )
  .add(
    writeEndpoint("backfill", "POST /embedders/backfill", {
      summary: "Embed memories that have no vector",
      answer: "Backfilled",
      query: {}
    })
  )
  .add(
    readEndpoint("embedder", "/embedders", {
      summary: "Show the active embedding model and its indexes",
      answer: "EmbedderStatus",
      query: {
        probe: booleanParameter("Sends one short text to the embedder if texts have no vectors for an unknown reason.")
      }
    })
  )
  .add(
    writeEndpoint("switchEmbedder", "POST /embedders/switch", {
      summary: "Fill the index of another embedder, then make it active",
      answer: "Switched",
      query: {}
    }).setPayload(schemaFor("EmbedderSwitch"))
  )
  .add(
    writeEndpoint("switchBack", "POST /embedders/back", {
      summary: "Switch to the previous embedder",
      answer: "Switched",
      query: {}
    }).setPayload(schemaFor("EmbedderBack"))
  )
  .add(
    writeEndpoint("dropEmbedder", "POST /embedders/drop", {
      summary: "Drop the index of an unused embedder, or all unused indexes",
      answer: "DroppedModels",
      query: {}
    }).setPayload(schemaFor("EmbedderDrop"))
  )
  .add(
    writeEndpoint("compareEmbedders", "POST /embedders/compare", {
      summary: "Run recent queries on two indexes and compare the hits",
      answer: "Compared",
      query: {}
    }).setPayload(schemaFor("CompareOptions"))
  )
  .add(
    writeEndpoint("calibrate", "POST /embedders/calibrate", {
      summary: "Estimate the best vector weight of an index",
      answer: "Calibrated",
      query: {}
    }).setPayload(schemaFor("CalibrateOptions"))
  )
