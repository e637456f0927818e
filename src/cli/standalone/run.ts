import { type ApiServer, type ServerController, startApiServer } from "../../apiserver/server.ts";
import { DEFINED_FLAVOURS, definitionOf } from "../../cronjob/api/crd.ts";
import { type Flavour, FLAVOURS } from "../../cronjob/api/flavour.ts";
import { CronJobController } from "../../cronjob/controller.ts";
import type { WaitOf } from "../../cronjob/writes.ts";
import { JobController } from "../../job/controller.ts";
import { TtlController } from "../../job/ttl_controller.ts";
import { createKubeClient, type HttpKubeClient } from "../../kube/http_client.ts";
import { Kubelet } from "../../kubelet/kubelet.ts";
import { PodLogFiles } from "../../kubelet/pod_log_files.ts";
import { aborted } from "../../runtime/abort.ts";
import { type Clock, SystemClock } from "../../runtime/clock.ts";
import { Manager } from "../../runtime/manager.ts";
import type { ListenAddress } from "../../telemetry/listen_address.ts";
import { configureLogging, loggerFor } from "../../telemetry/logging.ts";
import type { JobsOption, LogOptions } from "../options.ts";
import { type DataDirOption, defaultDataDir, prepareDataDir, temporaryDataDir } from "../shared/data_dir.ts";
import { jobCachesFor } from "../shared/job_caches.ts";
import { recordersOf } from "../shared/recorders.ts";
import { listenForDebug, listenForStop } from "../signals.ts";
import { VERSION } from "../version.ts";
import { applyManifests, type Manifest, type ManifestObject, readManifestsToApply } from "./apply.ts";
import { cronJobAdvice } from "./cron_job_advice.ts";
import { type OpenDashboard, openDashboard } from "./dashboard.ts";
import { logConsole, textConsole, type WorkstationConsole } from "./console.ts";

const logger = loggerFor("standalone");

/** Those that a cluster's own CronJobs and Jobs don't need. */
const SERVER_CONTROLLERS: readonly ServerController[] = ["gc", "serviceaccount", "root-ca-cert-publisher"];

export type ControllerName = Flavour["controllerName"] | ServerController | "job" | "kubelet" | "ttl";

/** What the command line of `standalone` says. */
export interface StandaloneOptions extends LogOptions, DataDirOption {
  ephemeral?: boolean;
  tokenFile?: string;
  auditLogPath?: string;
  port: number;
  dashboardAddress: ListenAddress | "none";
  /** Whether it is not only the default. */
  dashboardIsAskedFor: boolean;
  writeKubeconfig?: string;
  controllers: ControllerName[];
  jobs: JobsOption;
  /** Manifests to apply at every start. */
  apply: readonly string[];
  /** Manifests to apply to a new data dir. */
  applyOnce: readonly string[];
}

/** Runs until it is told to stop. */
export async function runStandalone(options: StandaloneOptions): Promise<void> {
  const print = (line: string) => console.log(line);
  const asText = options.logFormat === "text";
  // The console tells about runs in its own words.
  const quiet = asText && options.logLevel === "info" ? ["cronjob", "job"] : [];
  const logging = configureLogging({ level: options.logLevel, format: options.logFormat, write: print, quiet });
  using _debug = listenForDebug(() => logging.toggleDebug());
  const clock = new SystemClock();
  using stop = listenForStop();
  const manifests = {
    always: await readManifestsToApply(options.apply),
    once: await readManifestsToApply(options.applyOnce),
  };
  await using temporary = options.ephemeral && !options.dataDir ? await temporaryDataDir() : undefined;
  const dataDir = temporary?.dataDir ?? options.dataDir ?? defaultDataDir();
  const { isNew, markUsed } = await prepareDataDir(dataDir);
  // Pods of objects that are kept are none of an ephemeral run's business.
  const podsDir = options.ephemeral ? `${dataDir}/ephemeral` : dataDir;
  const toApply = [...isNew || options.ephemeral ? manifests.once : [], ...manifests.always];
  const has = (name: ControllerName) => options.controllers.includes(name);

  let ready = false;
  await using server = await startApiServer({
    dataDir,
    port: options.port,
    clock,
    controllers: SERVER_CONTROLLERS.filter(has),
    podLogs: new PodLogFiles({ dataDir: podsDir, clock }),
    ephemeral: options.ephemeral,
    tokenFile: options.tokenFile,
    auditLogPath: options.auditLogPath,
    isReady: () => ready,
    advice: cronJobAdvice(FLAVOURS),
  });
  await using client = createKubeClient(
    { server: server.url, caCertificates: [server.caCertificate], token: server.token },
    { clock, userAgent: `cronjob-controller/${VERSION}` },
  );
  await applyManifests(client.named("apply"), [...definitionsFor(options.controllers, toApply), ...toApply]);
  if (!options.ephemeral) await markUsed();
  ready = true;
  if (options.writeKubeconfig) await copyKubeconfig(server, options.writeKubeconfig);
  const say = asText ? textConsole(clock, print) : logConsole();
  const pageClient = client.named("dashboard");
  const dashboard = await openDashboard(options, { client: pageClient, clock, server: server.url });
  const announce = () => {
    if (asText) return print(greeting(server, dashboard));
    const { url, kubeconfigPath: kubeconfig } = server;
    logger.info("Ready: kubectl works against {server}", { server: url, kubeconfig });
  };
  const manager = createManager({ client, clock, dataDir: podsDir, say, has, jobs: options.jobs });
  if (dashboard) manager.add(dashboard.part);
  manager.add({
    name: "announcement",
    run: (signal) => {
      announce();
      return aborted(signal);
    },
  });
  await manager.run(stop.signal);
}

/**
 * The definitions of CronJobs that are to be there. They are wherever something runs CronJobs or Jobs, as their controller
 * may be a process of its own; a bare API server holds what it is given and nothing else.
 */
function definitionsFor(controllers: readonly ControllerName[], manifests: readonly Manifest[]): Manifest[] {
  const runsSome = controllers.some((name) => !SERVER_CONTROLLERS.some((each) => each === name));
  const isNeeded = ({ resource: { group } }: Flavour) =>
    runsSome || manifests.some(({ object }) => object.apiVersion.startsWith(`${group}/`));
  return DEFINED_FLAVOURS.filter(isNeeded)
    .map((flavour) => ({ source: "the program itself", object: definitionOf(flavour) as ManifestObject }));
}

interface Parts {
  client: HttpKubeClient;
  clock: Clock;
  dataDir: string;
  say: WorkstationConsole;
  has(name: ControllerName): boolean;
  jobs: JobsOption;
}

/** The controllers that were asked for. They stop in reverse: what makes Jobs and Pods before what runs them. */
function createManager({ client, clock, dataDir, say, has, jobs }: Parts): Manager {
  const manager = new Manager({ clock });
  const recorderFor = recordersOf(manager, { client, clock });
  // Parts that a cluster has of its own: its audit log, and its permissions, keep them apart from the controllers.
  const [kubeletClient, ttlClient] = [client.named("kubelet"), client.named("ttl-after-finished-controller")];
  if (has("kubelet")) {
    const recorder = recordersOf(manager, { client: kubeletClient, clock })("kubelet");
    manager.add(
      new Kubelet({
        client: kubeletClient,
        clock,
        dataDir,
        recorder,
        onOutput: (output) => say.output(output),
        onCannotStart: (trouble) => say.cannotStart(trouble),
      }),
    );
  }
  if (has("ttl")) manager.add(new TtlController({ client: ttlClient, clock }));
  const flavours = FLAVOURS.filter(({ controllerName }) => has(controllerName));
  const caches = jobCachesFor({ client, clock, flavours, runsJobs: has("job") && jobs !== "off" });
  let waitOf: WaitOf | undefined;
  if (caches.ofJobs && jobs !== "off") {
    const recorder = recorderFor("job-controller");
    const jobController = new JobController({ client, clock, jobs: caches.ofJobs, recorder, mode: jobs });
    manager.add(jobController);
    waitOf = (job) => jobController.waitOf(job);
  }
  const recorder = recorderFor("cronjob-controller");
  for (const flavour of flavours) {
    manager.add(
      new CronJobController({
        client,
        clock,
        flavour,
        jobs: caches.ofCronJobs,
        recorder,
        pendingTimeouts: { defaultMs: undefined },
        waitOf,
        onRun: (run) => say.run(run),
        onFollowed: (event) => say.followed(event),
      }),
    );
  }
  return manager;
}

function greeting({ url, kubeconfigPath }: ApiServer, dashboard: OpenDashboard | undefined): string {
  return `cronjob-controller ${VERSION}: a Kubernetes API on ${url}
Containers run as plain processes with your own rights; their images are ignored.

In another terminal:
  export KUBECONFIG=${kubeconfigPath}
  kubectl get tcj,ccj,cronjobs,jobs,pods -A
  kubectl get events -A --watch
${dashboard ? `\nIn a browser, once: ${dashboard.link()}\n` : ""}
Ready: kubectl works against it. Ctrl-C ends it and everything it started.
`;
}

async function copyKubeconfig({ kubeconfigPath }: ApiServer, file: string): Promise<void> {
  try {
    await Deno.writeTextFile(file, await Deno.readTextFile(kubeconfigPath), { mode: 0o600 });
  } catch (error) {
    throw new Error(`Cannot write the kubeconfig ${file}: ${(error as Error).message}`, { cause: error });
  }
}
