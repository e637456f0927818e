import { writeServes } from "../../cronjob/api/serves.ts";
import { CronJobController } from "../../cronjob/controller.ts";
import { CronJobMetrics } from "../../cronjob/metrics.ts";
import type { WaitOf } from "../../cronjob/writes.ts";
import { JobController } from "../../job/controller.ts";
import { JobMetrics } from "../../job/metrics.ts";
import { HttpKubeClient } from "../../kube/http_client.ts";
import { RequestMetrics } from "../../kube/request_metrics.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { SystemClock } from "../../base/clock.ts";
import { leadershipOf } from "../../runtime/leadership.ts";
import { Manager } from "../../runtime/manager.ts";
import { QueueMetrics } from "../../runtime/queue_metrics.ts";
import { logFormatFor } from "../../telemetry/journal.ts";
import { configureLogging, loggerFor } from "../../telemetry/logging.ts";
import { Metrics } from "../../telemetry/metrics.ts";
import type { JobsOption, LogOptions } from "../options.ts";
import { askVersion, connectionOf } from "../shared/connection.ts";
import type { ConnectionOptions } from "../shared/connection_options.ts";
import { jobCachesFor } from "../shared/job_caches.ts";
import type { PingOptions } from "../shared/ping_options.ts";
import { recordersOf } from "../shared/recorders.ts";
import { listenForDebug, listenForStop } from "../signals.ts";
import { BUILD_INFO, VERSION } from "../version.ts";
import { type ClientOptions, rateLimitOf } from "./client_options.ts";
import { openDashboard } from "./dashboard.ts";
import type { EndpointOptions } from "./endpoint_options.ts";
import { openEndpoints } from "./endpoints.ts";
import { type LeadershipOptions, leaseNameOf, leaseTimingsOf } from "./leadership_options.ts";
import { addNotifications, receiversOf } from "./notifications.ts";
import { assertNoOtherController, type ForceOptions } from "./other_controller.ts";
import { dropPermissions } from "./permissions.ts";
import type { WebhookOptions } from "./webhook_options.ts";

const logger = loggerFor("controller");

/** What the command line of `controller` says. */
export interface ControllerOptions
  extends
    LogOptions,
    ConnectionOptions,
    EndpointOptions,
    LeadershipOptions,
    ClientOptions,
    WebhookOptions,
    PingOptions,
    ForceOptions {
  /** None: all. */
  namespaces: readonly string[];
  concurrentSyncs: number;
  annotateNextRun: boolean;
  pendingTimeouts: boolean;
  /** Milliseconds; undefined for none. */
  defaultPendingTimeout?: number;
  jobs: JobsOption;
  perCronjobMetrics: boolean;
  /** Milliseconds. */
  shutdownGrace: number;
}

/** Returns how long the parts may take to end, one after the other; there are two that send Events. */
function sharesOf(graceMs: number): { workMs: number; releaseMs: number; eventsMs: number } {
  return { workMs: graceMs / 2, releaseMs: Math.min(2_000, graceMs / 5), eventsMs: Math.min(2_000, graceMs / 10) };
}

/** Runs until it is asked to stop. */
export async function runController(options: ControllerOptions): Promise<void> {
  const logging = configureLogging({
    level: options.logLevel,
    format: logFormatFor(options.logFormat),
    write: console.log,
  });
  using _debug = listenForDebug(() => logging.toggleDebug());
  const { apis, namespaces, shutdownGrace } = options;
  const rateLimit = rateLimitOf(options);
  const timings = leaseTimingsOf(options);
  const clock = new SystemClock();
  const receivers = await receiversOf(options);
  using stop = listenForStop();
  const connection = await connectionOf(options);
  const metrics = new Metrics(BUILD_INFO);
  await using client = HttpKubeClient.to(connection, {
    clock,
    userAgent: `cronjob-controller/${VERSION}`,
    observer: new RequestMetrics(metrics),
    ...rateLimit,
  });
  await askVersion(client, connection.server, stop.signal);
  if (stop.signal.aborted) return;
  // In a Pod, where tokens are files, the one who installed it has said which it is, and its roles do not reach that far.
  if (!connection.tokenFile) await assertNoOtherController(client.named("start"), options, clock.now());

  const manager = new Manager({ clock, graceMs: shutdownGrace });
  const grace = sharesOf(shutdownGrace);
  // First: they must be right until the last part has stopped.
  const endpoints = openEndpoints(options, { clock, metrics, checks: () => leadership.checks() });
  for (const endpoint of endpoints) manager.add(endpoint);
  const dashboard = await openDashboard(options, {
    connection,
    clock,
    isBusy: () => caches.ofCronJobs.hold?.isHeld ?? false,
  });
  if (dashboard) manager.add(dashboard);
  // Before the leadership: what is said at its end is still written.
  const recorderFor = recordersOf(manager, { client, clock, metrics, drainMs: grace.eventsMs });
  const recorder = recorderFor("cronjob-controller");
  const jobRecorder = recorderFor("job-controller");
  const lease = leaseNameOf(options, connection.namespace);
  const serves = {
    apis: apis.map(({ resource }) => apiVersionOf(resource)),
    managedOnly: options.managedOnly,
    namespaces,
  };
  const annotationsFor = (identity: string) => writeServes(serves, identity);
  const leadership = leadershipOf(lease && { ...lease, ...timings, releaseMs: grace.releaseMs, annotationsFor }, {
    manager,
    client,
    clock,
    recorder,
    onChange: metrics.leadership(options.leaderElectionId),
  });
  const { client: leader, leading } = leadership;
  const controllerObserver = new QueueMetrics(metrics);
  const common = { client: leader, leading, clock, namespaces, controllerObserver, drainMs: grace.workMs };
  const caches = jobCachesFor({ client: leader, clock, namespaces, flavours: apis, runsJobs: options.jobs !== "off" });
  let waitOf: WaitOf | undefined;
  if (caches.ofJobs && options.jobs !== "off") {
    const observer = new JobMetrics(metrics.registry);
    const own = { recorder: jobRecorder, jobs: caches.ofJobs, mode: options.jobs, observer };
    const jobController = new JobController({ ...common, ...own });
    leadership.start(jobController);
    waitOf = (job) => jobController.waitOf(job);
  }
  const observer = new CronJobMetrics(metrics, { perCronJob: options.perCronjobMetrics, now: () => clock.now() });
  const { defaultPendingTimeout: defaultMs } = options;
  const pendingTimeouts = options.pendingTimeouts || defaultMs !== undefined ? { defaultMs } : undefined;
  const followed: CronJobController[] = [];
  const jobs = caches.ofCronJobs;
  const notifying = { leadership, clock, metrics, jobs, followed, controllerObserver, drainMs: grace.workMs };
  const onRun = addNotifications(options, receivers, notifying);
  for (const flavour of apis) {
    const { concurrentSyncs, managedOnly, annotateNextRun } = options;
    const own = { jobs, onRun, concurrentSyncs, managedOnly, annotateNextRun, pendingTimeouts, waitOf };
    const controller = new CronJobController({ ...common, recorder, observer, flavour, ...own });
    followed.push(controller);
    leadership.start(controller);
  }
  logger.info("Reconciling {apis} of {server}", {
    apis: serves.apis,
    server: connection.server,
    namespaces: namespaces.length === 0 ? undefined : namespaces,
  });
  const { dropped, kept } = dropPermissions(connection.needs ?? { files: "any", programs: true });
  logger.debug("Dropped permissions: {dropped}. Kept {kept}", { dropped: dropped.join(", "), kept: kept.join("; ") });
  await manager.run(stop.signal);
}
