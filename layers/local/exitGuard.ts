/** Flags that a process shares with a thread that runs native code. `busy` and `ending` are indexes into `flags`. */
export interface ExitGuard {
  readonly flags: Int32Array
  /** 1 while the thread is inside native code. */
  readonly busy: number
  /** 1 once the process is ending. */
  readonly ending: number
}

/**
 * Maximum time that an ending process waits. Encoding a text takes milliseconds; loading a model takes seconds on a
 * busy machine.
 */
const patienceMillis = 10_000

/**
 * Keeps the process alive while a thread runs native code. If Node ends such a thread, onnxruntime-node throws an
 * uncaught C++ exception, and the whole process aborts (exit code 134, seen on Node 24 and 26).
 */
export const guardExit = (): { readonly guard: ExitGuard; readonly release: () => void } => {
  const guard: ExitGuard = { flags: new Int32Array(new SharedArrayBuffer(8)), busy: 0, ending: 1 }
  const wait = () => {
    Atomics.store(guard.flags, guard.ending, 1)
    Atomics.wait(guard.flags, guard.busy, 1, patienceMillis)
  }
  // The thread starts by loading the library, which is native code.
  Atomics.store(guard.flags, guard.busy, 1)
  process.on("exit", wait)
  return { guard, release: () => process.off("exit", wait) }
}
