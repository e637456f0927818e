import { HttpKubeClient } from "../../kube/http_client.ts";
import { RequestMetrics } from "../../kube/request_metrics.ts";
import { SystemClock } from "../../base/clock.ts";
import { Manager } from "../../runtime/manager.ts";
import { logFormatFor } from "../../telemetry/journal.ts";
import { configureLogging, loggerFor } from "../../telemetry/logging.ts";
import { Metrics } from "../../telemetry/metrics.ts";
import { connectionOf, reach } from "../cluster/connection.ts";
import { listenForDebug, listenForStop } from "../signals.ts";
import { BUILD_INFO, VERSION } from "../version.ts";
import { rateLimitOf } from "./client_options.ts";
import type { ControllerOptions } from "./controller_options.ts";
import { leaseTimingsOf } from "./leadership_options.ts";
import { receiversOf } from "./notifications.ts";
import { assertNoOtherController } from "./other_controller.ts";
import { type Material, partsOf } from "./parts.ts";
import { dropPermissions } from "./permissions.ts";

const logger = loggerFor("controller");

/** Runs the controller until a signal stops the program. */
export async function runController(given: ControllerOptions): Promise<void> {
  // Unless --api names batch/v1, another controller may run its CronJobs.
  const options = { ...given, managedOnly: given.managedOnly || given.api.length === 0 };
  const logging = configureLogging({
    level: options.logLevel,
    format: logFormatFor(options.logFormat),
    write: console.log,
  });
  using _debug = listenForDebug(() => logging.toggleDebug());
  const rateLimit = rateLimitOf(options);
  const timings = leaseTimingsOf(options);
  const clock = new SystemClock();
  const receivers = await receiversOf(options);
  using stop = listenForStop();
  const connection = await connectionOf(options);
  const metrics = new Metrics(BUILD_INFO);
  const requests = new RequestMetrics(metrics);
  await using client = HttpKubeClient.to(connection, {
    clock,
    userAgent: `cronjob-controller/${VERSION}`,
    observer: requests,
    ...rateLimit,
  });
  await reach(client, connection.server, stop.signal);
  if (stop.signal.aborted) return;
  // A token in a file is a Pod's: its roles do not allow this look, and its manifests say which controller is to run.
  if (!connection.tokenFile) await assertNoOtherController(client.named("start"), options, clock.now());

  const { server } = connection;
  const onApis: Material["onApis"] = (flavours, detail) => {
    const apis = flavours.map(({ apiVersion, adoptable }) =>
      `${apiVersion}${adoptable && options.managedOnly ? " (adopted)" : ""}`
    );
    const namespaces = options.namespace.length === 0 ? undefined : options.namespace;
    const not = detail === "" ? "" : ", but not {detail}";
    if (apis.length > 0) logger.info(`Reconciling {apis} of {server}${not}`, { apis, server, namespaces, detail });
    else logger.warn("Reconciling no CronJobs of {server}: {detail}", { server, namespaces, detail });
  };
  const manager = new Manager({ clock, graceMs: options.shutdownGrace });
  const { signal } = stop;
  const material = { connection, client, clock, metrics, requests, receivers, timings, onApis, signal };
  for (const part of await partsOf(options, material)) manager.add(part);
  const { dropped, kept } = dropPermissions(connection.needs ?? { files: "any", programs: true });
  logger.debug("Dropped permissions: {dropped}. Kept {kept}", { dropped: dropped.join(", "), kept: kept.join("; ") });
  await manager.run(signal);
}
