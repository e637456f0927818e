import type { Container } from "kubernetes-types/core/v1";
import { stringify } from "yaml";
import { PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import type { CronJobSpec } from "../../src/cronjob/api/types.ts";
import { cronJobOf, shellTemplate } from "./cron_job.ts";

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
  const jobTemplate = shellTemplate(script, container);
  return stringify(cronJobOf(PRODUCTION, { name, labels, spec: { schedule: "0 0 1 1 *", jobTemplate, ...spec } }));
}
