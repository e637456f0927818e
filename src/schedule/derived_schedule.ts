import type { Schedule } from "./schedule.ts";

/** A schedule made of another: it keeps its words and its zone, and changes when it runs. */
export abstract class DerivedSchedule {
  /** @param base the schedule that nothing is left out of */
  constructor(readonly base: Schedule) {}

  get text() {
    return this.base.text;
  }

  get timeZone() {
    return this.base.timeZone;
  }

  get everyMs() {
    return this.base.everyMs;
  }

  get clockChangePolicy() {
    return this.base.clockChangePolicy;
  }

  get neverRuns() {
    return this.base.neverRuns;
  }
}
