import type { Findings } from "../cronjob/decision/findings.ts";
import { standstillOf } from "../cronjob/decision/standstill.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { isSteady, regularRuns } from "./regular_runs.ts";
import type { RegularRuns, Rest, SimulatedRuns, Span } from "./runs.ts";
import { type InitialState, SimulatedController } from "./simulated_controller.ts";
import { TimesOfSchedules } from "./times.ts";

export interface SimulatedCronJob extends InitialState {
  /** How long each of its runs lasts, in whole seconds. */
  readonly durationMs: number;
}

/**
 * Simulates CronJobs one by one, by the very functions that decide about them, on a clock that goes from one event to the
 * next. Once only the schedule decides, and each run finds room, the runs are the times of the schedule.
 *
 * A Job that ends at the instant at which a run is due has ended before.
 */
export class Simulator {
  readonly #span: Span;
  readonly #times: TimesOfSchedules;

  constructor(span: Span) {
    this.#span = span;
    this.#times = new TimesOfSchedules(span);
  }

  simulate(cronJob: SimulatedCronJob): SimulatedRuns {
    const { from, to } = this.#span;
    const { durationMs } = cronJob;
    const controller = new SimulatedController(cronJob, { durationMs, now: from });
    const rest = restOf(controller.find(from));
    let regular: RegularRuns | undefined;
    for (let now: EpochMs | undefined = from; now !== undefined && now < to && !regular;) {
      const next = controller.work(now);
      const findings = controller.find(now);
      if (isSteady(findings)) {
        regular = regularRuns(findings, { to, times: this.#times, durationMs, ends: controller.ends });
      }
      now = next;
    }
    return { regular, ...controller.finish(), rest };
  }
}

function restOf(findings: Findings): Rest | undefined {
  const rest = standstillOf(findings);
  return rest && { reason: rest.reason, message: rest.message, isFault: rest.isFault === true };
}
