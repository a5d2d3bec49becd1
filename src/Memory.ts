import type * as Effect from "effect/Effect"
import type { StorageError } from "../events/errors.js"
import type { ReaderServices, ReaderSource } from "./actor/ReaderSource.js"
import type { CaptureServices } from "./capture/Capture.js"
import { type CaptureWriter, makeCaptureWriter } from "./capture/CaptureWriter.js"
import { type ContextReader, type ContextServices, makeContextReader } from "./context/ContextReader.js"
import { type FileReader, type FileWriter, makeFileReader, makeFileWriter } from "./conversation/Files.js"
import {
  makeSessionReader,
  makeSessionWriter,
  type SessionReader,
  type SessionWriter
} from "./conversation/Sessions.js"
import { type HistoryReader, makeHistoryReader } from "./history.js"
import { type ImportWriter, makeImportWriter } from "./import/ImportWriter.js"
import { type ArchiveReader, type ArchiveWriter, makeArchiveReader, makeArchiveWriter } from "./maintenance/Archive.js"
import { type AfterTurnServices, makeAfterTurn } from "./maintenance/afterTurn.js"
import {
  type MaintenanceReader,
  type MaintenanceWriter,
  makeMaintenanceReader,
  makeMaintenanceWriter
} from "./maintenance/Maintenance.js"
import type { Maintainer } from "./maintenance/maintain.js"
import { makeProfileReader, type ProfileReader } from "./maintenance/ProfileReader.js"
import {
  makeRollingReader,
  makeRollingWriter,
  type RollingReader,
  type RollingWriter
} from "./maintenance/rolling/Rolling.js"
import {
  makeSummaryReader,
  makeSummaryWriter,
  type SessionSummaryReader,
  type SessionSummaryWriter
} from "./maintenance/SessionSummaries.js"
import { makeNoteReader, makeNoteWriter, type NoteReader, type NoteWriter } from "./notes/Notes.js"
import {
  makeScratchpadReader,
  makeScratchpadWriter,
  type ScratchpadReader,
  type ScratchpadWriter
} from "./notes/Scratchpads.js"
import { makeToolWriter, type ToolWriter } from "./notes/ToolWriter.js"
import { makeRecallReader, type RecallReader } from "./recalls/RecallReader.js"
import { type MemoryWrites, makeMemoryWrites } from "./remember/MemoryWrites.js"
import type { Writer } from "./remember/remember.js"
import { makeRunner, type UseAgent } from "./remember/runner.js"
import {
  makeScheduleReader,
  makeScheduleWriter,
  type ScheduleReader,
  type ScheduleWriter
} from "./schedules/Schedules.js"
import { type MemoryReads, makeMemoryReads } from "./search/MemoryReads.js"
import { makeUndoWriter, type UndoWriter } from "./undo/UndoWriter.js"
import type { UndoServices } from "./undo/undo.js"

/**
 * Reads an agent's memory at one trust level, now or as of a past version. The
 * level is part of the handle, so every read applies it.
 */
export interface MemoryReader extends MemoryReads, HistoryReader, ProfileReader, ContextReader {
  readonly sessions: SessionReader & SessionSummaryReader & { readonly rolling: RollingReader }
  readonly files: FileReader
  readonly notes: NoteReader
  readonly scratchpad: ScratchpadReader
  readonly archive: ArchiveReader
  readonly maintenance: MaintenanceReader
  readonly recalls: RecallReader
  readonly schedules: ScheduleReader
}

/** A reader that can also write. A write returns once it is durable and readable. */
export interface Memory extends MemoryReader, MemoryWrites, ToolWriter, ImportWriter, UndoWriter {
  readonly sessions: MemoryReader["sessions"] &
    SessionWriter &
    CaptureWriter &
    SessionSummaryWriter & { readonly rolling: RollingWriter }
  readonly files: FileReader & FileWriter
  readonly notes: NoteReader & NoteWriter
  readonly scratchpad: ScratchpadReader & ScratchpadWriter
  readonly archive: ArchiveReader & ArchiveWriter
  readonly maintenance: MaintenanceReader & MaintenanceWriter
  readonly schedules: ScheduleReader & ScheduleWriter
}

/** The services of all reads. */
export interface AllReaderServices extends ReaderServices {
  readonly context: ContextServices
}

/** Makes all reads. Each read passes the trust level to a query, which filters by this level in SQL. */
export const makeReader = (source: ReaderSource, services: AllReaderServices): MemoryReader => ({
  ...makeMemoryReads(source, services),
  ...makeHistoryReader(source, services),
  ...makeProfileReader(source, services),
  ...makeContextReader(source, services),
  sessions: {
    ...makeSessionReader(source, services),
    ...makeSummaryReader(source, services),
    rolling: makeRollingReader(source, services)
  },
  files: makeFileReader(source),
  notes: makeNoteReader(source, services),
  scratchpad: makeScratchpadReader(source, services),
  archive: makeArchiveReader(source),
  maintenance: makeMaintenanceReader(source, services),
  recalls: makeRecallReader(source, services),
  schedules: makeScheduleReader(source, services)
})

export interface MemoryParts {
  readonly reader: MemoryReader
  readonly use: UseAgent
  readonly writer: Writer
  /** True if the agent has no events. */
  readonly isEmpty: Effect.Effect<boolean, StorageError>
  /** Services of `undo`, `maintain`, capture and session summaries. */
  readonly services: Omit<UndoServices & Maintainer & AfterTurnServices, "run"> & CaptureServices
}

/** Adds the writes to a reader. Each write is a command that the agent's actor runs. */
export const makeMemory = ({ isEmpty, reader, services, use, writer }: MemoryParts): Memory => {
  const runner = makeRunner(use)
  const writes = makeMemoryWrites(runner, writer)
  const engineWrites = makeMemoryWrites(runner, { ...writer, isEngine: true })
  const { runCommand: run } = runner
  const afterTurn = makeAfterTurn({ ...services, run }, runner, writer)
  const capture = makeCaptureWriter(runner, writer, services, afterTurn.later)
  return {
    ...reader,
    ...writes,
    ...makeToolWriter(runner, writer),
    ...makeImportWriter(runner, writer, { isEmpty, rememberAll: engineWrites.rememberAll }),
    ...makeUndoWriter({ ...services, run }, writer),
    sessions: {
      ...reader.sessions,
      ...makeSessionWriter(runner, writer),
      ...capture,
      ...makeSummaryWriter({ ...services, run }, writer, { extract: capture.extract, refresh: afterTurn.now }),
      rolling: { ...reader.sessions.rolling, ...makeRollingWriter(runner, writer, services) }
    },
    files: { ...reader.files, ...makeFileWriter(runner, writer) },
    notes: { ...reader.notes, ...makeNoteWriter(runner, writer) },
    scratchpad: { ...reader.scratchpad, ...makeScratchpadWriter(runner, writer) },
    archive: { ...reader.archive, ...makeArchiveWriter(runner, writer) },
    maintenance: { ...reader.maintenance, ...makeMaintenanceWriter({ ...services, run }, writer) },
    schedules: { ...reader.schedules, ...makeScheduleWriter(runner, writer) }
  }
}
