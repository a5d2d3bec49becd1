import { addFile } from "./add-file.js"
import { addTurn } from "./add-turn.js"
import { agents } from "./agents.js"
import { archive } from "./archive.js"
import { backfill } from "./backfill.js"
import { backup, exportLog, importLog, restore } from "./backup.js"
import type { AnyCommand } from "./Command.js"
import { check } from "./check.js"
import { makeCompletion } from "./completion.js"
import { decide } from "./decide.js"
import { decisions } from "./decisions.js"
import { demo } from "./demo.js"
import { embed } from "./embed.js"
import { erase } from "./erase.js"
import { files } from "./files.js"
import { forget } from "./forget.js"
import { forgetFile } from "./forget-file.js"
import { forgetSession } from "./forget-session.js"
import { get } from "./get.js"
import { getContext } from "./get-context.js"
import { history } from "./history.js"
import { hook } from "./hook.js"
import { importPaths } from "./import.js"
import { init } from "./init.js"
import { list } from "./list.js"
import { log } from "./log.js"
import { gc, maintain } from "./maintain.js"
import { mcp } from "./mcp.js"
import { note } from "./note.js"
import { observeTool } from "./observe-tool.js"
import { people } from "./people.js"
import { profile } from "./profile.js"
import { rebuild } from "./rebuild.js"
import { recall } from "./recall.js"
import { remember } from "./remember.js"
import { schedules } from "./schedules.js"
import { scratchpad } from "./scratchpad.js"
import { search } from "./search.js"
import { serve } from "./serve.js"
import { sessions } from "./sessions.js"
import { stats } from "./stats.js"
import { tiers } from "./tiers.js"
import { timeline } from "./timeline.js"
import { token } from "./token.js"
import { turns } from "./turns.js"
import { undo } from "./undo.js"
import { update } from "./update.js"
import { updatePerson } from "./update-person.js"
import { verify } from "./verify.js"
import { vouch } from "./vouch.js"
import { whatIf } from "./what-if.js"
import { why } from "./why.js"

/** Every command, in the order of the help. */
export const commands: ReadonlyArray<AnyCommand> = [
  remember,
  search,
  timeline,
  get,
  list,
  update,
  vouch,
  forget,
  decisions,
  decide,
  history,
  why,
  people,
  updatePerson,
  profile,
  getContext,
  addTurn,
  sessions,
  turns,
  forgetSession,
  note,
  observeTool,
  scratchpad,
  addFile,
  files,
  forgetFile,
  importPaths,
  recall,
  archive,
  maintain,
  gc,
  schedules,
  undo,
  erase,
  log,
  whatIf,
  rebuild,
  backfill,
  embed,
  verify,
  backup,
  restore,
  exportLog,
  importLog,
  check,
  tiers,
  stats,
  agents,
  serve,
  token,
  init,
  makeCompletion(() => commands),
  hook,
  mcp,
  demo
]
