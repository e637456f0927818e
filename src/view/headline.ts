import type { CronJobView } from "./cron_job_view.ts";
import type { Runner } from "./runner.ts";

/**
 * Returns what is to be read before all else: how many CronJobs run nowhere, or may, and why; a line for each reason. A user
 * that cannot read the Lease sees none.
 */
export function headlinesOf(views: readonly Pick<CronJobView, "runner" | "state">[]): string[] {
  const found = views.filter(({ state }) => state !== "Ended").flatMap(({ runner }) => runner ?? []);
  return [...Map.groupBy(found.filter(isNowhere), ({ why }) => why)].map(([why, { length }]) =>
    `${length} ${length === 1 ? "CronJob runs" : "CronJobs run"} nowhere: ${why}`
  ).concat(
    [...Map.groupBy(found.filter(isUnheard), ({ why }) => why)].map(([why, { length }]) =>
      `${length} ${length === 1 ? "CronJob runs" : "CronJobs run"} only if a controller is there: ${why}`
    ),
  );
}

function isNowhere(runner: Runner): boolean {
  return runner.by === "none" && runner.reason === "NoController";
}

function isUnheard(runner: Runner): boolean {
  return runner.by === "cronjob-controller" && runner.leads === "no Lease";
}
