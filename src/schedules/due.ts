import type { DaybookEvent, ErasedEvent } from "../../events/catalogue.js"

/** Makes the due hint of a stream from its SCHEDULE and RUN events alone: what its timer says. */
export const dueFold = () => {
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
        const one = schedules.get(name)
        if (one === undefined) return
        if (phase === "started") Object.assign(one, { run, lease })
        else if (one.run === run) {
          delete one.run
          delete one.lease
        }
      }
    },
    /** When somebody is to look at the stream next; null where there is nothing to come. */
    due: (): number | null => {
      const all = [...schedules.values()].flatMap(({ active, lease, next }) => lease ?? (active ? (next ?? []) : []))
      return all.length === 0 ? null : Math.min(...all)
    }
  }
}
