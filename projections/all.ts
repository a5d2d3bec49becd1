import { archive } from "./archive.js"
import { chunkVectors } from "./chunkVectors.js"
import { configuration } from "./configuration.js"
import { conversation } from "./conversation.js"
import { disputes } from "./disputes.js"
import { embedders } from "./embedders.js"
import { extracts } from "./extracts.js"
import { fulltext } from "./fulltext.js"
import { history } from "./history.js"
import { lineage } from "./lineage.js"
import { observations } from "./observations.js"
import type { Projection } from "./Projection.js"
import { people } from "./people.js"
import { recalls } from "./recalls.js"
import { rollingSummaries } from "./rollingSummaries.js"
import { runs } from "./runs.js"
import { schedules } from "./schedules.js"
import { scratchpads } from "./scratchpads.js"
import { summaries } from "./summaries.js"
import { tallies } from "./tallies.js"
import { vectors } from "./vectors.js"
import { vocabulary } from "./vocabulary.js"
import { wordings } from "./wordings.js"

/** Every projection of a view, in the order in which each event is applied. */
export const projections: ReadonlyArray<Projection> = [
  observations,
  fulltext,
  vectors,
  people,
  history,
  lineage,
  conversation,
  chunkVectors,
  recalls,
  configuration,
  embedders,
  archive,
  runs,
  schedules,
  summaries,
  tallies,
  wordings,
  disputes,
  scratchpads,
  extracts,
  vocabulary,
  rollingSummaries
]
