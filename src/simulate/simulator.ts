import type { Findings } from "../cronjob/decision/findings.ts";
import { standstillOf } from "../cronjob/decision/standstill.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { regularRuns } from "./regular_runs.ts";
import type { DoneRuns, RegularRuns, Rest, SimulatedRuns, Span } from "./runs.ts";
import { type InitialState, SimulatedController } from "./simulated_controller.ts";
import { isSteady, SteadyController, type Worked } from "./steady_controller.ts";
import { TimesOfSchedules } from "./times.ts";

export interface SimulatedCronJob extends InitialState {
  /** How long each of its runs lasts, in whole seconds. */
  readonly durationMs: number;
}

/**
 * Simulates CronJobs one by one, by the very functions that decide about them, on a clock that goes from one event to the
 * next.
 *
 * Once only the schedule and the active Jobs decide, no more than that is decided, and while each run finds room, the runs
 * are the times of the schedule. What begins there is worked out once for all CronJobs that are in the same place.
 *
 * A Job that ends at the instant at which a run is due has ended before.
 */
export class Simulator {
  readonly #span: Span;
  readonly #times: TimesOfSchedules;
  readonly #done = new Map<string, DoneRuns>();
  readonly #ids = new WeakMap<ArrayLike<EpochMs>, number>();
  #lastId = 0;

  constructor(span: Span) {
    this.#span = span;
    this.#times = new TimesOfSchedules(span);
  }

  simulate(cronJob: SimulatedCronJob): SimulatedRuns {
    const { from, to } = this.#span;
    const { durationMs } = cronJob;
    const controller = new SimulatedController(cronJob, { durationMs, now: from });
    let rest: Rest | undefined;
    for (let now: EpochMs | undefined = from; now !== undefined && now < to;) {
      const findings = controller.find(now);
      if (now === from) rest = restOf(findings);
      if (isSteady(findings)) {
        const steady = new SteadyController(findings, controller.jobs.active, durationMs);
        const parts = [controller.takeDone(), ...this.#follow(steady, now, durationMs)];
        return { parts: parts.filter(isAny), rest };
      }
      now = controller.work(now);
    }
    controller.jobs.endUntil(Infinity);
    return { parts: [controller.takeDone()].filter(isAny), rest };
  }

  /** Decides one by one until nothing waits. */
  #follow(controller: SteadyController, from: EpochMs, durationMs: number): DoneRuns[] {
    for (let now: EpochMs | undefined = from; now !== undefined && now < this.#span.to;) {
      const worked = controller.work(now);
      if (worked.isIdle && worked.due.next !== undefined) {
        return [controller.takeDone(), this.#shared(controller, worked, durationMs)];
      }
      now = worked.next;
    }
    controller.jobs.endUntil(Infinity);
    return [controller.takeDone()];
  }

  /** What is done from here on: the same wherever the same comes next. */
  #shared(controller: SteadyController, worked: Worked, durationMs: number): DoneRuns {
    const { cronJob: { flavour, settings }, jobs: { active } } = controller;
    const { schedule, next, offsetMs } = worked.due;
    const { times, first } = this.#times.from(schedule!, next!, flavour.nameUnitSeconds * 1_000);
    const place = JSON.stringify([
      this.#idOf(times),
      first,
      offsetMs,
      durationMs,
      active.map(({ scheduledTime, startsAt, endsAt }) => [scheduledTime, startsAt, endsAt]),
      flavour.controllerName,
      // The times show by whose name `H` is spread.
      { ...settings, hashKey: undefined },
    ]);
    return this.#done.getOrInsertComputed(place, () => this.#goOn(controller, worked, durationMs));
  }

  #goOn(controller: SteadyController, { due, isIdle, next }: Worked, durationMs: number): DoneRuns {
    const regular: RegularRuns[] = [];
    const { to } = this.#span;
    for (;;) {
      let now = next;
      if (isIdle && due.next !== undefined) {
        const options = { to, times: this.#times, durationMs, ends: controller.jobs.ends };
        const { runs, crowdedAt, active } = regularRuns(controller.cronJob, due, options);
        now = crowdedAt;
        if (runs.first < runs.end) {
          if (crowdedAt !== undefined) controller.noteRegular(runs.times[runs.end - 1]!, active);
          // The controller says of those that go on how they end.
          regular.push({ ...runs, end: runs.end - active.length });
        }
      }
      if (now === undefined || now >= to) break;
      ({ due, isIdle, next } = controller.work(now));
    }
    controller.jobs.endUntil(Infinity);
    return { ...controller.takeDone(), regular };
  }

  #idOf(times: ArrayLike<EpochMs>): number {
    return this.#ids.getOrInsertComputed(times, () => ++this.#lastId);
  }
}

function isAny({ regular, single, refused }: DoneRuns): boolean {
  return regular.length + single.length + refused.length > 0;
}

function restOf(findings: Findings): Rest | undefined {
  const rest = standstillOf(findings);
  return rest && { reason: rest.reason, message: rest.message, isFault: rest.isFault === true };
}
