import { Argument } from "commander";
import { command } from "../command.ts";
import { switchOption } from "../flags/options.ts";
import { TARGETS, targetsOf } from "../flags/choice.ts";

/** CronJobs that this program is to run in kube-controller-manager's place. */
export const addAdoptCommand = command({
  name: "adopt",
  summary: "run batch/v1 CronJobs in kube-controller-manager's place",
  text: `
It prints and makes the edits. To kube-controller-manager an adopted CronJob is suspended, so it starts nothing; "controller
--api batch/v1 --managed-only" runs it. Its own pause is the annotation cronjob-controller.dev/suspend: "true", which one that
was suspended gets. Jobs that run go on, and are taken over. That a controller is there is seen by its Lease. Adopting what is
adopted changes nothing; release undoes it.`,
  examples: [
    ["adopt nightly-report --dry-run", "what would change, without changing it"],
    ["adopt --all --namespace team-a", "every CronJob of a namespace"],
  ],
  argument: new Argument("[names...]", "of batch/v1 CronJobs"),
  options: [
    ...TARGETS,
    switchOption("--force", "also where no controller is to be seen that would run what is adopted"),
  ],
  run: async (options, names, { clock }) => (await import("./run.ts")).runAdopt(targetsOf(names, options), clock),
});
