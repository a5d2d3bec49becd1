/** Flags that a process shares with a thread that calls native code. `busy` and `ending` are places in `flags`. */
export interface ExitGuard {
  readonly flags: Int32Array
  /** 1 while the thread is inside native code. */
  readonly busy: number
  /** 1 once the process is ending. */
  readonly ending: number
}

/**
 * An ending process waits at most this long. A text takes milliseconds; loading a model takes seconds on a busy machine.
 */
const patienceMillis = 10_000

/**
 * Keeps the process from ending while a thread is inside native code. When Node ends a thread there, onnxruntime-node
 * throws a C++ exception that nobody catches, and the whole process aborts (exit code 134, seen on Node 24 and 26).
 */
export const guardExit = (): { readonly guard: ExitGuard; readonly release: () => void } => {
  const guard: ExitGuard = { flags: new Int32Array(new SharedArrayBuffer(8)), busy: 0, ending: 1 }
  const wait = () => {
    Atomics.store(guard.flags, guard.ending, 1)
    Atomics.wait(guard.flags, guard.busy, 1, patienceMillis)
  }
  // The thread begins by loading the library.
  Atomics.store(guard.flags, guard.busy, 1)
  process.on("exit", wait)
  return { guard, release: () => process.off("exit", wait) }
}
