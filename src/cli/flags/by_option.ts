import { Option } from "commander";
import type { BatchRunner } from "../../view/runner.ts";

export interface ByOption {
  readonly by: BatchRunner;
}

/** `--by`, of commands that read manifests without a cluster. */
export function byOption(): Option {
  const names: readonly BatchRunner[] = ["kube-controller-manager", "cronjob-controller"];
  const what =
    "of manifests: which controller runs batch/v1 CronJobs that are not adopted; standalone, and a controller " +
    "with --api batch/v1 alone, is cronjob-controller";
  return new Option("--by <controller>", what).choices(names).default("kube-controller-manager");
}
