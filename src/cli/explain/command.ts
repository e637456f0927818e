import { Argument, Option } from "commander";
import { command } from "../command.ts";
import { answering, ConfigError } from "../errors.ts";
import { switchOption } from "../flags/options.ts";
import { byOption } from "../flags/by_option.ts";
import { ONE } from "../flags/choice.ts";
import { HISTORY_SERVER_OPTIONS } from "../flags/history_server_options.ts";
import { outputOption } from "../flags/output.ts";
import type { ExplainOptions } from "./run.ts";

/** Why a CronJob ran, or did not. */
export const addExplainCommand = command<Omit<ExplainOptions, "name">>({
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
  options: [
    ...ONE,
    new Option(
      "--at <time>",
      "a time such as 02:00, 'tomorrow 02:00', '2026-11-21 02:00' in its zone or RFC 3339; '2h ago' or 'in 2h': the " +
        "scheduled time next to that; yesterday or 'last friday': the first of that day",
    ).conflicts("job"),
    new Option("--job <name>", "one of its Jobs").conflicts("filename"),
    new Option("-f, --filename <path>", "read it from manifests in place of a cluster"),
    ...HISTORY_SERVER_OPTIONS,
    byOption(),
    outputOption(["text", "json"]),
    switchOption("--exit-code", "exit code 1 if it did not run, or failed; 2 if there was no answer"),
  ],
  run: async (options, [name], { clock, command }) => {
    if (options.filename === undefined && command.getOptionValueSource("by") !== "default") {
      throw new ConfigError("Give --by with --filename: of a cluster, its Leases say which controller runs what");
    }
    const { runExplain } = await import("./run.ts");
    await answering(options.exitCode, () => runExplain({ ...options, name: name! }, clock));
  },
});
