import { Option } from "commander";
import { command } from "../command.ts";
import { ConfigError } from "../errors.ts";
import { option, repeatable, switchOption, wholeNumber } from "../flags/options.ts";
import { byOption } from "../flags/by_option.ts";
import { CONNECTION_OPTIONS } from "../flags/connection_options.ts";
import { outputOption } from "../flags/output.ts";
import type { SimulateOptions } from "./run.ts";

/** Simulates CronJobs before they run. */
export const addSimulateCommand = command<SimulateOptions>({
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
  options: [
    repeatable("-f, --filename <path>", "manifests: a file, a directory, or - for standard input"),
    byOption(),
    switchOption("--with-cluster", "the CronJobs of the cluster too, before and after the manifests"),
    option("-n, --namespace <name>", "only those of this namespace (default: all)"),
    new Option("--day <date>", "a day such as 2026-12-24, Mon, yesterday, today or tomorrow (default: tomorrow)")
      .conflicts(["from", "to"]),
    new Option("--from <time>", "in place of a day: from a time such as 22:00, 'Mon 08:00', RFC 3339 or 2h"),
    new Option("--to <time>", "up to the first such time after --from (default: a day after it)"),
    new Option("-z, --time-zone <name>", "whose wall clock counts (default: that of most of the CronJobs)"),
    new Option("--durations <which>", "how long runs last: history (p95), p50, p95, or a length such as 30s")
      .default("history"),
    new Option("--max-starts <n>", "exit code 1 if more start in one minute").argParser(wholeNumber(0, 10_000_000)),
    new Option("--max-active <n>", "exit code 1 if more are active at once").argParser(wholeNumber(0, 10_000_000)),
    outputOption(["text", "json"]),
    switchOption("--ascii", "draw with ASCII alone"),
    ...CONNECTION_OPTIONS,
  ],
  run: async (options, _words, { clock, command }) => {
    const { withCluster, filename } = options;
    if (command.getOptionValueSource("by") !== "default" && (withCluster || filename.length === 0)) {
      throw new ConfigError("Leave --by out where a cluster is read: its Leases say which controller runs what");
    }
    await (await import("./run.ts")).runSimulate(options, clock);
  },
});
