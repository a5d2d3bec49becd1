/** Erasure of content from the log: the types of `daybook.erase`, and the search of all files for erased texts. */
export type {
  AgentErasure,
  Erasable,
  EraseError,
  EraseOptions,
  EraseReason,
  Erasure,
  NamedMemory,
  RecordedErasure
} from "../../src/erasure/Erasure.js"
export { type Hit, type Proof, prove } from "../../src/erasure/proof/prove.js"
