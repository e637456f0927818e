import { type Flavour, FLAVOURS } from "../../cronjob/api/flavour.ts";
import { writeServes } from "../../cronjob/api/serves.ts";
import { CronJobController } from "../../cronjob/controller.ts";
import type { RunEvent } from "../../cronjob/reporter.ts";
import { holdMsOf } from "../../cronjob/decision/name_hold.ts";
import { CronJobMetrics } from "../../cronjob/metrics.ts";
import { NameKeeper } from "../../cronjob/name_keeper.ts";
import { JobMetrics } from "../../job/metrics.ts";
import type { ConnectionConfig } from "../../kube/connection_config.ts";
import type { HttpKubeClient } from "../../kube/http_client.ts";
import type { ServingProgram } from "../../dashboard/rows/row_feed.ts";
import type { RequestMetrics } from "../../kube/request_metrics.ts";
import type { Clock } from "../../base/clock.ts";
import type { LeaseTimings } from "../../runtime/lease.ts";
import { leadershipOf } from "../../runtime/leadership.ts";
import { QueueMetrics } from "../../runtime/queue_metrics.ts";
import type { Runnable } from "../../runtime/runnable.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { jobPartsOf } from "../shared/job_caches.ts";
import { recorderOf } from "../shared/recorders.ts";
import type { ControllerOptions } from "./controller_options.ts";
import { openDashboard } from "./dashboard.ts";
import { openEndpoints } from "./endpoints.ts";
import { openHistory, peersOf } from "./history.ts";
import { leaseNameOf } from "./leadership_options.ts";
import { type Receivers, startNotifications } from "./notifications.ts";
import { ServedApis } from "./served_apis.ts";

/** The parts are made of these, and of the flags. */
export interface Material {
  readonly connection: ConnectionConfig;
  readonly client: HttpKubeClient;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly requests: RequestMetrics;
  readonly receivers: Receivers;
  readonly timings: LeaseTimings;
  /** Called with the APIs whose CronJobs are run, and a sentence on the others, once and after each change. */
  readonly onApis: (apis: readonly Flavour[], detail: string) => void;
  /** Aborted when the end was asked for. */
  readonly signal: AbortSignal;
}

/** Returns how long the parts may take to end, one after the other; there are two that send Events. */
function sharesOf(graceMs: number): { workMs: number; releaseMs: number; eventsMs: number } {
  return { workMs: graceMs / 2, releaseMs: Math.min(2_000, graceMs / 5), eventsMs: Math.min(2_000, graceMs / 10) };
}

const API_SERVER_LIMITS = "The API server refuses requests of this controller as too many: runs may start late";
/** It is shown for so long after the last refusal. */
const SHOWN_MS = 60_000;

/** Returns the parts of `controller`. Each starts once those before it are ready; they stop in reverse. */
export async function partsOf(
  options: ControllerOptions,
  { connection, client, clock, metrics, requests, receivers, timings, onApis, signal }: Material,
): Promise<Runnable[]> {
  const { namespace: namespaces, api: named, managedOnly } = options;
  const { workMs: drainMs, releaseMs, eventsMs } = sharesOf(options.shutdownGrace);
  const events = { client, clock, metrics, drainMs: eventsMs };
  const recorder = recorderOf("cronjob-controller", events);
  const jobRecorder = recorderOf("job-controller", events);
  const followed: CronJobController[] = [];
  const annotationsFor = (identity: string) => {
    const apis = followed.map(({ flavour }) => flavour.apiVersion);
    return writeServes({ apis, managedOnly, namespaces }, identity);
  };
  const lease = leaseNameOf(options, connection.namespace);
  const onChange = metrics.leadership(options.leaderElectionId);
  const leadership = leadershipOf(lease && { ...lease, ...timings, releaseMs, annotationsFor }, {
    client,
    clock,
    recorder,
    onChange,
  });
  const { client: leader, leading, checks } = leadership;
  const flavours = named.length > 0 ? named : FLAVOURS;
  const controllerObserver = new QueueMetrics(metrics);
  const common = { client: leader, leading, clock, namespaces, controllerObserver, drainMs };
  const { jobController, known } = jobPartsOf({
    ...common,
    flavours,
    mode: options.jobs,
    recorder: jobRecorder,
    observer: options.jobs === "off" ? undefined : new JobMetrics(metrics.registry),
  });
  const { jobs } = known;
  if (jobController) leadership.start(jobController);
  const notifying = { leadership, clock, metrics, jobs, followed, controllerObserver, drainMs };
  const notifications = startNotifications(options, receivers, notifying);
  const { onTroubles } = notifications;
  const peers = await peersOf(options, { connection, clock });
  const history = await openHistory(options, { clock, jobs, peers });
  const onRun = (event: RunEvent) => {
    notifications.onRun(event);
    history?.takeEvent(event);
  };
  const observer = new CronJobMetrics(metrics, { perCronJob: options.perCronjobMetrics, now: () => clock.now() });
  const settings = cronJobSettings(options);
  const start = (flavour: Flavour) => {
    const own = { ...known, recorder, observer, flavour, onRun, onTroubles };
    const controller = new CronJobController({ ...common, ...settings, ...own });
    followed.push(controller);
    const keeping = history?.follow(controller.cronJobs);
    const parts = [controller, ...notifications.partsFor(controller)];
    for (const part of parts) leadership.start(part);
    return {
      get isFollowing() {
        return controller.cronJobs.error === undefined;
      },
      async stop() {
        followed.splice(followed.indexOf(controller), 1);
        keeping?.[Symbol.dispose]();
        await Promise.all(parts.map((part) => leadership.stop(part)));
      },
    };
  };
  const discovery = { client: client.named("discovery"), clock, namespaces, named };
  const apis = new ServedApis({ ...discovery, start, onChange: onApis });
  await apis.look(signal);
  leadership.start(apis);
  const holdMs = holdMsOf(lease && timings);
  leadership.start(new NameKeeper({ ...common, jobs, controllers: followed, holdMs }));
  const program: ServingProgram = {
    get isBusy() {
      return jobs.hold?.isHeld ?? false;
    },
    get headlines() {
      return requests.pausedUntil > clock.monotonic() - SHOWN_MS ? [API_SERVER_LIMITS] : [];
    },
  };
  const dashboard = await openDashboard(options, { connection, clock, program, archive: history });
  return [
    // They must be right until the last part has stopped.
    ...openEndpoints(options, { clock, metrics, checks }),
    // The dashboard reads it.
    ...history ? [history] : [],
    ...dashboard ? [dashboard] : [],
    // An Event of the leadership's end is still written.
    recorder,
    jobRecorder,
    ...leadership.parts,
  ];
}

function cronJobSettings(options: ControllerOptions) {
  const { concurrentSyncs, managedOnly, annotateNextRun, defaultPendingTimeout: defaultPendingTimeoutMs } = options;
  const neverTwice = options.neverTwice || options.defaultNeverTwice
    ? { byDefault: options.defaultNeverTwice }
    : undefined;
  return { concurrentSyncs, managedOnly, annotateNextRun, defaultPendingTimeoutMs, neverTwice };
}
