import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind, STATUS } from "./define.ts";

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
});
