import { TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import type { HttpKubeClient } from "../../../src/kube/http_client.ts";
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
  return await Promise.all(Array.from({ length: count }, (_, i) =>
    client.create(TUTORIAL.resource, {
      apiVersion: "batch.tutorial.kubebuilder.io/v1",
      kind: "CronJob",
      metadata: { name: `vanishing-${i}`, namespace: "default" },
      spec: {
        schedule: `@every ${EVERY_MS / 1_000}s`,
        catchUp: { policy: "All" },
        neverTwice,
        jobTemplate: {
          spec: {
            ttlSecondsAfterFinished: 0,
            template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } },
          },
        },
      },
    })));
}
