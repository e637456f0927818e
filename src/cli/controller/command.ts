import type { Command } from "commander";
import {
  addLogOptions,
  addOptions,
  durationMs,
  jobsOption,
  option,
  repeatable,
  switchOption,
  wholeNumber,
} from "../options.ts";
import { PER_CRON_JOB } from "../../cronjob/observer.ts";
import { apiOption, apisOf } from "../shared/api_option.ts";
import { addConnectionOptions } from "../shared/connection_options.ts";
import { addClientOptions } from "./client_options.ts";
import { addEndpointOptions } from "./endpoint_options.ts";
import { addPingOptions } from "../shared/ping_options.ts";
import { addWebhookOptions } from "./webhook_options.ts";
import { addLeadershipOptions } from "./leadership_options.ts";
import type { ControllerOptions } from "./parts.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";

const NOTES: HelpNotes = {
  examples: [
    ["controller --api batch/v1 --managed-only", "of batch/v1 alone, CronJobs that were adopted"],
    ["controller --context lab --namespace team-a --leader-elect", "one namespace, while no other replica does"],
  ],
};

/** The command line as it is parsed. */
interface Given extends Omit<ControllerOptions, "namespaces" | "apis"> {
  readonly api: readonly string[];
  readonly namespace: readonly string[];
}

/** Adds `controller`, which reconciles the CronJobs of a cluster. */
export function addControllerCommand(program: Command): void {
  const command = addOptions(
    addHelpNotes(addConnectionOptions(program.command("controller")), NOTES)
      .summary("reconcile the CronJobs of a cluster")
      .description(
        "Reconciles the CronJobs of the cluster that a kubeconfig names or, in a Pod, of the cluster that it runs in.",
      ),
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
    )
      .argParser(wholeNumber(1, 10_000)).default(50),
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
    switchOption(
      "--default-never-twice",
      "the same for CronJobs that say nothing about it; implies --never-twice",
    ),
    jobsOption("off"),
  );
  addEndpointOptions(command)
    .addOption(
      option(
        "--per-cronjob-metrics <level>",
        "what /metrics shows of each CronJob; essential: its next run, its last success, and whatever is not as usual",
      ).choices(PER_CRON_JOB).default("essential"),
    );
  addLeadershipOptions(command);
  addClientOptions(command).addOption(
    option("--shutdown-grace <seconds|duration>", "how long ending in order may take")
      .argParser(durationMs(1_000, 3_600_000)).default(10_000, "10s"),
  );
  addPingOptions(addWebhookOptions(command));
  addLogOptions(command).action(async ({ api, namespace: namespaces, ...options }: Given) => {
    const { runController } = await import("./run.ts");
    const managedOnly = options.managedOnly || api.length === 0;
    await runController({ ...options, managedOnly, namespaces, apis: apisOf(api) });
  });
}
