import { Argument } from "commander";
import { STATES } from "../../view/cron_job_view.ts";
import { command } from "../command.ts";
import { answering } from "../errors.ts";
import { choiceOf } from "../flags/choice.ts";
import { STATUS_OPTIONS } from "./options.ts";

/** How CronJobs are. */
export const addStatusCommand = command({
  name: "status",
  summary: "show how CronJobs are, the worst first: since when, why, and what comes next",
  text: `
States, worst first: ${STATES.join(", ")}.
Those up to Missed need attention; Blocked and Missed only once they last for two periods, at least 5 and at most 15
minutes, or a Pod cannot start; Missed at once where the next run is further away. A run that waits in a Queue needs
none. Where there are more than 50 CronJobs, those that wait, run or have ended are counted only, unless --all, --only,
--by or names are given.`,
  examples: [
    ["status", "the CronJobs of the context's namespace, worst first"],
    ["status -A --only failing,blocked", "those of every namespace that fail or are held back"],
    ["status -A --check", "for CI and monitoring: exit code 1 if anything needs attention"],
  ],
  argument: new Argument("[names...]", "of CronJobs"),
  options: STATUS_OPTIONS,
  run: async (options, names, { clock }) => {
    const asked = choiceOf(names, options);
    const { runStatus } = await import("./run.ts");
    await answering(options.check, () => runStatus(asked, clock));
  },
});
