import type { Command } from "commander";
import { InvalidArgumentError } from "commander";
import { BATCH, type CronJobApi, TUTORIAL } from "../cronjob/api.ts";
import { createCronJobController } from "../cronjob/controller.ts";
import { createJobController } from "../job/controller.ts";
import type { KubeClient } from "../kube/client.ts";
import { ConnectionConfigError, loadConnection } from "../kube/connection.ts";
import { createKubeClient } from "../kube/http_client.ts";
import { apiVersionOf } from "../kube/resource.ts";
import { SystemClock } from "../runtime/clock.ts";
import { Manager } from "../runtime/manager.ts";
import { CronJobMetrics } from "../telemetry/cronjob_metrics.ts";
import { JobMetrics } from "../telemetry/job_metrics.ts";
import { configureLogging, loggerFor } from "../telemetry/logging.ts";
import { Metrics } from "../telemetry/metrics.ts";
import { addEndpointOptions, type EndpointOptions, openEndpoints } from "./endpoints.ts";
import { ConfigError } from "./errors.ts";
import { addLeadershipOptions, leadershipOf, type LeadershipOptions } from "./leadership.ts";
import {
  addLogOptions,
  type JobsOption,
  jobsOption,
  type LogOptions,
  option,
  repeatable,
  switchOption,
  valuesOf,
  wholeNumber,
} from "./options.ts";
import { recordersOf } from "./recorders.ts";
import { listenForStop } from "./signals.ts";
import { VERSION } from "./version.ts";

interface ControllerOptions extends LogOptions, EndpointOptions, LeadershipOptions {
  kubeconfig?: string;
  context?: string;
  concurrentSyncs: number;
  annotateNextRun: boolean;
  jobs: JobsOption;
  perCronjobMetrics: boolean;
}

/** The first is the default. */
const CRON_JOB_APIS: readonly CronJobApi[] = [TUTORIAL, BATCH];

const logger = loggerFor("controller");

/** How long the first request may take before the server counts as unreachable. */
const REACH_TIMEOUT_MS = 10_000;

export function addControllerCommand(program: Command): void {
  const command = program.command("controller")
    .summary("reconcile the CronJobs of a cluster")
    .description(
      "Reconciles the CronJobs of the cluster that a kubeconfig names or, in a Pod, of the cluster that it runs in.",
    )
    .addOption(
      option(
        "--kubeconfig <file>",
        "how to reach the cluster (default: the Pod's service account, else $KUBECONFIG, else ~/.kube/config)",
      ),
    )
    .addOption(option("--context <name>", "a context of the kubeconfig (default: its current one)"))
    .addOption(repeatable("--namespace <name>", "only CronJobs of this namespace; none given: all"))
    .addOption(
      repeatable("--api <apiVersion>", `whose CronJobs: ${apiVersions()}; none given: ${nameOf(CRON_JOB_APIS[0])}`)
        .argParser<string[]>((value, previous) => [...previous ?? [], ...value.split(",").map(knownApi)]),
    )
    .addOption(
      option("--concurrent-syncs <n>", "CronJobs worked on at the same time").argParser(wholeNumber(1, 10_000)).default(
        1000,
      ),
    )
    .addOption(
      switchOption(
        "--annotate-next-run",
        "keep the next run of batch/v1 CronJobs in the annotation cronjob-controller.dev/next-schedule-time",
      ),
    )
    .addOption(jobsOption("off"));
  addEndpointOptions(command)
    .addOption(
      switchOption("--per-cronjob-metrics", "whether /metrics tells about each CronJob", true),
    );
  addLeadershipOptions(command);
  addLogOptions(command).action((options: ControllerOptions) =>
    runController(options, valuesOf(command, "namespace"), valuesOf(command, "api"))
  );
}

async function runController(options: ControllerOptions, namespaces: string[], apiNames: string[]): Promise<void> {
  await configureLogging({ level: options.logLevel, format: options.logFormat, write: console.log });
  const clock = new SystemClock();
  using stop = listenForStop();
  const connection = await connectionOf(options);
  const metrics = new Metrics();
  await using client = createKubeClient(connection, {
    clock,
    userAgent: `cronjob-controller/${VERSION}`,
    observer: metrics.requests,
  });
  await assertReachable(client, connection.server);

  const manager = new Manager({ clock });
  // First: they tell the truth until the last part has stopped.
  for (const endpoint of openEndpoints(options, { metrics, checks: () => leadership.checks() })) manager.add(endpoint);
  // Before the leadership: what is said at its end is still written.
  const recorderFor = recordersOf(manager, { client, clock });
  const recorder = recorderFor("cronjob-controller");
  const jobRecorder = recorderFor("job-controller");
  const leadership = leadershipOf(options, {
    manager,
    client,
    clock,
    recorder,
    namespace: connection.namespace,
    onChange: metrics.leadership(options.leaderElectionId),
  });
  const common = { client: leadership.client, clock, namespaces, controllerObserver: metrics.controllers };
  if (options.jobs !== "off") {
    const observer = new JobMetrics(metrics.registry);
    leadership.start(createJobController({ ...common, recorder: jobRecorder, mode: options.jobs, observer }));
  }
  const observer = new CronJobMetrics(metrics.registry, { perCronJob: options.perCronjobMetrics });
  for (const api of apisNamed(apiNames)) {
    const { concurrentSyncs, annotateNextRun } = options;
    leadership.start(createCronJobController({ ...common, recorder, observer, api, concurrentSyncs, annotateNextRun }));
  }
  logger.info("Reconciling {apis} of {server}", {
    apis: apisNamed(apiNames).map(nameOf),
    server: connection.server,
    namespaces,
  });
  await manager.run(stop.signal);
}

async function connectionOf({ kubeconfig, context }: ControllerOptions) {
  try {
    return await loadConnection({ kubeconfig, context });
  } catch (error) {
    if (error instanceof ConnectionConfigError) throw new ConfigError(error.message, { cause: error });
    throw error;
  }
}

async function assertReachable(client: KubeClient, server: string): Promise<void> {
  try {
    const response = await client.raw("/version", { signal: AbortSignal.timeout(REACH_TIMEOUT_MS) });
    await response.body?.cancel();
  } catch (error) {
    const reason = (error as Error).message.split("\n")[0];
    throw new Error(`Cannot reach the API server ${server}: ${reason}`, { cause: error });
  }
}

function apisNamed(names: readonly string[]): CronJobApi[] {
  if (names.length === 0) return [CRON_JOB_APIS[0]];
  return CRON_JOB_APIS.filter((api) => names.includes(nameOf(api)));
}

function knownApi(apiVersion: string): string {
  if (CRON_JOB_APIS.some((api) => nameOf(api) === apiVersion)) return apiVersion;
  throw new InvalidArgumentError(`must be one of ${apiVersions()}.`);
}

function apiVersions(): string {
  return CRON_JOB_APIS.map(nameOf).join(", ");
}

function nameOf({ resource }: CronJobApi): string {
  return apiVersionOf(resource);
}
