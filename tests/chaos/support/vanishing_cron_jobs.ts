import { TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import type { HttpKubeClient } from "../../../src/kube/http_client.ts";
import { cronJobOf, POD_TEMPLATE } from "../../support/cron_job.ts";
import { NO_ENDPOINTS, PROGRAM, RunningProgram } from "../../support/program.ts";

export const EVERY_MS = 3_000;

export function startController(kubeconfig: string, ...flags: string[]): RunningProgram {
  return new RunningProgram([...PROGRAM, "controller", "--kubeconfig", kubeconfig, ...NO_ENDPOINTS, ...flags]);
}

/** Returns CronJobs that are due every three seconds, all at the same instants; their Jobs are deleted as soon as they end. */
export async function createCronJobs(
  client: HttpKubeClient,
  { count, neverTwice }: { count: number; neverTwice: boolean },
): Promise<CronJobObject[]> {
  // All of them within one second are due at the same instants.
  await new Promise((resolve) => setTimeout(resolve, 1_000 - Date.now() % 1_000));
  const spec = {
    schedule: `@every ${EVERY_MS / 1_000}s`,
    catchUp: { policy: "All" as const },
    neverTwice,
    jobTemplate: { spec: { ttlSecondsAfterFinished: 0, template: POD_TEMPLATE } },
  };
  const given = Array.from({ length: count }, (_, i) => cronJobOf(TUTORIAL, { name: `vanishing-${i}`, spec }));
  return await Promise.all(given.map((cronJob) => client.create(TUTORIAL.resource, cronJob)));
}
