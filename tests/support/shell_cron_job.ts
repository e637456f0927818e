import type { Container } from "kubernetes-types/core/v1";
import { stringify } from "yaml";
import type { CronJobSpec } from "../../src/cronjob/api/types.ts";

/**
 * Returns the manifest of a CronJob of `cronjob-controller.dev/v1` whose run is a shell script, once: it is not tried
 * again. It starts by hand alone, unless its spec has a schedule.
 */
export function shellCronJob(
  name: string,
  script: string,
  { labels, spec, container }: {
    readonly labels?: Record<string, string>;
    readonly spec?: Partial<CronJobSpec>;
    readonly container?: Partial<Container>;
  } = {},
): string {
  const containers = [{ name: "main", image: "none", command: ["sh", "-c", script], ...container }];
  const template = { spec: { restartPolicy: "Never", containers } };
  return stringify({
    apiVersion: "cronjob-controller.dev/v1",
    kind: "CronJob",
    metadata: { name, labels },
    spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: { backoffLimit: 0, template } }, ...spec },
  });
}
