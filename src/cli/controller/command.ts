import { command } from "../command.ts";
import {
  durationMs,
  jobsOption,
  LOG_OPTIONS,
  option,
  repeatable,
  switchOption,
  wholeNumber,
} from "../flags/options.ts";
import { PER_CRON_JOB } from "../../cronjob/observer.ts";
import { apiOption, apisOf } from "../flags/api_option.ts";
import { CONNECTION_OPTIONS } from "../flags/connection_options.ts";
import { PING_OPTIONS } from "../flags/receiver_options.ts";
import { CLIENT_OPTIONS } from "./client_options.ts";
import { ENDPOINT_OPTIONS } from "./endpoint_options.ts";
import { HISTORY_OPTIONS } from "./history_options.ts";
import { LEADERSHIP_OPTIONS } from "./leadership_options.ts";
import type { ControllerOptions } from "./parts.ts";
import { WEBHOOK_OPTIONS } from "./webhook_options.ts";

/** The command line as it is parsed. */
interface Given extends Omit<ControllerOptions, "namespaces" | "apis"> {
  readonly api: readonly string[];
  readonly namespace: readonly string[];
}

/** Reconciles the CronJobs of a cluster. */
export const addControllerCommand = command<Given>({
  name: "controller",
  summary: "reconcile the CronJobs of the cluster that a kubeconfig names, or that this Pod runs in",
  examples: [
    ["controller --api batch/v1 --managed-only", "of batch/v1 alone, CronJobs that were adopted"],
    ["controller --context lab --namespace team-a --leader-elect", "one namespace, while no other replica does"],
  ],
  options: [
    ...CONNECTION_OPTIONS,
    repeatable("--namespace <name>", "only CronJobs of this namespace; none given: all"),
    apiOption({ otherwise: "those that the cluster has and this may watch, and of batch/v1 the adopted ones" }),
    switchOption(
      "--managed-only",
      'of batch/v1, only CronJobs that were adopted: those with the annotation cronjob-controller.dev/managed: "true"',
    ),
    switchOption(
      "--force",
      "of batch/v1, run every CronJob although kube-controller-manager is at work: its own CronJob controller is off",
    ),
    option(
      "--concurrent-syncs <n>",
      "CronJobs settled at the same time, by turns of namespaces; runs that are due start before that, and slow ones come on top",
    ).argParser(wholeNumber(1, 10_000)).default(50),
    switchOption(
      "--annotate-next-run",
      "keep the next run of batch/v1 CronJobs in the annotation cronjob-controller.dev/next-schedule-time",
    ),
    option(
      "--default-pending-timeout <seconds|duration>",
      "the pendingTimeoutSeconds of CronJobs that say nothing about it, where their API has no default",
    ).argParser(durationMs(1_000, 30 * 86_400_000)),
    switchOption(
      "--never-twice",
      "keep the names of Jobs taken where their CronJob says neverTwice, by a finalizer that goes within a minute",
    ),
    switchOption("--default-never-twice", "the same for CronJobs that say nothing about it; implies --never-twice"),
    jobsOption("off"),
    ...ENDPOINT_OPTIONS,
    option(
      "--per-cronjob-metrics <level>",
      "what /metrics shows of each CronJob; essential: its next run, its last success, and whatever is not as usual",
    ).choices(PER_CRON_JOB).default("essential"),
    ...HISTORY_OPTIONS,
    ...LEADERSHIP_OPTIONS,
    ...CLIENT_OPTIONS,
    option("--shutdown-grace <seconds|duration>", "how long ending in order may take")
      .argParser(durationMs(1_000, 3_600_000)).default(10_000, "10s"),
    ...WEBHOOK_OPTIONS,
    ...PING_OPTIONS,
    ...LOG_OPTIONS,
  ],
  run: async ({ api, namespace: namespaces, ...options }) => {
    const { runController } = await import("./run.ts");
    const managedOnly = options.managedOnly || api.length === 0;
    await runController({ ...options, managedOnly, namespaces, apis: apisOf(api) });
  },
});
