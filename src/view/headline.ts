import type { CronJobView } from "./cron_job_view.ts";
import type { Runner } from "./runner.ts";

/**
 * Returns what is to be read before all else: how many CronJobs run nowhere, or may, and why; a line for each reason. A user
 * that cannot read the Lease sees none.
 */
export function headlinesOf(views: readonly Pick<CronJobView, "runner" | "state">[]): string[] {
  const found = views.filter(({ state }) => state !== "Ended").flatMap(({ runner }) => runner ?? []);
  return SAID.flatMap(([isMeant, where]) =>
    [...Map.groupBy(found.filter(isMeant), ({ why }) => why)].map(([why, { length }]) =>
      `${length} ${length === 1 ? "CronJob runs" : "CronJobs run"} ${where}: ${why}`
    )
  );
}

const SAID: readonly (readonly [isMeant: (runner: Runner) => boolean, where: string])[] = [
  [(runner) => runner.by === "none" && runner.reason === "NoController", "nowhere"],
  [
    (runner) => runner.by === "cronjob-controller" && runner.leads === "no Lease",
    "only if a controller is there",
  ],
];
