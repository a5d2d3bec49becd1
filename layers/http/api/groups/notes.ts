import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { stores } from "../../../../events/Trust.js"
import type { NoteListQuery, NoteQuery } from "../../../../src/notes/Notes.js"
import { byId, readEndpoint, writeEndpoint } from "../endpoints.js"
import { json } from "../json.js"
import {
  choice,
  choices,
  instant,
  number,
  type ParametersOf,
  page,
  searchParameters,
  text,
  texts
} from "../parameters.js"

const session = text("The session's key.")
const store = choice(stores)("The store. Default: the strictest that the trust level reads.")

const noteFilters = {
  user: text("Only notes of this user."),
  tags: texts("A note must have each of these tags."),
  anyTags: texts("A note must have one of these tags.")
}

/** Notes that an agent writes for itself, and the scratchpads of sessions. */
export const notes = HttpApiGroup.make("notes")
  .add(
    writeEndpoint("save", "POST /notes", { summary: "Save a new note", answer: "SavedNote", query: {} }).setPayload(
      json("NoteInput")
    )
  )
  .add(
    readEndpoint("list", "/notes", {
      summary: "List notes, the last changed first",
      answer: "NotePage",
      query: { ...page, ...noteFilters } satisfies ParametersOf<NoteListQuery>
    })
  )
  .add(
    readEndpoint("search", "/notes/search", {
      summary: "Find notes by words and by meaning",
      answer: "NoteHits",
      query: {
        ...noteFilters,
        ...searchParameters,
        text: text("The text to search for. Without it, the newest notes are returned."),
        stores: choices(stores)("Stores."),
        after: instant("At or after this time."),
        before: instant("Before this time."),
        limit: number("Maximum rows, 1 to 1,000.")
      } satisfies ParametersOf<NoteQuery>
    })
  )
  .add(
    readEndpoint("get", "/notes/:id", {
      summary: "Read a note; null if there is none",
      answer: "NoteOrNull",
      query: {}
    }).setPath(byId)
  )
  .add(
    writeEndpoint("update", "PATCH /notes/:id", {
      summary: "Replace the content or the tags of a note",
      answer: "Updated",
      query: {}
    })
      .setPath(byId)
      .setPayload(json("NoteChanges"))
  )
  .add(
    writeEndpoint("delete", "DELETE /notes/:id", {
      summary: "Delete a note; done is false if there is none",
      answer: "Done",
      query: {}
    }).setPath(byId)
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
      query: { session, store, limit: number("Maximum states. Default 50.") }
    })
  )
  .add(
    writeEndpoint("writeScratchpad", "PUT /scratchpad", {
      summary: "Replace the scratchpad of a session",
      answer: "WrittenScratchpad",
      query: { session, store }
    }).setPayload(json("ScratchpadItems"))
  )
  .add(
    writeEndpoint("clearScratchpad", "DELETE /scratchpad", {
      summary: "Clear the scratchpad of a session; done is false if there was none",
      answer: "Done",
      query: { session, store }
    })
  )
