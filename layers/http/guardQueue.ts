/** Bounds the time for which requests wait in their sockets before the process reads them. */
export interface SocketQueue {
  /** Whether the request that was just read on this connection must be refused. */
  readonly mustRefuse: (socket: object) => boolean
  /** A connection was accepted. */
  readonly connected: () => void
  /** A request on this connection was answered. */
  readonly answered: (socket: object) => void
}

/** Milliseconds. */
interface QueueLimits {
  readonly queueTime: number
  readonly burstTime: number
}

/**
 * Most answers take one turn of the event loop, so under overload the queue is in the sockets, where nobody can count it.
 * But it was empty when a turn found neither a request nor a connection, and a client sends its next request on a
 * connection after the answer to its last one. A request that is read now came later than both. If it may have waited
 * longer than `queueTime` milliseconds, and the queue was not empty for `burstTime`, the queue must become shorter: as much time as answers take goes to refusals,
 * which take little. So clients that repeat at once cannot keep others from answers.
 */
export const makeSocketQueue = ({ burstTime, queueTime }: QueueLimits): SocketQueue => {
  const answeredAt = new WeakMap<object, number>()
  /** When the queue was last empty; undefined while it is. */
  let emptyAt: number | undefined
  let isFound = false
  /** When a request of a long queue was admitted, and until when the next ones are refused. */
  let admittedAt: number | undefined
  let refusingUntil = 0
  const look = () => {
    if (isFound) setImmediate(look)
    else emptyAt = undefined
    isFound = false
  }
  const find = () => {
    isFound = true
    if (emptyAt !== undefined) return
    emptyAt = performance.now()
    setImmediate(look)
  }
  return {
    mustRefuse: (socket) => {
      find()
      const now = performance.now()
      if (admittedAt !== undefined) refusingUntil = now + Math.min(now - admittedAt, queueTime)
      admittedAt = undefined
      const waited = now - Math.max(emptyAt!, answeredAt.get(socket) ?? 0)
      if (waited <= queueTime || now - emptyAt! <= burstTime) return false
      if (now < refusingUntil) return true
      admittedAt = now
      return false
    },
    connected: find,
    answered: (socket) => void answeredAt.set(socket, performance.now())
  }
}
