import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { stores } from "../../../../events/Trust.js"
import type { ContextQuery } from "../../../../src/context/ContextReader.js"
import { bodyReadEndpoint, idPath, namePath, readEndpoint, writeEndpoint } from "../endpoints.js"
import { schemaFor } from "../json.js"
import {
  booleanParameter,
  choiceParameter,
  filterParameters,
  instantParameter,
  memoryQuery,
  numberParameter,
  type ParametersOf,
  pageParameters,
  textListParameter,
  textParameter
} from "../parameters.js"

const contextQuery = {
  session: textParameter("The session of the conversation."),
  message: textParameter("The user's new message."),
  tokens: numberParameter("The token budget."),
  k: numberParameter("Maximum memories that the message recalls."),
  at: instantParameter("The time of the message. Default: now."),
  format: choiceParameter(["text", "markdown"])("The form of the headings. Default: `text`."),
  parts: choiceParameter(["all", "recalled"])("`recalled`: only what the message recalls. Default: `all`.")
} satisfies ParametersOf<ContextQuery>

/** Memories: storing, finding, reading and changing them. */
export const memoriesGroup = HttpApiGroup.make("memories")
  .add(
    writeEndpoint("remember", "POST /memories", {
      summary: "Store a memory; a repeat counts as another mention",
      answer: "Remembered",
      query: {
        reconcile: booleanParameter(
          "Compares the memory with similar memories. Default: true if the policy has a reconciler."
        )
      }
    }).setPayload(schemaFor("MemoryInput"))
  )
  .add(
    writeEndpoint("rememberAll", "POST /memories/batch", {
      summary: "Store up to 1,000 memories; each gets its own answer",
      answer: "MemoryBatchAnswer",
      query: {}
    }).setPayload(schemaFor("MemoryBatch"))
  )
  .add(
    readEndpoint("list", "/memories", {
      summary: "List memories by page; with q, the best matches first",
      answer: "MemoryPage",
      query: {
        ...filterParameters,
        ...pageParameters,
        q: textParameter("The text to search for. Without it, the memories are listed."),
        layer: textParameter("An alias of `tiers`, for one tier."),
        sort: choiceParameter(["newest", "oldest", "changed", "mentions", "importance", "score"])(
          "The order of a list. Default: `newest`; with `layer` as the only filter, `score`."
        )
      }
    })
  )
  .add(
    readEndpoint("search", "/search", {
      summary: "Find memories by words and by meaning",
      answer: "Hits",
      query: memoryQuery
    })
  )
  .add(
    bodyReadEndpoint("searchByBody", "/search", {
      summary: "Find memories by words and by meaning; the query is the body",
      answer: "Hits",
      body: "SearchQuery"
    })
  )
  .add(
    readEndpoint("explain", "/search/explain", {
      summary: "Search, and explain how the query was understood and why each memory matched",
      answer: "ExplainedMemories",
      query: memoryQuery
    })
  )
  .add(
    bodyReadEndpoint("explainByBody", "/search/explain", {
      summary: "Search, and explain how the query was understood and why each memory matched; the query is the body",
      answer: "ExplainedMemories",
      body: "SearchQuery"
    })
  )
  .add(
    readEndpoint("getAll", "/memories/batch", {
      summary: "Read whole memories by their ids; unknown ids are left out",
      answer: "Memories",
      query: { id: textListParameter("Ids, up to 200.") }
    })
  )
  .add(
    readEndpoint("get", "/memories/:id", { summary: "Read a whole memory", answer: "Memory", query: {} }).setPath(
      idPath
    )
  )
  .add(
    writeEndpoint("update", "PATCH /memories/:id", {
      summary: "Change the given fields of a memory, or its status",
      answer: "MemoryChanged",
      query: {}
    })
      .setPath(idPath)
      .setPayload(schemaFor("MemoryChanges"))
  )
  .add(
    writeEndpoint("forget", "DELETE /memories/:id", {
      summary: "Hide a memory; its history stays in the log",
      answer: "Forgotten",
      query: {}
    }).setPath(idPath)
  )
  .add(
    readEndpoint("why", "/memories/:id/why", {
      summary: "Explain how and why a memory was created or changed",
      answer: "Why",
      query: { limit: numberParameter("Number of newest versions, 1 to 200. Default 20.") }
    }).setPath(idPath)
  )
  .add(
    readEndpoint("history", "/memories/:id/history", {
      summary: "Read every version of a memory, oldest first",
      answer: "History",
      query: {}
    }).setPath(idPath)
  )
  .add(
    readEndpoint("timeline", "/memories/:id/timeline", {
      summary: "Read the memories around one memory in time",
      answer: "Timeline",
      query: {
        before: numberParameter("Rows before the memory. Default 5."),
        after: numberParameter("Rows after the memory. Default 5.")
      }
    }).setPath(idPath)
  )
  .add(
    writeEndpoint("decide", "POST /memories/:id/decide", {
      summary: "Settle the open disputes of a memory",
      answer: "Settled",
      query: {}
    })
      .setPath(idPath)
      .setPayload(schemaFor("Choice"))
  )
  .add(
    writeEndpoint("vouch", "POST /memories/vouch", {
      summary: "Raise memories to trust level full",
      answer: "Vouched",
      query: {}
    }).setPayload(schemaFor("Ids"))
  )
  .add(
    readEndpoint("decisions", "/decisions", {
      summary: "List the memories that raised disputes",
      answer: "Disputes",
      query: { ...pageParameters, open: booleanParameter("Lists only disputes that are not settled.") }
    })
  )
  .add(
    readEndpoint("people", "/people", {
      summary: "List the people in memories, the most recently mentioned first",
      answer: "PeoplePage",
      query: { ...pageParameters, name: textParameter("Part of a name.") }
    })
  )
  .add(
    writeEndpoint("updatePerson", "PATCH /people/:name", {
      summary: "Set facts about a person by name; null removes a fact",
      answer: "UpdatedPerson",
      query: { store: choiceParameter(stores)("The store. Default: the strictest that the trust level reads.") }
    })
      .setPath(namePath)
      .setPayload(schemaFor("PersonFacts"))
  )
  .add(
    readEndpoint("profile", "/profile", {
      summary: "Read the profile of the user for a system prompt",
      answer: "Profile",
      query: { tokens: numberParameter("The token budget.") }
    })
  )
  .add(
    readEndpoint("context", "/context", {
      summary: "Assemble the context to send to a model for one turn",
      answer: "Context",
      query: {
        session_id: textParameter("An alias of `session`."),
        ...contextQuery
      }
    })
  )
  .add(
    bodyReadEndpoint("contextByBody", "/context", {
      summary: "Assemble the context to send to a model for one turn; the query is the body",
      answer: "Context",
      body: "ContextRequest"
    })
  )
  .add(
    writeEndpoint("observeTool", "POST /tool-runs", {
      summary: "Store the input and the output of a tool run",
      answer: "ObservedTool",
      query: {}
    }).setPayload(schemaFor("ToolObservation"))
  )
  .add(
    writeEndpoint("undo", "POST /undo", {
      summary: "Undo the changes of an event, a run or a source",
      answer: "Undone",
      query: {
        dryRun: booleanParameter("Reports the changes without writing them."),
        force: booleanParameter("Also undoes fields that would be conflicts.")
      }
    }).setPayload(schemaFor("Undoable"))
  )
  .add(
    readEndpoint("archived", "/archive", {
      summary: "List the archive, newest first",
      answer: "ArchivePage",
      query: { ...pageParameters, text: textParameter("Only memories with all of these words.") }
    })
  )
  .add(
    writeEndpoint("archive", "POST /memories/:id/archive", {
      summary: "Move a memory to the archive",
      answer: "Archived",
      query: {}
    }).setPath(idPath)
  )
  .add(
    writeEndpoint("restore", "POST /memories/:id/restore", {
      summary: "Take a memory out of the archive",
      answer: "Restored",
      query: {}
    }).setPath(idPath)
  )
