/** Every error that a method of the package can fail with. */
export {
  AlreadyErased,
  CommandConflict,
  InvalidEvent,
  NotAccepted,
  StorageError,
  UnknownEvent,
  VersionConflict
} from "../../events/errors.js"
export * from "../../src/model/errors.js"
