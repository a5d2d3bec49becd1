import * as HttpApi from "@effect/platform/HttpApi"
import { conversation } from "./groups/conversation.js"
import { maintenance, recalls, schedules } from "./groups/lifecycle.js"
import { memories } from "./groups/memories.js"
import { notes } from "./groups/notes.js"
import { operations } from "./groups/operations.js"
import { problems } from "./problems.js"

/** The HTTP interface of Daybook: the definition that the server, the client and the OpenAPI document share. */
export const Api = HttpApi.make("daybook")
  .add(memories)
  .add(conversation)
  .add(notes)
  .add(schedules)
  .add(recalls)
  .add(maintenance)
  .add(operations)
  .addError(problems)
