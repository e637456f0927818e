import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { copyLabelsFromTemplate, generateSelector, setJobDefaults } from "./defaults/job.ts";
import { defineKind, STATUS, takeSpecFrom, takeStatusFrom } from "./define.ts";
import { JOB_TABLE } from "./tables/job.ts";
import { validateJob, validateJobUpdate } from "./validation/job.ts";
import { validateJobStatusUpdate } from "./validation/job_status.ts";
import { jobWarnings } from "./warnings.ts";

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
