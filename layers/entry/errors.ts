/** Every error that a method of the package can fail with. */
export { InvalidExport } from "../../events/copies/importLines.js"
export {
  AlreadyErased,
  CommandConflict,
  ErasedMeanwhile,
  InvalidEvent,
  NotAccepted,
  StorageError,
  UnknownEvent,
  VersionConflict
} from "../../events/errors.js"
export * from "../../src/model/errors.js"
