import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind, STATUS } from "./define.ts";

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
});
