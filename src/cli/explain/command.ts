import { Argument } from "commander";
import { command } from "../command.ts";
import { answering, ConfigError } from "../errors.ts";
import { EXPLAIN_OPTIONS } from "./options.ts";

/** Why a CronJob ran, or did not. */
export const addExplainCommand = command({
  name: "explain",
  summary: "say why a CronJob ran at a time or did not, what to do, and what comes next",
  text: `
It looks at the schedule, at Jobs and their Pods, at what the status records, at Events, and at runs that standalone or --server remembers.
What none of them shows is said to be unknown.`,
  examples: [
    ["explain nightly-report", "the newest time that has come"],
    ["explain nightly-report --at 'Mon 02:00'", "any time, also one to come"],
    ["explain nightly-report --job nightly-report-29394780", "one of its Jobs"],
    [
      "explain nightly-report -f manifests/ --at '2026-12-24 02:00'",
      "what a manifest says of a time, without a cluster",
    ],
  ],
  argument: new Argument("<name>", "of a CronJob"),
  options: EXPLAIN_OPTIONS,
  run: async (options, [name], { clock, command }) => {
    if (options.filename === undefined && command.getOptionValueSource("by") !== "default") {
      throw new ConfigError("Give --by with --filename: of a cluster, its Leases say which controller runs what");
    }
    const { runExplain } = await import("./run.ts");
    await answering(options.exitCode, () => runExplain({ ...options, name: name! }, clock));
  },
});
