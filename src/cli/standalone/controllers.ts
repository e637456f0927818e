import { type Flavour, FLAVOURS } from "../../cronjob/api/flavour.ts";
import { CronJobController } from "../../cronjob/controller.ts";
import type { WaitOf } from "../../cronjob/writes.ts";
import { JobController } from "../../job/controller.ts";
import { TtlController } from "../../job/ttl_controller.ts";
import type { HttpKubeClient } from "../../kube/http_client.ts";
import { Kubelet, type OnStop } from "../../kubelet/kubelet.ts";
import type { RuntimeOptions } from "../../kubelet/open_runtimes.ts";
import type { PodSessions } from "../../kubelet/pod_sessions.ts";
import type { RunArchive } from "../../run_archive/archive.ts";
import type { Clock } from "../../base/clock.ts";
import type { Manager } from "../../runtime/manager.ts";
import type { ServerController } from "../../apiserver/server.ts";
import type { JobsOption } from "../options.ts";
import { jobCachesFor } from "../shared/job_caches.ts";
import { recorderOf } from "../shared/recorders.ts";
import { addHooks, addPings, type Notifications } from "./notifications.ts";
import type { WorkstationConsole } from "./console.ts";

export type ControllerName = Flavour["controllerName"] | ServerController | "job" | "kubelet" | "ttl";

/** What the controllers of one machine are made of. */
export interface Parts {
  client: HttpKubeClient;
  clock: Clock;
  dataDir: string;
  archive: RunArchive;
  say: WorkstationConsole;
  has(name: ControllerName): boolean;
  jobs: JobsOption;
  onStop: OnStop;
  notifications: Notifications;
  runtimes: RuntimeOptions;
  podSessions: PodSessions;
}

/** Adds the controllers that were asked for. They stop in reverse: what makes Jobs and Pods before what runs them. */
export function addControllers(manager: Manager, parts: Parts): void {
  const { client, clock, dataDir, archive, say, has, jobs, onStop, notifications, runtimes, podSessions } = parts;
  manager.add(archive);
  // Parts that a cluster has of its own: its audit log, and its permissions, keep them apart from the controllers.
  const [kubeletClient, ttlClient] = [client.named("kubelet"), client.named("ttl-after-finished-controller")];
  const flavours = FLAVOURS.filter(({ controllerName }) => has(controllerName));
  const caches = jobCachesFor({ client, clock, flavours, runsJobs: has("job") && jobs !== "off" });
  const followed: CronJobController[] = [];
  if (has("kubelet")) {
    const recorder = recorderOf("kubelet", { client: kubeletClient, clock });
    manager.add(recorder).add(
      new Kubelet({
        client: kubeletClient,
        clock,
        dataDir,
        recorder,
        onStop,
        runtimes,
        sessions: podSessions,
        onOutput: (output) => say.output(output),
        onCannotStart: (trouble) => say.cannotStart(trouble),
        keepLogs: (logs) => archive.keepLogs(logs),
      }),
    );
  }
  if (has("ttl")) manager.add(new TtlController({ client: ttlClient, clock }));
  if (flavours.length > 0) archive.follow(caches.ofCronJobs);
  let waitOf: WaitOf | undefined;
  if (caches.ofJobs && jobs !== "off") {
    const recorder = recorderOf("job-controller", { client, clock });
    const jobController = new JobController({ client, clock, jobs: caches.ofJobs, recorder, mode: jobs });
    manager.add(recorder).add(jobController);
    waitOf = (job) => jobController.waitOf(job);
  }
  const recorder = recorderOf("cronjob-controller", { client, clock });
  manager.add(recorder);
  const notifying = { manager, client, clock, jobs: caches.ofCronJobs, archive, followed, say };
  const ping = addPings(notifications, notifying);
  for (const flavour of flavours) {
    const controller = new CronJobController({
      client,
      clock,
      flavour,
      jobs: caches.ofCronJobs,
      recorder,
      pendingTimeouts: { defaultMs: undefined },
      waitOf,
      onRun: (run) => {
        say.run(run);
        archive.takeEvent(run);
        ping(run);
      },
      onFollowed: (event) => say.followed(event),
    });
    followed.push(controller);
    manager.add(controller);
  }
  addHooks(notifications, notifying);
}
