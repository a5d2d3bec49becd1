import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { stores } from "../../../../events/Trust.js"
import { Role } from "../../../../events/Turn.js"
import type { ConversationQuery } from "../../../../src/conversation/Sessions.js"
import { conversationKinds } from "../../../../src/search/fields.js"
import { bodyReadEndpoint, readEndpoint, writeEndpoint } from "../endpoints.js"
import { schemaFor } from "../json.js"
import type { ParametersOf } from "../parameters.js"
import {
  booleanParameter,
  choiceListParameter,
  choiceParameter,
  instantParameter,
  numberParameter,
  pageParameters,
  searchParameters,
  textListParameter,
  textParameter
} from "../parameters.js"

const session = textParameter("The session's key.")
const store = choiceParameter(stores)("The store. Default: the strictest that the trust level reads.")

const conversationQuery = {
  ...searchParameters,
  text: textParameter("The text to search for. Without it, the newest rows are returned."),
  sessions: textListParameter("Sessions."),
  stores: choiceListParameter(stores)("Stores."),
  roles: choiceListParameter(Role.literals)("Roles of the speakers."),
  speakers: textListParameter("Speakers."),
  kinds: choiceListParameter(conversationKinds)("Kinds of text."),
  tags: textListParameter("A note must have each of these tags."),
  anyTags: textListParameter("A note must have one of these tags."),
  after: instantParameter("At or after this time."),
  before: instantParameter("Before this time."),
  limit: numberParameter("Maximum rows, 1 to 1,000.")
} satisfies ParametersOf<ConversationQuery>

/** Conversations: turns, sessions, their summaries, and indexed files. */
export const conversationGroup = HttpApiGroup.make("conversation")
  .add(
    writeEndpoint("append", "POST /turns", {
      summary: "Add a turn to a session, and capture what is worth keeping",
      answer: "StoredTurn",
      query: {}
    }).setPayload(schemaFor("NewTurn"))
  )
  .add(
    writeEndpoint("appendAll", "POST /turns/batch", {
      summary: "Add up to 1,000 turns; each gets its own answer",
      answer: "TurnBatchAnswer",
      query: {}
    }).setPayload(schemaFor("TurnBatch"))
  )
  .add(
    readEndpoint("turns", "/turns", {
      summary: "Read the last turns of a session, oldest first",
      answer: "Turns",
      query: {
        session,
        session_id: textParameter("An alias of `session`."),
        last: numberParameter("Number of turns. Default: 100.")
      }
    })
  )
  .add(
    readEndpoint("search", "/turns/search", {
      summary: "Search turns and indexed files",
      answer: "ConversationHits",
      query: conversationQuery
    })
  )
  .add(
    bodyReadEndpoint("searchByBody", "/turns/search", {
      summary: "Search turns and indexed files; the query is the body",
      answer: "ConversationHits",
      body: "ConversationSearch"
    })
  )
  .add(
    readEndpoint("explain", "/turns/search/explain", {
      summary: "Search turns and files, and explain why each matched",
      answer: "ExplainedConversation",
      query: conversationQuery
    })
  )
  .add(
    bodyReadEndpoint("explainByBody", "/turns/search/explain", {
      summary: "Search turns and files, and explain why each matched; the query is the body",
      answer: "ExplainedConversation",
      body: "ConversationSearch"
    })
  )
  .add(
    readEndpoint("sessions", "/sessions", {
      summary: "List sessions, the most recently used first",
      answer: "SessionPage",
      query: pageParameters
    })
  )
  .add(
    writeEndpoint("forgetSession", "DELETE /sessions", {
      summary: "Hide a session: its turns, its files and their index entries",
      answer: "ForgottenSession",
      query: { session }
    })
  )
  .add(
    readEndpoint("restoreSession", "/sessions/messages", {
      summary: "Rebuild the messages of a session within a token budget",
      answer: "RestoredSession",
      query: { session, tokens: numberParameter("The token budget.") }
    })
  )
  .add(
    readEndpoint("summaries", "/sessions/summaries", {
      summary: "List the summaries of sessions",
      answer: "SummaryPage",
      query: { ...pageParameters, session }
    })
  )
  .add(
    writeEndpoint("extract", "POST /sessions/extract", {
      summary: "Extract memories from waiting turns",
      answer: "ExtractedTurns",
      query: { session, due: booleanParameter("Extracts only turns that are due.") }
    })
  )
  .add(
    writeEndpoint("summarize", "POST /sessions/summarize", {
      summary: "Update the summaries of a session",
      answer: "SummarizedSessions",
      query: { session }
    })
  )
  .add(
    writeEndpoint("refresh", "POST /sessions/refresh", {
      summary: "Update the summaries of a session if its newest turns make that due",
      answer: "Done",
      query: { session }
    })
  )
  .add(
    writeEndpoint("end", "POST /sessions/end", {
      summary: "End a session: extract its waiting turns, then summarize it",
      answer: "EndedSession",
      query: { session }
    })
  )
  .add(
    readEndpoint("readRolling", "/sessions/rolling", {
      summary: "Read the rolling summary of a session; null if it has none",
      answer: "SessionRollingOrNull",
      query: { session, store }
    })
  )
  .add(
    writeEndpoint("writeRolling", "PUT /sessions/rolling", {
      summary: "Replace the rolling summary of a session",
      answer: "WrittenRolling",
      query: { session, store }
    }).setPayload(schemaFor("RollingInput"))
  )
  .add(
    writeEndpoint("roll", "POST /sessions/rolling/roll", {
      summary: "Condense the oldest turns of a session into its rolling summary",
      answer: "Rolled",
      query: { session, store, tokens: numberParameter("The token budget.") }
    })
  )
  .add(
    readEndpoint("files", "/files", {
      summary: "List indexed files without their text, newest first",
      answer: "FilePage",
      query: pageParameters
    })
  )
  .add(
    readEndpoint("file", "/files/by-path", {
      summary: "Read the file of each store that has this path",
      answer: "Files",
      query: { path: textParameter("The file's path.") }
    })
  )
  .add(
    writeEndpoint("addFile", "POST /files", {
      summary: "Index the text of a file",
      answer: "AddedFile",
      query: {}
    }).setPayload(schemaFor("FileInput"))
  )
  .add(
    writeEndpoint("forgetFile", "DELETE /files", {
      summary: "Hide a file from all reads",
      answer: "ForgottenFile",
      query: { path: textParameter("The file's path.") }
    })
  )
