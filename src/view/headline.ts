import type { CronJobView } from "./cron_job_view.ts";
import type { Runner } from "./runner.ts";

/**
 * Returns a line for each reason why CronJobs run nowhere, or perhaps nowhere, with their number. A user who cannot read
 * the Lease gets none.
 */
export function headlinesOf(views: readonly Pick<CronJobView, "runner" | "state">[]): string[] {
  const found = views.filter(({ state }) => state !== "Ended").flatMap(({ runner }) => runner ?? []);
  return HEADLINES.flatMap(([isMeant, where]) =>
    [...Map.groupBy(found.filter(isMeant), ({ why }) => why)].map(([why, { length }]) =>
      `${length} ${length === 1 ? "CronJob runs" : "CronJobs run"} ${where}: ${why}`
    )
  );
}

const HEADLINES: readonly (readonly [isMeant: (runner: Runner) => boolean, where: string])[] = [
  [(runner) => runner.by === "none" && runner.reason === "NoController", "nowhere"],
  [
    (runner) => runner.by === "cronjob-controller" && runner.leads === "no Lease",
    "only if a controller is there",
  ],
];
