import type { ManifestObject } from "../../applied_files/source.ts";
import type { Page } from "../../apiserver/api.ts";
import { type ApiServer, type ServerController, startApiServer } from "../../apiserver/server.ts";
import { dataDirPaths } from "../../apiserver/storage/data_dir.ts";
import { DEFINED_FLAVOURS, definitionOf } from "../../cronjob/api/crd.ts";
import { type Flavour, FLAVOURS } from "../../cronjob/api/flavour.ts";
import { HttpKubeClient } from "../../kube/http_client.ts";
import { whoWeAre } from "../../kubelet/process/refusal.ts";
import { PodLogFiles } from "../../kubelet/files/pod_log_files.ts";
import { PodSessions } from "../../kubelet/pod_sessions.ts";
import { RunArchive } from "../../run_archive/archive.ts";
import { historyPage } from "../../run_archive/pages.ts";
import { aborted } from "../../base/abort.ts";
import { SystemClock } from "../../base/clock.ts";
import { Manager } from "../../runtime/manager.ts";
import { memoryRelease } from "../../runtime/release_memory.ts";
import type { Runnable } from "../../runtime/runnable.ts";
import { logFormatFor } from "../../telemetry/journal.ts";
import { configureLogging, loggerFor } from "../../telemetry/logging.ts";
import { FlagError } from "../errors.ts";
import { defaultDataDir, prepareDataDir, temporaryDataDir } from "../shared/data_dir.ts";
import { pingServerOf } from "../flags/receiver_options.ts";
import { listenForDebug, listenForStop } from "../signals.ts";
import { VERSION } from "../version.ts";
import { applyManifests, type Manifest, readManifestsToApply } from "./apply.ts";
import { runtimesFor } from "./container_runtimes.ts";
import { cronJobAdvice, cronJobChecks } from "./cron_job_rules.ts";
import { controllersOf } from "./controllers.ts";
import { logConsole, stampFor, textConsole } from "./console.ts";
import { openDashboard } from "./dashboard.ts";
import { followSources, sourcesOf } from "./files.ts";
import { greeting } from "./greeting.ts";
import { claimLease } from "./lease.ts";
import { readTimeZone, timeZoneDefaults } from "./time_zone.ts";
import { openLogFile } from "./log_file.ts";
import { refusalReasons } from "./refusal_reasons.ts";
import type { ControllerName, StandaloneOptions } from "./standalone_options.ts";
import { serviceManagerOf } from "./service_manager.ts";

const logger = loggerFor("standalone");

/** Controllers that a cluster's own CronJobs and Jobs don't need. */
const SERVER_CONTROLLERS: readonly ServerController[] = ["gc", "serviceaccount", "root-ca-cert-publisher"];

/** Runs until it is asked to stop. */
export async function runStandalone(options: StandaloneOptions): Promise<void> {
  using logFile = options.logFile === undefined ? undefined : openLogFile(options.logFile);
  const print = (line: string) => logFile ? logFile.write(line) : console.log(line);
  const zone = options.timeZone === undefined ? undefined : readTimeZone(options.timeZone);
  // The console and containers show the same wall clock as schedules mean.
  if (zone !== undefined) Deno.env.set("TZ", zone);
  const format = logFormatFor(options.logFormat);
  const asText = format !== "json";
  // The console reports runs in its own words.
  const quiet = asText && options.logLevel === "info" ? ["cronjob", "job"] : [];
  const logging = configureLogging({ level: options.logLevel, format, write: print, quiet });
  using _debug = listenForDebug(() => logging.toggleDebug());
  if (options.ephemeral && options.onStop === "leave") {
    throw new FlagError("--on-stop leave needs a data dir that stays, and --ephemeral keeps none");
  }
  const clock = new SystemClock();
  const runtimes = await runtimesFor(options, { clock, timeZone: zone });
  using stop = listenForStop();
  const manifests = {
    always: await readManifestsToApply(options.apply),
    once: await readManifestsToApply(options.applyOnce),
  };
  const pingServer = await pingServerOf(options);
  await using temporary = options.ephemeral && !options.dataDir ? await temporaryDataDir() : undefined;
  const dataDir = temporary?.dataDir ?? options.dataDir ?? defaultDataDir();
  await using prepared = await prepareDataDir(dataDir);
  // Pods of objects that are kept are none of an ephemeral run's business.
  const podsDir = options.ephemeral ? `${dataDir}/ephemeral` : dataDir;
  const toApply = [...prepared.isNew || options.ephemeral ? manifests.once : [], ...manifests.always];
  const has = (name: ControllerName) => options.controllers.includes(name);

  const podLogs = new PodLogFiles({ dataDir: podsDir, clock });
  const podSessions = new PodSessions();
  let ready = false;
  let history: Page = () => undefined;
  await using server = await startApiServer({
    dataDir,
    port: options.port,
    clock,
    controllers: SERVER_CONTROLLERS.filter(has),
    podLogs,
    podSessions,
    ephemeral: options.ephemeral,
    tokenFile: options.tokenFile,
    auditLogPath: options.auditLogPath,
    isReady: () => ready,
    pages: { history: (request) => history(request) },
    advice: cronJobAdvice(FLAVOURS, has("kubelet") ? { runtime: runtimes.allowed[0], self: whoWeAre() } : undefined),
    checks: cronJobChecks(DEFINED_FLAVOURS),
    defaults: zone === undefined ? undefined : timeZoneDefaults(zone),
  });
  await using client = HttpKubeClient.to(
    { server: server.url, caCertificates: [server.caCertificate], token: server.token },
    { clock, userAgent: `cronjob-controller/${VERSION}` },
  );
  using archive = new RunArchive({
    database: options.ephemeral ? ":memory:" : dataDirPaths(dataDir).database,
    folder: `${podsDir}/logs`,
    clock,
    limits: { runsMs: options.keepRuns, logBytes: options.keepLogs },
  });
  history = historyPage(archive);
  const applying = client.named("apply");
  await applyManifests(applying, [...definitionsFor(options, toApply), ...toApply], refusalReasons(clock));
  const sources = await sourcesOf(options, { clock, zone });
  const say = asText ? textConsole(stampFor(format, clock), print) : logConsole();
  const following = await followSources(sources, { client: applying, clock, report: say.files });
  if (options.ephemeral) prepared.keep();
  else await prepared.markUsed();
  await claimLease(applying, { clock, flavours: FLAVOURS.filter(({ controllerName }) => has(controllerName)) });
  ready = true;
  if (options.writeKubeconfig) await copyKubeconfig(server, options.writeKubeconfig);
  const pageClient = client.named("dashboard");
  const dashboard = await openDashboard(options, { client: pageClient, clock, server: server.url, dataDir });
  const manager = new Manager({ clock });
  using serviceManager = serviceManagerOf({ manager, client, clock });
  const controllers = controllersOf({
    options,
    client,
    clock,
    dataDir: podsDir,
    archive,
    say,
    has,
    pingServer,
    podLogs,
    runtimes,
    podSessions,
  });
  // Each starts once those before it are ready; they stop in reverse.
  const parts = [
    dashboard?.part,
    following,
    announcement(() => {
      if (asText) print(greeting(server, { ...options, dashboard, zone, runtimes: runtimes.allowed }));
      else {logger.info("Ready: kubectl works against {server}", {
          server: server.url,
          kubeconfig: server.kubeconfigPath,
        });}
    }),
    ...controllers,
    serviceManager?.part,
    memoryRelease(clock),
  ];
  for (const part of parts) if (part) manager.add(part);
  await manager.run(stop.signal);
}

/** A part that says that those before it are ready. */
function announcement(say: () => void): Runnable {
  return {
    name: "announcement",
    run: (signal) => {
      say();
      return aborted(signal);
    },
  };
}

/**
 * The definitions of CronJobs that are to be there. They are wherever something runs CronJobs or Jobs, as their controller
 * may be a process of its own; a bare API server holds what it is given and nothing else.
 */
function definitionsFor(
  { controllers, crontab }: Pick<StandaloneOptions, "controllers" | "crontab">,
  manifests: readonly Manifest[],
): Manifest[] {
  const runsSome = crontab.length > 0 || controllers.some((name) => !SERVER_CONTROLLERS.some((each) => each === name));
  const isNeeded = ({ resource: { group } }: Flavour) =>
    runsSome || manifests.some(({ object }) => object.apiVersion.startsWith(`${group}/`));
  return DEFINED_FLAVOURS.filter(isNeeded)
    .map((flavour) => ({
      file: "the program itself",
      object: definitionOf(flavour) as ManifestObject,
      position: () => ({ line: 1, column: 1 }),
    }));
}

async function copyKubeconfig({ kubeconfigPath }: ApiServer, file: string): Promise<void> {
  try {
    const text = await Deno.readTextFile(kubeconfigPath);
    // A full disk leaves one that is there already as it is.
    if (await Deno.readTextFile(file).catch(() => undefined) === text) return;
    await Deno.writeTextFile(file, text, { mode: 0o600 });
  } catch (error) {
    throw new Error(`Cannot write the kubeconfig ${file}: ${(error as Error).message}`, { cause: error });
  }
}
