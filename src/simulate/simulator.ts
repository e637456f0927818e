import type { Findings } from "../cronjob/decision/findings.ts";
import { standstillOf } from "../cronjob/decision/obstacles.ts";
import { arrivalsRead } from "../base/clock.ts";
import { type EpochMs, formatTime } from "../base/epoch_ms.ts";
import { regularityOf } from "./regular_runs.ts";
import type { RegularRuns, Rest, SimulatedRuns, Span } from "./runs.ts";
import { type InitialState, SimulatedController } from "./simulated_controller.ts";

export interface SimulatedCronJob extends InitialState {
  /** How long each of its runs lasts, in whole seconds. */
  readonly durationMs: number;
}

/** So many steps pass between looks for regular runs: a look costs as much as a third of a step. */
const STEPS_TO_A_LOOK = 8;

/** A step takes some 0.2 ms. */
const STEPS_IN_A_TURN = 100;

/** As many times that a Job holds back take as long as a step. */
const TIMES_TO_A_STEP = 100;

/** Gives others a turn after so many steps: a `standalone` that draws its load starts runs meanwhile. */
export class Turns {
  #steps = 0;

  async afterStep(steps = 1): Promise<void> {
    this.#steps += steps;
    if (this.#steps < STEPS_IN_A_TURN) return;
    this.#steps = 0;
    await arrivalsRead();
  }
}

/**
 * Simulates a CronJob by the very functions that decide about it, on a clock that goes from one event to the next, until each
 * run to come starts at its time, whatever happens.
 *
 * A Job that ends at the instant at which a run is due has ended before.
 */
export async function simulate(
  cronJob: SimulatedCronJob,
  { from, to }: Span,
  turns = new Turns(),
): Promise<SimulatedRuns> {
  const { durationMs } = cronJob;
  const controller = new SimulatedController(cronJob, { durationMs, now: from });
  const rest = restOf(controller.find(from));
  let regular: RegularRuns | undefined;
  let crowdedAt = -Infinity;
  let steps = 0;
  for (let now: EpochMs | undefined = from; now !== undefined && now < to && !regular;) {
    let next = controller.work(now);
    if (next !== undefined && next <= now) {
      throw new Error(`Cannot simulate beyond ${formatTime(now)}: nothing happens then`);
    }
    if (now >= crowdedAt && steps % STEPS_TO_A_LOOK === 0) {
      const found = regularityOf(controller.find(now), { to, durationMs, ends: controller.ends });
      switch (found?.kind) {
        case "regular":
          regular = found.runs;
          break;
        case "crowded":
          crowdedAt = found.at;
          break;
        case "held back":
          controller.refuse(found);
          next = found.until;
          await turns.afterStep(found.times.length / TIMES_TO_A_STEP);
      }
    }
    now = next;
    steps++;
    await turns.afterStep();
  }
  return { ...controller.done(), regular, rest };
}

function restOf(findings: Findings): Rest | undefined {
  const rest = standstillOf(findings);
  return rest && { reason: rest.reason, message: rest.message, isFault: rest.isFault === true };
}
