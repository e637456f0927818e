import { command } from "../command.ts";
import { ConfigError } from "../errors.ts";
import { SIMULATE_OPTIONS } from "./options.ts";

/** Simulates CronJobs before they run. */
export const addSimulateCommand = command({
  name: "simulate",
  summary: "show what CronJobs will do: when many start or are active, what they request, what is skipped",
  text: `
Each CronJob is decided on by the functions that the controller decides by; every run succeeds, and lasts as long as 95 % of
its runs lasted so far. What cannot be known, such as for new CronJobs, is assumed to last a minute.

CronJobs of a cluster go on from where they are, and those of manifests begin now. A span that begins before now, or more than
a week from now, is looked at as if all of them had been created a day before it.`,
  examples: [
    ["simulate -f manifests/ --day tomorrow", "what these do in a day, without a cluster"],
    [
      "simulate -f manifests/ --with-cluster --max-starts 100",
      "what becomes of the cluster's load once they are applied; for CI",
    ],
    ["simulate --from 22:00 --to 'Mon 06:00'", "what a cluster will do until Monday morning"],
  ],
  options: SIMULATE_OPTIONS,
  run: async (options, _words, { clock, command }) => {
    const { withCluster, filename } = options;
    if (command.getOptionValueSource("by") !== "default" && (withCluster || filename.length === 0)) {
      throw new ConfigError("Leave --by out where a cluster is read: its Leases say which controller runs what");
    }
    await (await import("./run.ts")).runSimulate(options, clock);
  },
});
