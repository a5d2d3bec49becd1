import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { stores } from "../../../../events/Trust.js"
import type { NoteListQuery, NoteQuery } from "../../../../src/notes/Notes.js"
import { idPath, readEndpoint, writeEndpoint } from "../endpoints.js"
import { schemaFor } from "../json.js"
import {
  choiceListParameter,
  choiceParameter,
  instantParameter,
  numberParameter,
  type ParametersOf,
  pageParameters,
  searchParameters,
  textListParameter,
  textParameter
} from "../parameters.js"

const session = textParameter("The session's key.")
const store = choiceParameter(stores)("The store. Default: the strictest that the trust level reads.")

const noteFilters = {
  user: textParameter("Only notes of this user."),
  tags: textListParameter("A note must have each of these tags."),
  anyTags: textListParameter("A note must have one of these tags.")
}

/** Notes that an agent writes for itself, and the scratchpads of sessions. */
export const notesGroup = HttpApiGroup.make("notes")
  .add(
    writeEndpoint("save", "POST /notes", { summary: "Save a new note", answer: "SavedNote", query: {} }).setPayload(
      schemaFor("NoteInput")
    )
  )
  .add(
    readEndpoint("list", "/notes", {
      summary: "List notes, the last changed first",
      answer: "NotePage",
      query: { ...pageParameters, ...noteFilters } satisfies ParametersOf<NoteListQuery>
    })
  )
  .add(
    readEndpoint("search", "/notes/search", {
      summary: "Find notes by words and by meaning",
      answer: "NoteHits",
      query: {
        ...noteFilters,
        ...searchParameters,
        text: textParameter("The text to search for. Without it, the newest notes are returned."),
        stores: choiceListParameter(stores)("Stores."),
        after: instantParameter("At or after this time."),
        before: instantParameter("Before this time."),
        limit: numberParameter("Maximum rows, 1 to 1,000.")
      } satisfies ParametersOf<NoteQuery>
    })
  )
  .add(
    readEndpoint("get", "/notes/:id", {
      summary: "Read a note; null if there is none",
      answer: "NoteOrNull",
      query: {}
    }).setPath(idPath)
  )
  .add(
    writeEndpoint("update", "PATCH /notes/:id", {
      summary: "Replace the content or the tags of a note",
      answer: "Updated",
      query: {}
    })
      .setPath(idPath)
      .setPayload(schemaFor("NoteChanges"))
  )
  .add(
    writeEndpoint("delete", "DELETE /notes/:id", {
      summary: "Delete a note; done is false if there is none",
      answer: "Done",
      query: {}
    }).setPath(idPath)
  )
  .add(
    readEndpoint("readScratchpad", "/scratchpad", {
      summary: "Read the scratchpad of a session; null if it has none",
      answer: "ScratchpadOrNull",
      query: { session, store }
    })
  )
  .add(
    readEndpoint("scratchpadHistory", "/scratchpad/history", {
      summary: "Read the last states of a scratchpad, newest first",
      answer: "ScratchpadHistory",
      query: { session, store, limit: numberParameter("Maximum states. Default 50.") }
    })
  )
  .add(
    writeEndpoint("writeScratchpad", "PUT /scratchpad", {
      summary: "Replace the scratchpad of a session",
      answer: "WrittenScratchpad",
      query: { session, store }
    }).setPayload(schemaFor("ScratchpadItems"))
  )
  .add(
    writeEndpoint("clearScratchpad", "DELETE /scratchpad", {
      summary: "Clear the scratchpad of a session; done is false if there was none",
      answer: "Done",
      query: { session, store }
    })
  )
