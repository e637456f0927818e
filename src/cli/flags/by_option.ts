import type { BatchRunner } from "../../view/runner.ts";
import { flag } from "./options.ts";

const RUNNERS: readonly BatchRunner[] = ["kube-controller-manager", "cronjob-controller"];

/** `--by`, of commands that read manifests without a cluster. */
export const BY_OPTION = flag(
  "--by <controller>",
  "of manifests: which controller runs batch/v1 CronJobs that are not adopted; standalone, and a controller " +
    "with --api batch/v1 alone, is cronjob-controller",
).oneOf(RUNNERS).byDefault("kube-controller-manager");
