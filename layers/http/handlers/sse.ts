import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Duration from "effect/Duration"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

/** A server-sent event. */
export interface ServerEvent {
  readonly event: string
  readonly data: unknown
  /** The position after which to resume. The client sends it as `Last-Event-ID`. */
  readonly id?: string
}

const textOf = ({ data, event, id }: ServerEvent): string =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** Pause between two heartbeats. Proxies and clients assume that a silent connection is dead. */
const heartbeat = Duration.seconds(15)

const heartbeats = Stream.as(Stream.fromSchedule(Schedule.spaced(heartbeat)), ": heartbeat\n\n")

/** A response that sends events until the stream ends. */
export const eventResponse = (events: Stream.Stream<ServerEvent>): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(
    Stream.make(": open\n\n").pipe(
      Stream.concat(Stream.merge(Stream.map(events, textOf), heartbeats, { haltStrategy: "left" })),
      Stream.encodeText
    ),
    { contentType: "text/event-stream", headers: { "cache-control": "no-store" } }
  )
