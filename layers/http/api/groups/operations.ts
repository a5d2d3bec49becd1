import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { readEndpoint, writeEndpoint } from "../endpoints.js"
import { json } from "../json.js"
import { flag, number, page, text, texts } from "../parameters.js"

const projections = { projections: texts("Projections. Default: all.") }

/** Operations on the log, the views and the embedders. They need trust level full. */
export const operations = HttpApiGroup.make("operations")
  .add(
    readEndpoint("agents", "/agents", { summary: "List the agents that have events", answer: "Agents", query: page })
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
      query: { ...page, after: number("Only events after this version.") }
    })
  )
  .add(
    readEndpoint("verify", "/verify", {
      summary: "Check the log: hashes, anchor, schema, timers and cached vectors",
      answer: "Verification",
      query: {
        expect: text("The anchor of an earlier verification."),
        views: flag("Also compares each view with its log."),
        all: flag("Checks all agents. Needs a token for all agents.")
      }
    })
  )
  .add(
    writeEndpoint("accept", "POST /accept", {
      summary: "Accept the damage that a verification reported",
      answer: "Done",
      query: {}
    }).setPayload(json("Damage"))
  )
  .add(
    writeEndpoint("erase", "POST /erasures", {
      summary: "Erase content forever with everything derived from it, or show what would be erased",
      answer: "Erasure",
      query: { all: flag("Erases everything that names a person, in all agents. Needs a token for all agents.") }
    }).setPayload(json("ErasureRequest"))
  )
  .add(
    readEndpoint("erasures", "/erasures", {
      summary: "List the erasures of an agent, oldest first, without the erased content",
      answer: "ErasurePage",
      query: { ...page, all: flag("Lists the erasures of all agents. Needs a token for all agents.") }
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
    }).setPayload(json("WhatIfRequest"))
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
      query: { probe: flag("Sends one short text to the embedder if texts have no vectors for an unknown reason.") }
    })
  )
  .add(
    writeEndpoint("switchEmbedder", "POST /embedders/switch", {
      summary: "Fill the index of another embedder, then make it active",
      answer: "Switched",
      query: {}
    }).setPayload(json("EmbedderSwitch"))
  )
  .add(
    writeEndpoint("switchBack", "POST /embedders/back", {
      summary: "Switch to the previous embedder",
      answer: "Switched",
      query: {}
    }).setPayload(json("EmbedderBack"))
  )
  .add(
    writeEndpoint("dropEmbedder", "POST /embedders/drop", {
      summary: "Drop the index of an unused embedder, or all unused indexes",
      answer: "DroppedModels",
      query: {}
    }).setPayload(json("EmbedderDrop"))
  )
  .add(
    writeEndpoint("compareEmbedders", "POST /embedders/compare", {
      summary: "Run recent queries on two indexes and compare the hits",
      answer: "Compared",
      query: {}
    }).setPayload(json("CompareOptions"))
  )
  .add(
    writeEndpoint("calibrate", "POST /embedders/calibrate", {
      summary: "Estimate the best vector weight of an index",
      answer: "Calibrated",
      query: {}
    }).setPayload(json("CalibrateOptions"))
  )
