/** Limits the time for which requests wait in their sockets before the process reads them. */
export interface SocketQueue {
  /** True if the request that was just read on this connection must be refused. */
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
 * Most answers take one turn of the event loop, so under overload requests queue in the sockets, where the server
 * cannot count them. Two events limit how long a request can have waited. First, the queue was empty when a turn of the
 * event loop found neither a request nor a connection. Second, a client sends its next request on a connection only
 * after the answer to its previous request. A request that is read now arrived after both.
 *
 * If a request may have waited longer than `queueTime` milliseconds, and the queue was last empty more than `burstTime`
 * milliseconds ago, the queue must become shorter: the server then spends as much time on refusals as on answers. A
 * refusal takes little time. So clients that retry at once cannot keep other clients from getting answers.
 */
export const makeSocketQueue = ({ burstTime, queueTime }: QueueLimits): SocketQueue => {
  const answeredAt = new WeakMap<object, number>()
  /** When the queue was last empty; undefined while the queue is empty. */
  let emptyAt: number | undefined
  let isFound = false
  /** When a request of a long queue was admitted, and the time until which the next requests are refused. */
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
