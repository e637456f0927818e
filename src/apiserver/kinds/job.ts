import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { copyLabelsFromTemplate, generateSelector, setJobDefaults } from "./defaults/job.ts";
import { defineKind, STATUS, takeSpecFrom, takeStatusFrom } from "./define.ts";
import { validateJob, validateJobUpdate } from "./validation/job.ts";
import { validateJobStatusUpdate } from "./validation/job_status.ts";
import { jobWarnings } from "./warnings.ts";
import { type EpochMs, parseTime } from "../../schedule/epoch_ms.ts";
import type { Json } from "../resource_kind.ts";
import { humanDuration } from "./tables/cells.ts";
import { AGE, NAME, table, templateColumns } from "./tables/columns.ts";

const JOB_TABLE = table({
  Name: NAME,
  Status: ["Status of the job.", jobStatus],
  Completions: [
    "The number of pods which reached phase Succeeded. The value increases monotonically for a given spec. However, it may decrease in reaction to scale down of elastic indexed jobs.",
    completions,
  ],
  Duration: ["Time required to complete the job.", duration],
  Age: AGE,
  ...templateColumns(({ spec }) => spec),
});

/** Conditions that say how a Job is, the decisive first. */
const STATES = ["Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"];

function jobStatus({ metadata, status = {} }: Json): string {
  const state = STATES.find((type) =>
    (status.conditions ?? []).some((one: Json) => one.type === type && one.status === "True")
  );
  if (state === "Complete" || state === "Failed") return state;
  if (metadata.deletionTimestamp) return "Terminating";
  return state ?? "Running";
}

function completions({ spec, status = {} }: Json): string {
  const done = status.succeeded ?? 0;
  if (spec.completions !== undefined) return `${done}/${spec.completions}`;
  const parallelism = spec.parallelism ?? 0;
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function duration({ status = {} }: Json, now: EpochMs): string {
  const start = parseTime(status.startTime);
  if (start === undefined) return "";
  const failed = (status.conditions ?? []).find((one: Json) => one.type === "Failed" && one.status === "True");
  const end = parseTime(status.completionTime) ?? parseTime(failed?.lastTransitionTime) ?? now;
  return humanDuration(end - start);
}

export const JOBS = defineKind({
  group: "batch",
  version: "v1",
  plural: "jobs",
  kind: "Job",
  namespaced: true,
  categories: ["all"],
  subresources: [STATUS],
  generation: "spec",
  defaultPropagation: "Orphan",
  schema: KUBERNETES_TYPES.object("batch.Job"),
  selectableFields: { "status.successful": ({ status }) => String(status?.succeeded ?? 0) },
  setDefaults: setJobDefaults,
  prepareForCreate(job) {
    generateSelector(job);
    copyLabelsFromTemplate(job);
    job.status = {};
  },
  prepareForUpdate: takeStatusFrom,
  prepareForStatusUpdate: takeSpecFrom,
  validate: validateJob,
  validateUpdate: validateJobUpdate,
  validateStatusUpdate: validateJobStatusUpdate,
  warnings: jobWarnings,
  table: JOB_TABLE,
});
