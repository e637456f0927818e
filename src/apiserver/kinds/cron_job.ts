import type { Json } from "../resource_kind.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { setJobTemplateDefaults } from "./defaults/job.ts";
import { defineKind, STATUS, takeStatusFrom } from "./define.ts";
import { CRON_JOB_TABLE } from "./tables/cron_job.ts";
import { validateCronJob, validateCronJobUpdate } from "./validation/cron_job.ts";
import { cronJobWarnings } from "./warnings.ts";

export const CRON_JOBS = defineKind({
  group: "batch",
  version: "v1",
  plural: "cronjobs",
  kind: "CronJob",
  namespaced: true,
  shortNames: ["cj"],
  categories: ["all"],
  subresources: [STATUS],
  generation: "spec",
  schema: KUBERNETES_TYPES.object("batch.CronJob"),
  setDefaults: setCronJobDefaults,
  prepareForCreate(cronJob) {
    cronJob.status = {};
  },
  prepareForUpdate: takeStatusFrom,
  validate: validateCronJob,
  validateUpdate: validateCronJobUpdate,
  validateStatusUpdate: () => [],
  warnings: cronJobWarnings,
  table: CRON_JOB_TABLE,
});

function setCronJobDefaults({ spec }: Json): void {
  spec.concurrencyPolicy ??= "Allow";
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  setJobTemplateDefaults(spec.jobTemplate.spec);
}
