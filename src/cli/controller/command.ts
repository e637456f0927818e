import { command } from "../command.ts";
import { CONTROLLER_OPTIONS } from "./controller_options.ts";

/** Reconciles the CronJobs of a cluster. */
export const addControllerCommand = command({
  name: "controller",
  summary: "reconcile the CronJobs of the cluster that a kubeconfig names, or that this Pod runs in",
  examples: [
    ["controller --api batch/v1 --managed-only", "of batch/v1 alone, CronJobs that were adopted"],
    ["controller --context lab --namespace team-a --leader-elect", "one namespace, while no other replica does"],
  ],
  options: CONTROLLER_OPTIONS,
  run: async (options) => (await import("./run.ts")).runController(options),
});
