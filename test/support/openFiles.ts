import { existsSync, readdirSync, readlinkSync } from "node:fs"
import { join } from "node:path"

const descriptors = "/proc/self/fd"

/** The files of a folder that this process has open; none are known where there is no /proc. */
export const openFiles = (folder: string): ReadonlyArray<string> =>
  existsSync(descriptors)
    ? readdirSync(descriptors).flatMap((descriptor) => {
        try {
          const file = readlinkSync(join(descriptors, descriptor))
          return file.startsWith(folder) ? [file] : []
        } catch {
          // The descriptor with which the list was read is closed again.
          return []
        }
      })
    : []
