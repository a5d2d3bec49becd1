import * as HttpApi from "@effect/platform/HttpApi"
import { conversationGroup } from "./groups/conversation.js"
import { maintenanceGroup, recallsGroup, schedulesGroup } from "./groups/lifecycle.js"
import { memoriesGroup } from "./groups/memories.js"
import { notesGroup } from "./groups/notes.js"
import { operationsGroup } from "./groups/operations.js"
import { problems } from "./problems.js"

/** The HTTP interface of Daybook: the definition that the server, the client and the OpenAPI document share. */
export const Api = HttpApi.make("daybook")
  .add(memoriesGroup)
  .add(conversationGroup)
  .add(notesGroup)
  .add(schedulesGroup)
  .add(recallsGroup)
  .add(maintenanceGroup)
  .add(operationsGroup)
  .addError(problems)
