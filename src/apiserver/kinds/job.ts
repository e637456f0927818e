import { trueCondition } from "./conditions.ts";
import { copyLabelsFromTemplate, generateSelector, setJobDefaults } from "./defaults/job.ts";
import { defineKind, STATUS } from "./define.ts";
import { BATCH_TYPES } from "../schema/types/batch.ts";
import { validateJob, validateJobUpdate } from "./validation/job.ts";
import { validateJobStatusUpdate } from "./validation/job_status.ts";
import { jobWarnings } from "./warnings.ts";
import { type EpochMs, parseTime } from "../../base/epoch_ms.ts";
import type { Json } from "../resource_kind.ts";
import { humanDuration } from "./tables/cells.ts";
import { AGE, NAME, table, templateColumns } from "./tables/columns.ts";

const JOB_TABLE = table({
  Name: NAME,
  Status: jobStatus,
  Completions: completions,
  Duration: duration,
  Age: AGE,
  ...templateColumns(({ spec }) => spec),
});

/** Conditions that say how a Job is, the decisive first. */
const STATES = ["Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"];

function jobStatus(job: Json): string {
  const state = STATES.find((type) => trueCondition(job, type));
  if (state === "Complete" || state === "Failed") return state;
  if (job.metadata.deletionTimestamp) return "Terminating";
  return state ?? "Running";
}

function completions({ spec, status = {} }: Json): string {
  const done = status.succeeded ?? 0;
  if (spec.completions !== undefined) return `${done}/${spec.completions}`;
  const parallelism = spec.parallelism ?? 0;
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function duration(job: Json, now: EpochMs): string {
  const { startTime, completionTime } = job.status ?? {}, start = parseTime(startTime);
  if (start === undefined) return "";
  const end = parseTime(completionTime) ?? parseTime(trueCondition(job, "Failed")?.lastTransitionTime) ?? now;
  return humanDuration(end - start);
}

export const JOBS = defineKind(BATCH_TYPES, "Job", {
  categories: ["all"],
  subresources: [STATUS],
  generation: "spec",
  defaultPropagation: "Orphan",
  selectableFields: { "status.successful": ({ status }) => String(status?.succeeded ?? 0) },
  setDefaults: setJobDefaults,
  prepareForCreate(job) {
    generateSelector(job);
    copyLabelsFromTemplate(job);
    job.status = {};
  },
  validate: validateJob,
  validateUpdate: validateJobUpdate,
  validateStatusUpdate: validateJobStatusUpdate,
  warnings: jobWarnings,
  table: JOB_TABLE,
});
