import type { DaybookEvent, ErasedEvent } from "../../events/catalogue.js"

/** Computes the timer of a stream from its SCHEDULE and RUN events. */
export const timerFold = () => {
  const schedules = new Map<string, { active: boolean; next: number | null; run?: string; lease?: number }>()
  return {
    apply: (event: DaybookEvent | ErasedEvent): void => {
      if (event.payload === null) return
      if (event.type === "SCHEDULE") {
        const { schedule, state } = event.payload
        if (state === undefined) schedules.delete(schedule)
        else
          schedules.set(schedule, { ...schedules.get(schedule), active: state.status === "active", next: state.next })
      } else if (event.type === "RUN" && event.payload.kind === "schedule") {
        const { lease = event.recordedAt, name, phase, run } = event.payload
        const schedule = schedules.get(name)
        if (schedule === undefined) return
        if (phase === "started") Object.assign(schedule, { run, lease })
        else if (schedule.run === run) {
          delete schedule.run
          delete schedule.lease
        }
      }
    },
    /** When the stream must be checked next, milliseconds since the epoch; null for never. */
    due: (): number | null => {
      const dueTimes = [...schedules.values()].flatMap(
        ({ active, lease, next }) => lease ?? (active ? (next ?? []) : [])
      )
      return dueTimes.length === 0 ? null : Math.min(...dueTimes)
    }
  }
}
